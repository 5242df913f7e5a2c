/** Longer pauses are mistakes of the server, such as a moment in place of a number of seconds. */
export const MAX_RETRY_AFTER_MS = 86_400_000;

/** Of the three forms, two have a zone; that of asctime is UTC (RFC 9110, 5.6.7). */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i;
const ZONE = / (gmt|utc)$/i;

/**
 * How long a server wants no requests, by its `Retry-After`: a number of seconds or an HTTP date
 * (RFC 9110, 10.2.3). In milliseconds, at most a day. Undefined: it has no valid value, or the date is
 * over.
 */
export const retryAfterMs = (header: string | undefined, now: Date): number | undefined => {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, MAX_RETRY_AFTER_MS);
  if (!HTTP_DATE.test(text)) return undefined;
  const ms = Date.parse(ZONE.test(text) ? text : `${text} GMT`) - now.getTime();
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
};
