/** Numbers above are seconds since 1970, or milliseconds. */
const EPOCH_SECONDS = 1_000_000_000;
const EPOCH_MILLISECONDS = 1_000_000_000_000;

const RESETS = ['x-ratelimit-reset', 'x-rate-limit-reset', 'ratelimit-reset'];
const REMAINING = ['x-ratelimit-remaining', 'x-rate-limit-remaining', 'ratelimit-remaining'];

type Headers = Readonly<Record<string, string>>;

/**
 * How long the server wants no requests, in milliseconds: from `Retry-After`, in seconds or as an HTTP
 * date, or else from `X-RateLimit-Reset`, as a time or in seconds. Undefined: it does not say.
 */
export const retryAfterOf = (headers: Headers, now: Date): number | undefined =>
  pauseOf(headers['retry-after'], now) ?? resetOf(headers, now);

/** The pause after a successful response that was the last one in the window of a limit. */
export const pauseAfter = (headers: Headers, now: Date): number | undefined =>
  REMAINING.some((name) => headers[name]?.trim() === '0') ? resetOf(headers, now) : undefined;

const resetOf = (headers: Headers, now: Date): number | undefined => {
  const name = RESETS.find((one) => headers[one] !== undefined);
  return name === undefined ? undefined : pauseOf(headers[name], now);
};

const pauseOf = (text: string | undefined, now: Date): number | undefined => {
  if (text === undefined || text.trim() === '') return undefined;
  const number = Number(text);
  const at = Number.isNaN(number) ? Date.parse(text) : momentOf(number, now);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
};

const momentOf = (number: number, now: Date): number => {
  if (number >= EPOCH_MILLISECONDS) return number;
  return number >= EPOCH_SECONDS ? number * 1_000 : now.getTime() + number * 1_000;
};
