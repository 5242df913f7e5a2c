const STEPS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** `3 days ago`; what is less than a minute away is `just now`. */
export const relativeTime = (time: Date, now: Date): string => {
  const seconds = (time.getTime() - now.getTime()) / 1_000;
  const step = STEPS.find(([, size]) => Math.abs(seconds) >= size);
  if (step === undefined) return 'just now';
  const [unit, size] = step;
  return words.format(Math.trunc(seconds / size), unit);
};

/** `2026-11-18T09:00Z (3 days ago)`: for people, and still ISO 8601. */
export const showTime = (iso: string, now: Date): string => {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  return `${time.toISOString().slice(0, 16)}Z (${relativeTime(time, now)})`;
};
