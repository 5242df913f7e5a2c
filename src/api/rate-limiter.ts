/** How a request stands against its limit (decisions.md 3: fixed windows of 60 s a key). */
export interface RateVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window ends. */
  readonly resetSeconds: number;
}

/** Counts requests against a key's window. Synchronous on the good path: no write a request. */
export interface RateLimiter {
  readonly take: (key: string) => RateVerdict | Promise<RateVerdict>;
}
