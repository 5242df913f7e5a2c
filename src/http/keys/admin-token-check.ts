import { createHash, timingSafeEqual } from 'node:crypto';
import type { AdminTokens } from '../../api/admin-token.js';

/** Checks the operators' token. */
export interface AdminTokenCheck {
  /** The token's hash where it is the valid one. Rejects with UNAVAILABLE without a database. */
  readonly check: (token: string) => Promise<string | undefined>;
  /** Call when it was replaced here, so that the old one is dead at once. */
  readonly forget: () => void;
}

interface CheckParts extends Pick<AdminTokens, 'hashOf' | 'findHash'> {
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
}

/**
 * A rotation is effective within 1 s on every instance (decisions.md 8). What was read is trusted
 * for 900 ms, counted from the START of the read, as that of API keys.
 */
const TRUSTED_MS = 900;

interface Held {
  readonly startedAt: number;
  readonly reading: Promise<string | undefined>;
}

export const createAdminTokenCheck = ({ hashOf, findHash, now }: CheckParts): AdminTokenCheck => {
  let held: Held | undefined;

  const read = (): Promise<string | undefined> => {
    const entry = { startedAt: now(), reading: findHash() };
    held = entry;
    entry.reading.catch(() => {
      if (held === entry) held = undefined;
    });
    return entry.reading;
  };

  const current = (): Promise<string | undefined> =>
    held && now() - held.startedAt <= TRUSTED_MS ? held.reading : read();

  return {
    check: async (token) => {
      const valid = await current();
      const hash = hashOf(token);
      return valid !== undefined && isEqual(hash, valid) ? hash : undefined;
    },
    forget: () => {
      held = undefined;
    },
  };
};

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** In constant time; digests, for both sides must be of one length. */
const isEqual = (one: string, other: string): boolean =>
  timingSafeEqual(digest(one), digest(other));
