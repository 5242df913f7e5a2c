import type { SourceClock } from '../connector-contract.js';

/** What requests to one host wait for: its pauses, and a bucket of requests per second. */
export interface HostLimits {
  /** Waits until a request may be sent; rejects with the signal's reason. */
  readonly enter: (host: string, signal: AbortSignal) => Promise<void>;
  /** No request to the host is sent for this long. */
  readonly pause: (host: string, ms: number) => void;
}

/** Requests at once, and per second after that. */
const BURST = 20;
const PER_SECOND = 20;

interface Bucket {
  tokens: number;
  filledAt: number;
  pausedUntil: number;
}

/** The limits of one connector. */
export const createHostLimits = ({ now, sleep }: SourceClock): HostLimits => {
  const buckets = new Map<string, Bucket>();

  const bucketOf = (host: string): Bucket => {
    const bucket = buckets.get(host) ?? {
      tokens: BURST,
      filledAt: now().getTime(),
      pausedUntil: 0,
    };
    buckets.set(host, bucket);
    return bucket;
  };

  /** Takes a token, or returns how long there is none. */
  const take = (bucket: Bucket): number => {
    const at = now().getTime();
    if (bucket.pausedUntil > at) return bucket.pausedUntil - at;
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
        const wait = take(bucketOf(host));
        if (wait === 0) return;
        await sleep(wait, signal);
      }
    },
    pause: (host, ms) => {
      const bucket = bucketOf(host);
      bucket.pausedUntil = Math.max(bucket.pausedUntil, now().getTime() + ms);
    },
  };
};
