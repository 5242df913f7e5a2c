import { refuse, type Refusal, RefusalError } from '../../domain/kernel/refusals.js';

const MEBIBYTE = 1024 * 1024;

/** Larger bodies wait for a slot to be parsed. */
export const LARGE_BODY = 64 * 1024;

/** Maximum bytes of bodies, from before they are read until their response is sent. */
export interface BodyLimits {
  readonly overall: number;
  readonly perKey: number;
}

const BODY_LIMITS: BodyLimits = { overall: 128 * MEBIBYTE, perKey: 32 * MEBIBYTE };

/** The share of each limit that large bodies may use; the rest is kept for small ones. */
const LARGE_BODY_SHARE = 0.75;

/** The memory reserved for the body of one request. */
export interface BodyReservation {
  /**
   * Grows the reservation to this many bytes. Throws RefusalError UNAVAILABLE if the limit is
   * reached.
   */
  readonly growTo: (bytes: number) => void;
  /** Releases all of it. Idempotent. */
  readonly release: () => void;
}

export interface BodyBudget {
  /** Opens an empty reservation for a body sent with this key. */
  readonly open: (key: string) => BodyReservation;
  /** Bytes reserved at this time. */
  readonly reservedBytes: () => number;
}

const busy = (message: string): Refusal =>
  refuse('UNAVAILABLE', `${message} Nothing was changed; retry shortly.`, { retryAfter: 1 });

const KEY_LIMIT_REACHED = busy('This key has too many large requests in progress.');
const GATEWAY_LIMIT_REACHED = busy('The gateway has too many large requests in progress.');

/**
 * Bounds the memory of bodies, per key and overall (decisions.md 3). Without it, 60 bodies of 8 MiB
 * that stall before their last byte occupy 0.5 GB for 30 s.
 */
export const createBodyBudget = ({ overall, perKey }: BodyLimits = BODY_LIMITS): BodyBudget => {
  const byKey = new Map<string, number>();
  let reservedBytes = 0;

  const add = (key: string, bytes: number): void => {
    reservedBytes += bytes;
    const ofKey = (byKey.get(key) ?? 0) + bytes;
    if (ofKey > 0) byKey.set(key, ofKey);
    else byKey.delete(key);
  };

  const requireCapacity = (key: string, more: number, isLarge: boolean): void => {
    const part = isLarge ? LARGE_BODY_SHARE : 1;
    if ((byKey.get(key) ?? 0) + more > perKey * part) throw new RefusalError(KEY_LIMIT_REACHED);
    if (reservedBytes + more > overall * part) throw new RefusalError(GATEWAY_LIMIT_REACHED);
  };

  return {
    reservedBytes: () => reservedBytes,
    open: (key) => {
      let reserved = 0;
      return {
        growTo: (bytes) => {
          if (bytes <= reserved) return;
          requireCapacity(key, bytes - reserved, bytes > LARGE_BODY);
          add(key, bytes - reserved);
          reserved = bytes;
        },
        release: () => {
          add(key, -reserved);
          reserved = 0;
        },
      };
    },
  };
};
