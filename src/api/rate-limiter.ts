/** A request's rate limit (decisions.md 3: a fixed window of 60 s per key). */
export interface RateLimitResult {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds to the end of the window. */
  readonly resetSeconds: number;
}

/** Counts requests per key and window. Usually synchronous, without a write per request. */
export interface RateLimiter {
  readonly take: (key: string) => RateLimitResult | Promise<RateLimitResult>;
}
