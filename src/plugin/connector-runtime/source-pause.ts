import { MAX_RETRY_AFTER_MS, retryAfterMs } from '../contract/retry-after.js';

/** Numbers above are seconds since 1970, or milliseconds. */
const EPOCH_SECONDS = 1_000_000_000;
const EPOCH_MILLISECONDS = 1_000_000_000_000;

const RESETS = ['x-ratelimit-reset', 'x-rate-limit-reset', 'ratelimit-reset'];
const REMAINING = ['x-ratelimit-remaining', 'x-rate-limit-remaining', 'ratelimit-remaining'];

type Headers = Readonly<Record<string, string>>;

/**
 * How long the server wants no requests, in milliseconds, at most a day: from `Retry-After`, or else
 * from `X-RateLimit-Reset`, which has no standard: a time or a number of seconds. Undefined: it does
 * not say.
 */
export const pauseOf = (headers: Headers, now: Date): number | undefined =>
  retryAfterMs(headers['retry-after'], now) ?? resetOf(headers, now);

/** The pause after a successful response that was the last one in the window of a limit. */
export const pauseAfter = (headers: Headers, now: Date): number | undefined =>
  REMAINING.some((name) => headers[name]?.trim() === '0') ? resetOf(headers, now) : undefined;

const resetOf = (headers: Headers, now: Date): number | undefined => {
  const text = RESETS.map((name) => headers[name]?.trim()).find(Boolean);
  if (text === undefined) return undefined;
  const at = /^\d+(\.\d+)?$/.test(text) ? momentOf(Number(text), now) : Date.parse(text);
  return Number.isNaN(at)
    ? undefined
    : Math.min(Math.max(0, at - now.getTime()), MAX_RETRY_AFTER_MS);
};

const momentOf = (number: number, now: Date): number => {
  if (number >= EPOCH_MILLISECONDS) return number;
  return number >= EPOCH_SECONDS ? number * 1_000 : now.getTime() + number * 1_000;
};
