import { type SourceClock, SourceError } from '../contract/connector-contract.js';

/** What requests to one host wait for: its pauses, and a bucket of requests per second. */
export interface HostLimits {
  /**
   * Waits until a request may be sent; rejects with the signal's reason, or at once with a SourceError
   * if the host wants no requests for longer than a run waits.
   */
  readonly enter: (host: string, signal: AbortSignal) => Promise<void>;
  /** No request to the host is sent for this long. */
  readonly pause: (host: string, ms: number) => void;
}

/** Until when each host wants no requests, in milliseconds since 1970. */
export type HostPauses = Map<string, number>;

/** A source that wants a longer pause is read again in another run. */
export const MAX_WAIT_MS = 15 * 60_000;
/** Requests at once, and per second after that. */
const BURST = 20;
const PER_SECOND = 20;

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** The limits of one connector; pauses are kept outside of it, for they outlive its process. */
export const createHostLimits = (
  { now, sleep }: SourceClock,
  pauses: HostPauses = new Map(),
): HostLimits => {
  const buckets = new Map<string, Bucket>();

  const bucketOf = (host: string): Bucket => {
    const bucket = buckets.get(host) ?? { tokens: BURST, filledAt: now().getTime() };
    buckets.set(host, bucket);
    return bucket;
  };

  /** Takes a token, or returns how long there is none. */
  const take = (bucket: Bucket): number => {
    const at = now().getTime();
    const passed = Math.max(0, at - bucket.filledAt);
    bucket.tokens = Math.min(BURST, bucket.tokens + (passed * PER_SECOND) / 1_000);
    bucket.filledAt = at;
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) * 1_000) / PER_SECOND);
    bucket.tokens -= 1;
    return 0;
  };

  return {
    enter: async (host, signal) => {
      for (;;) {
        signal.throwIfAborted();
        const paused = (pauses.get(host) ?? 0) - now().getTime();
        if (paused > MAX_WAIT_MS) throw pausedFor(host, paused);
        const wait = paused > 0 ? paused : take(bucketOf(host));
        if (wait === 0) return;
        await sleep(wait, signal);
      }
    },
    pause: (host, ms) => {
      pauses.set(host, Math.max(pauses.get(host) ?? 0, now().getTime() + ms));
    },
  };
};

const pausedFor = (host: string, ms: number): SourceError =>
  new SourceError(
    'rate-limit',
    `The server ${host} allows no requests for another ${Math.ceil(ms / 60_000)} min.`,
    { retryAfterMs: ms },
  );
