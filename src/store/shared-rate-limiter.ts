import type { RateLimiter, RateLimitResult } from '../ports/system.js';
import { guardRead } from './database-errors.js';
import type { Collections } from './tables/collections.js';

export interface SharedRateLimiterParts {
  readonly collections: Pick<Collections, 'rateWindows'>;
  /** Requests per window. */
  readonly limit: number;
  /** Milliseconds of the database's clock, so that all instances are in the same window. */
  readonly now: () => number;
  /** Number of gateways, including this one. */
  readonly instances: () => number;
}

export interface SharedRateLimiter extends RateLimiter {
  /** Returns the requests that were granted and not used. */
  readonly close: () => Promise<void>;
}

/** What this instance was granted of a key's limit in the current window. */
interface KeyQuota {
  tokens: number;
  /** Granted to all instances, at the last request. */
  granted: number;
  isExhausted: boolean;
  pending: Promise<void> | undefined;
}

const WINDOW_MS = 60_000;
/** How far several instances together may exceed the limit (decisions.md 3). */
const OVERDRAFT = 0.05;
const MAX_GRANT = 50;

/**
 * One window for all instances without a write per request: each instance requests grants of
 * several requests from a shared counter. A single instance allows exactly the limit. With others,
 * grants are so small that what they hold unused stays below 5 % of the limit, and the counter may
 * exceed the limit by as much: no request is refused while fewer than the limit were used
 * (decisions.md 3).
 */
export const createSharedRateLimiter = (parts: SharedRateLimiterParts): SharedRateLimiter => {
  const { collections, limit, now, instances } = parts;
  const windows = collections.rateWindows;
  let window = 0;
  let quotas = new Map<string, KeyQuota>();

  const overdraft = Math.floor(limit * OVERDRAFT);
  /** What this instance may hold unused. */
  const share = (): number => {
    const others = instances() - 1;
    return others > 0 ? Math.floor(overdraft / others) : Number.POSITIVE_INFINITY;
  };
  // Including what is left when the next one is requested, a grant stays within the share.
  const grantSize = (): number =>
    Math.max(1, Math.min(MAX_GRANT, Math.ceil(limit / 10), Math.floor(share() * 0.8)));
  const mayPrefetch = (): boolean => share() >= 2;
  const ceiling = (): number => (instances() > 1 ? limit + overdraft : limit);

  const requestGrant = async (key: string, quota: KeyQuota): Promise<void> => {
    const [current, max, size] = [window, ceiling(), grantSize()];
    const granted = { $ifNull: ['$granted', 0] };
    const before = await guardRead(() =>
      windows.findOneAndUpdate(
        { _id: `${key}:${current}` },
        [
          {
            $set: {
              // Never decreases: the ceiling falls when other instances leave.
              granted: { $max: [granted, { $min: [max, { $add: [granted, size] }] }] },
              expireAt: new Date((current + 2) * WINDOW_MS),
            },
          },
        ],
        { upsert: true, returnDocument: 'before', writeConcern: { w: 1 } },
      ),
    );
    const had = before?.granted ?? 0;
    const got = Math.max(0, Math.min(size, max - had));
    quota.tokens += got;
    quota.granted = had + got;
    quota.isExhausted = got === 0;
  };

  const refill = (key: string, quota: KeyQuota): Promise<void> => {
    quota.pending ??= requestGrant(key, quota).finally(() => {
      quota.pending = undefined;
    });
    return quota.pending;
  };

  const quotaOf = (key: string): KeyQuota => {
    const present = Math.floor(now() / WINDOW_MS);
    if (present !== window) {
      window = present;
      quotas = new Map();
    }
    const known = quotas.get(key);
    if (known) return known;
    const quota: KeyQuota = { tokens: 0, granted: 0, isExhausted: false, pending: undefined };
    quotas.set(key, quota);
    return quota;
  };

  const toResult = (allowed: boolean, quota: KeyQuota): RateLimitResult => ({
    allowed,
    limit,
    remaining: Math.max(0, Math.min(limit, limit - quota.granted + quota.tokens)),
    resetSeconds: Math.ceil(((window + 1) * WINDOW_MS - now()) / 1_000),
  });

  const useToken = (key: string, quota: KeyQuota): RateLimitResult => {
    quota.tokens -= 1;
    // Requests the next grant before this one is used up.
    if (!quota.isExhausted && mayPrefetch() && quota.tokens < grantSize() / 4)
      refill(key, quota).catch(() => {
        // The request that needs it tries again and reports the error.
      });
    return toResult(true, quota);
  };

  const takeLater = async (key: string): Promise<RateLimitResult> => {
    for (;;) {
      const quota = quotaOf(key);
      if (quota.tokens > 0) return useToken(key, quota);
      if (quota.isExhausted) return toResult(false, quota);
      await refill(key, quota);
    }
  };

  return {
    take: (key) => {
      const quota = quotaOf(key);
      if (quota.tokens > 0) return useToken(key, quota);
      return quota.isExhausted ? toResult(false, quota) : takeLater(key);
    },
    close: async () => {
      const unused = [...quotas].filter(([, { tokens }]) => tokens > 0);
      if (unused.length === 0) return;
      await windows.bulkWrite(
        unused.map(([key, { tokens }]) => ({
          updateOne: {
            filter: { _id: `${key}:${window}` },
            update: { $inc: { granted: -tokens } },
          },
        })),
        { ordered: false, writeConcern: { w: 1 } },
      );
    },
  };
};
