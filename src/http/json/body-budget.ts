import { refuse, type Refusal, RefusalError } from '../../domain/refusals.js';

const MEBIBYTE = 1024 * 1024;

/** A body beyond this is large: it waits for its turn to be parsed. */
export const LARGE_BODY = 64 * 1024;

/** How many bytes bodies may take, from before they are read until their request is answered. */
export interface BodyLimits {
  readonly overall: number;
  readonly perKey: number;
}

const BODY_LIMITS: BodyLimits = { overall: 128 * MEBIBYTE, perKey: 32 * MEBIBYTE };

/** Of every limit, large bodies get this part: the rest stays for small ones. */
const LARGE_PART = 0.75;

/** What the body of one request takes. */
export interface BodyShare {
  /** Makes it so many bytes in all. Throws RefusalError UNAVAILABLE where there is no room. */
  readonly growTo: (bytes: number) => void;
  /** Gives all of it back; may be called again. */
  readonly release: () => void;
}

export interface BodyBudget {
  /** An empty share for a body that this key sends. */
  readonly open: (key: string) => BodyShare;
  /** Bytes that are taken now. */
  readonly taken: () => number;
}

const busy = (message: string): Refusal =>
  refuse('UNAVAILABLE', `${message} Nothing was changed; retry shortly.`, { retryAfter: 1 });

const KEY_IS_FULL = busy('This key has too many large requests in progress.');
const GATEWAY_IS_FULL = busy('The gateway has too many large requests in progress.');

/**
 * Bounds the memory that bodies take, per key and overall (decisions.md 3): without it, sixty bodies
 * of 8 MiB that stall before their last byte cost half a gigabyte for half a minute.
 */
export const createBodyBudget = ({ overall, perKey }: BodyLimits = BODY_LIMITS): BodyBudget => {
  const byKey = new Map<string, number>();
  let taken = 0;

  const add = (key: string, bytes: number): void => {
    taken += bytes;
    const ofKey = (byKey.get(key) ?? 0) + bytes;
    if (ofKey > 0) byKey.set(key, ofKey);
    else byKey.delete(key);
  };

  const requireRoom = (key: string, more: number, isLarge: boolean): void => {
    const part = isLarge ? LARGE_PART : 1;
    if ((byKey.get(key) ?? 0) + more > perKey * part) throw new RefusalError(KEY_IS_FULL);
    if (taken + more > overall * part) throw new RefusalError(GATEWAY_IS_FULL);
  };

  return {
    taken: () => taken,
    open: (key) => {
      let own = 0;
      return {
        growTo: (bytes) => {
          if (bytes <= own) return;
          requireRoom(key, bytes - own, bytes > LARGE_BODY);
          add(key, bytes - own);
          own = bytes;
        },
        release: () => {
          add(key, -own);
          own = 0;
        },
      };
    },
  };
};
