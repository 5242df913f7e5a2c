import { z } from 'zod';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/;

const readDuration = (text: string): number | undefined => {
  const [, amount, unit] = DURATION.exec(text.trim()) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  return Number(amount) * UNITS[unit as keyof typeof UNITS];
};

/**
 * A span of time in a plugin's settings: `250ms`, `30s`, `10m`, `6h`, `90d` in the file,
 * milliseconds in the program. Both bounds are written like that, too.
 */
export const durationField = (shortest: string, longest: string) => {
  const error = `expected a duration from ${shortest} to ${longest}, such as 30s, 10m or 6h`;
  const [least = 0, most = 0] = [readDuration(shortest), readDuration(longest)];
  return z.string({ error }).transform((text, context) => {
    const milliseconds = readDuration(text);
    if (milliseconds !== undefined && milliseconds >= least && milliseconds <= most)
      return milliseconds;
    context.issues.push({ code: 'custom', message: error, input: text });
    return z.NEVER;
  });
};
