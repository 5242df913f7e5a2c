import type { AdminTokens } from '../../ports/operators.js';
import { isSameSecret } from './credentials.js';
import { createRecentReads } from './recent-reads.js';

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

/** There is one, so all have the same place. */
const ONLY = '';

export const createAdminTokenCheck = ({ hashOf, findHash, now }: CheckParts): AdminTokenCheck => {
  const recent = createRecentReads<string>({ read: findHash, now });

  const isValid = async (hash: string): Promise<boolean> => {
    const valid = await recent.find(ONLY);
    return valid !== undefined && isSameSecret(hash, valid);
  };

  return {
    check: async (token) => {
      const hash = hashOf(token);
      return (await isValid(hash)) ? hash : undefined;
    },
    isValid,
    invalidate: () => recent.invalidate(() => true),
  };
};
