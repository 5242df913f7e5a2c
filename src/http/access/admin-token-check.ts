import type { AdminTokens } from '../../ports/operators.js';
import { isSameSecret } from './credentials.js';

/** Checks the admin token. */
export interface AdminTokenCheck {
  /**
   * Resolves with the token's hash if it is valid. Rejects with UNAVAILABLE without the database.
   */
  readonly check: (token: string) => Promise<string | undefined>;
  /** Whether this is the hash of the valid token. Rejects like `check`. */
  readonly isValid: (hash: string) => Promise<boolean>;
  /** Call it after replacing the token, so that the old one stops working immediately. */
  readonly invalidate: () => void;
}

interface CheckParts extends Pick<AdminTokens, 'hashOf' | 'findHash'> {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/**
 * A rotation takes effect within 1 s on all instances (decisions.md 8). A hash is cached for 900 ms
 * from the START of its read, like API keys.
 */
const MAX_AGE_MS = 900;

interface CachedHash {
  readonly startedAt: number;
  readonly reading: Promise<string | undefined>;
}

export const createAdminTokenCheck = ({ hashOf, findHash, now }: CheckParts): AdminTokenCheck => {
  let cached: CachedHash | undefined;

  const read = (): Promise<string | undefined> => {
    const entry = { startedAt: now(), reading: findHash() };
    cached = entry;
    entry.reading.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return entry.reading;
  };

  const current = (): Promise<string | undefined> =>
    cached && now() - cached.startedAt <= MAX_AGE_MS ? cached.reading : read();

  return {
    check: async (token) => {
      const valid = await current();
      const hash = hashOf(token);
      return valid !== undefined && isSameSecret(hash, valid) ? hash : undefined;
    },
    isValid: async (hash) => {
      const valid = await current();
      return valid !== undefined && isSameSecret(hash, valid);
    },
    invalidate: () => {
      cached = undefined;
    },
  };
};
