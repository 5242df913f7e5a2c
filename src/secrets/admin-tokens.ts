import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Secret } from '../../config/secret.js';
import type { AdminTokens, AdminTokenStore } from '../ports/operators.js';
import type { Log } from '../ports/telemetry.js';
import { adminTokenError } from '../domain/kernel/bearer-token.js';
import { raise } from '../domain/kernel/refusals.js';
import { ADMIN_TOKEN_FILE, createTokenHash, revealAdminToken } from './local-secrets.js';
import { findPendingFiles, readPrivateFile, writePendingFile } from './private-file.js';

export interface AdminTokenParts {
  /** Set by the operator; null: generated at the first start on a database. */
  readonly configured: Secret | null;
  readonly dataDir: string;
  readonly store: AdminTokenStore;
  /** The gateway's secret key, from which the key for hashes is derived. */
  readonly secretKey: Uint8Array;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** The token that is valid after a start, if it is known to this gateway. */
export interface AgreedToken {
  /** Empty if another gateway has set or rotated it: then only its hash is known here. */
  readonly adminToken: string;
  /** The file that contains it; null if it is configured or not known here. */
  readonly adminTokenPath: string | null;
  /** This start has generated it, so its path must be printed. */
  readonly isNewToken: boolean;
}

export interface OwnAdminTokens extends AdminTokens {
  /**
   * Agrees with the other gateways of the database on one token (decision 0020). Throws a
   * ConfigError for a configured token that a rotation has replaced.
   */
  readonly agree: () => Promise<AgreedToken>;
}

const TOKEN_BYTES = 32;
/** Enough for a brief failure of the disk or the database. */
const RETRY_SECONDS = 5;

const UNKNOWN_HERE: AgreedToken = { adminToken: '', adminTokenPath: null, isNewToken: false };

const generateToken = (): string => `rgadm_${randomBytes(TOKEN_BYTES).toString('base64url')}`;

/** The token as a pending file; a refusal where it cannot be stored. */
const storeNew = async (path: string, token: string) => {
  try {
    return await writePendingFile(path, token);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return raise('UNAVAILABLE', `Cannot store the new token; the old one stays valid. ${reason}`, {
      retryAfter: RETRY_SECONDS,
    });
  }
};

export const createAdminTokens = (parts: AdminTokenParts): OwnAdminTokens => {
  const { configured, store, log } = parts;
  const hashOf = createTokenHash(parts.secretKey);
  const path = join(parts.dataDir, ADMIN_TOKEN_FILE);

  const setConfigured = async (secret: Secret): Promise<AgreedToken> => {
    const adminToken = revealAdminToken(secret);
    const hash = hashOf(adminToken);
    const outcome = await store.impose(hash);
    if (outcome === 'retired')
      throw secret.configError(
        'contains a token that "rollgate admin-token rotate" has replaced and that cannot become ' +
          'valid again. Configure another one, or none to keep the current one',
      );
    if (outcome.before !== undefined && outcome.before !== hash)
      log.warn({}, 'the configured admin token replaces the previous one on every gateway');
    return { adminToken, adminTokenPath: null, isNewToken: false };
  };

  /** The token in the file, or in one that a crash has left beside it, if it is valid. */
  const findStored = async (valid: string): Promise<AgreedToken> => {
    for (const pending of await findPendingFiles(path)) {
      if (hashOf(pending.text) === valid) await pending.promote();
    }
    const adminToken = await readPrivateFile(path, log);
    if (adminToken !== undefined && hashOf(adminToken) === valid)
      return { adminToken, adminTokenPath: path, isNewToken: false };
    if (adminToken !== undefined)
      log.warn({ path }, 'the admin token in this file is no longer valid; it was replaced');
    return UNKNOWN_HERE;
  };

  /** Proposes the stored token, or a new one; another gateway may be faster. */
  const propose = async (): Promise<AgreedToken> => {
    const stored = await readPrivateFile(path, log);
    const fault = stored === undefined ? undefined : adminTokenError(stored);
    if (fault !== undefined) throw new Error(`The admin token in ${path} ${fault}.`);
    const adminToken = stored ?? generateToken();
    const hash = hashOf(adminToken);
    // Stored before the database has its hash: an undisclosed token would lock operators out.
    const pending = stored === undefined ? await writePendingFile(path, adminToken) : undefined;
    if ((await store.propose(hash)) !== hash) {
      await pending?.discard();
      return UNKNOWN_HERE;
    }
    await pending?.promote();
    return { adminToken, adminTokenPath: path, isNewToken: pending !== undefined };
  };

  return {
    hashOf,
    findHash: store.find,
    agree: async () => {
      if (configured) return setConfigured(configured);
      const valid = await store.find();
      return valid === undefined ? propose() : findStored(valid);
    },
    rotate: async (from) => {
      const token = generateToken();
      const hash = hashOf(token);
      const pending = await storeNew(path, token);
      // The database may have applied the change although its response was lost.
      const isReplaced = await store
        .replace(from, hash)
        .catch(async () => (await store.find()) === hash);
      if (!isReplaced) {
        await pending.discard();
        return undefined;
      }
      await pending.promote();
      log.info({ path }, 'rotated the admin token; the old one no longer works on any gateway');
      return { token, path: resolve(path), wasConfigured: configured !== null };
    },
  };
};
