/** `250ms`, `30s`, `10m`, `6h`, `90d`: a whole number and one unit, as in `5s,30s,2m`. */
const DURATION = /^(\d{1,13})(ms|s|m|h|d)$/;

const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

type Unit = keyof typeof UNITS;

/** A hundred years: anything longer is a typing error. */
const MAX_MILLISECONDS = 36_500 * UNITS.d;

/** Milliseconds, or undefined if the text is not a duration. */
export const parseDuration = (text: string): number | undefined => {
  const [, amount, unit] = DURATION.exec(text.trim()) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  const milliseconds = Number(amount) * UNITS[unit as Unit];
  return milliseconds <= MAX_MILLISECONDS ? milliseconds : undefined;
};

/** The shortest text that parses to these milliseconds: 90000 is `90s`, 3600000 is `1h`. */
export const formatDuration = (milliseconds: number): string => {
  const units = Object.entries(UNITS);
  const [name, size] = units.find(([, unit]) => milliseconds > 0 && milliseconds % unit === 0) ?? [
    's',
    UNITS.s,
  ];
  return `${milliseconds / size}${name}`;
};
