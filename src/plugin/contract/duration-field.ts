import { z } from 'zod';
import { parseDuration } from '../../../config/duration.js';

/**
 * A duration in a plugin's settings: `250ms`, `30s`, `10m`, `6h`, `90d` in the file,
 * milliseconds in the program. The bounds have the same format.
 */
export const durationField = (shortest: string, longest: string) => {
  const error = `expected a duration from ${shortest} to ${longest}, such as 30s, 10m or 6h`;
  const [least = 0, most = 0] = [parseDuration(shortest), parseDuration(longest)];
  return z.string({ error }).transform((text, context) => {
    const milliseconds = parseDuration(text);
    if (milliseconds !== undefined && milliseconds >= least && milliseconds <= most)
      return milliseconds;
    context.issues.push({ code: 'custom', message: error, input: text });
    return z.NEVER;
  });
};
