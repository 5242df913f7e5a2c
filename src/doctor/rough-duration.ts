const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['s', 1_000],
] as const;

/** A rounded duration: `0.4 ms`, `12 ms`, `3 s`, `5 minutes`, `26 hours`, `3 days`. */
export const roughDuration = (milliseconds: number): string => {
  if (milliseconds < 10) return `${Number(milliseconds.toFixed(1))} ms`;
  const [name, size] = UNITS.find(([, unit]) => milliseconds >= 2 * unit) ?? ['ms', 1];
  return `${Math.round(milliseconds / size)} ${name}`;
};
