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
const overdraftOf = (limit: number): number => Math.floor(limit * 0.05);
const MAX_GRANT = 50;

/**
 * One window for all instances without a write per request: each instance requests grants of
 * several requests from a shared counter. A single instance allows exactly the limit. With others,
 * grants are so small that what they hold unused stays below 5 % of the limit, and the counter may
 * exceed the limit by as much: no request is refused while fewer than the limit were used
 * (decisions.md 3).
 */
export class SharedRateLimiter implements RateLimiter {
  private window = 0;
  private quotas = new Map<string, KeyQuota>();

  constructor(private readonly parts: SharedRateLimiterParts) {}

  take(key: string): RateLimitResult | Promise<RateLimitResult> {
    const quota = this.quotaOf(key);
    if (quota.tokens > 0) return this.useToken(key, quota);
    return quota.isExhausted ? this.toResult(false, quota) : this.takeLater(key);
  }

  /** Returns the requests that were granted and not used. */
  async close(): Promise<void> {
    const unused = [...this.quotas].filter(([, { tokens }]) => tokens > 0);
    if (unused.length === 0) return;
    await this.parts.collections.rateWindows.bulkWrite(
      unused.map(([key, { tokens }]) => ({
        updateOne: {
          filter: { _id: `${key}:${this.window}` },
          update: { $inc: { granted: -tokens } },
        },
      })),
      { ordered: false, writeConcern: { w: 1 } },
    );
  }

  /** What this instance may hold unused. */
  private share(): number {
    const others = this.parts.instances() - 1;
    return others > 0
      ? Math.floor(overdraftOf(this.parts.limit) / others)
      : Number.POSITIVE_INFINITY;
  }

  /** Including what is left when the next one is requested, a grant stays within the share. */
  private grantSize(): number {
    const { limit } = this.parts;
    return Math.max(1, Math.min(MAX_GRANT, Math.ceil(limit / 10), Math.floor(this.share() * 0.8)));
  }

  private async requestGrant(key: string, quota: KeyQuota): Promise<void> {
    const { collections, limit, instances } = this.parts;
    const { window } = this;
    const max = instances() > 1 ? limit + overdraftOf(limit) : limit;
    const size = this.grantSize();
    const granted = { $ifNull: ['$granted', 0] };
    const before = await guardRead(() =>
      collections.rateWindows.findOneAndUpdate(
        { _id: `${key}:${window}` },
        [
          {
            $set: {
              // Never decreases: the ceiling falls when other instances leave.
              granted: { $max: [granted, { $min: [max, { $add: [granted, size] }] }] },
              expireAt: new Date((window + 2) * WINDOW_MS),
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
  }

  private refill(key: string, quota: KeyQuota): Promise<void> {
    quota.pending ??= this.requestGrant(key, quota).finally(() => {
      quota.pending = undefined;
    });
    return quota.pending;
  }

  private quotaOf(key: string): KeyQuota {
    const present = Math.floor(this.parts.now() / WINDOW_MS);
    if (present !== this.window) {
      this.window = present;
      this.quotas = new Map();
    }
    const known = this.quotas.get(key);
    if (known) return known;
    const quota: KeyQuota = { tokens: 0, granted: 0, isExhausted: false, pending: undefined };
    this.quotas.set(key, quota);
    return quota;
  }

  private toResult(allowed: boolean, quota: KeyQuota): RateLimitResult {
    const { limit, now } = this.parts;
    return {
      allowed,
      limit,
      remaining: Math.max(0, Math.min(limit, limit - quota.granted + quota.tokens)),
      resetSeconds: Math.ceil(((this.window + 1) * WINDOW_MS - now()) / 1_000),
    };
  }

  private useToken(key: string, quota: KeyQuota): RateLimitResult {
    quota.tokens -= 1;
    // Requests the next grant before this one is used up.
    if (!quota.isExhausted && this.share() >= 2 && quota.tokens < this.grantSize() / 4)
      this.refill(key, quota).catch(() => {
        // The request that needs it tries again and reports the error.
      });
    return this.toResult(true, quota);
  }

  private async takeLater(key: string): Promise<RateLimitResult> {
    for (;;) {
      const quota = this.quotaOf(key);
      if (quota.tokens > 0) return this.useToken(key, quota);
      if (quota.isExhausted) return this.toResult(false, quota);
      await this.refill(key, quota);
    }
  }
}
