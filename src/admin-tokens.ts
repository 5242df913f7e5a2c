import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Secret } from '../config/secret.js';
import type { AdminTokens } from './api/admin-token.js';
import type { Log } from './api/log.js';
import { adminTokenFault } from './domain/bearer-token.js';
import { raise } from './domain/refusals.js';
import { ADMIN_TOKEN_FILE, revealAdminToken } from './local-secrets.js';
import { findPendingFiles, readPrivateFile, writePendingFile } from './private-file.js';
import type { AdminTokenStore } from './store/admin-token.js';

export interface AdminTokenParts {
  /** By the operator; null: generated at the database's first start. */
  readonly configured: Secret | null;
  readonly dataDir: string;
  readonly store: AdminTokenStore;
  /** The gateway's secret key, of which one for this purpose is derived. */
  readonly secretKey: Uint8Array;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** The token that a start has settled on, as far as this gateway knows it. */
export interface AgreedToken {
  /** Empty where another gateway, or a rotation elsewhere, has set it: then only its hash is known. */
  readonly adminToken: string;
  /** The file that holds it; null where the operator gave it, or where it is not known here. */
  readonly adminTokenPath: string | null;
  /** It was made by this start: the moment to say where it is. */
  readonly madeNow: boolean;
}

export interface OwnAdminTokens extends AdminTokens {
  /**
   * Settles with the other gateways of the database on one token (decision 0020). Throws a
   * ConfigError for a configured token that a rotation has replaced.
   */
  readonly agree: () => Promise<AgreedToken>;
}

/** RFC 5869: separates this key from others derived from the same secret. */
const PURPOSE = 'rollgate: hash of the admin token';
const KEY_BYTES = 32;
/** As long as a database that is briefly away needs. */
const RETRY_SECONDS = 5;

const ELSEWHERE: AgreedToken = { adminToken: '', adminTokenPath: null, madeNow: false };

const makeToken = (): string => `rgadm_${randomBytes(KEY_BYTES).toString('base64url')}`;

export const createAdminTokens = (parts: AdminTokenParts): OwnAdminTokens => {
  const { configured, store, log } = parts;
  const key = Buffer.from(hkdfSync('sha256', parts.secretKey, '', PURPOSE, KEY_BYTES));
  const hashOf = (token: string): string => createHmac('sha256', key).update(token).digest('hex');
  const path = join(parts.dataDir, ADMIN_TOKEN_FILE);

  const imposeConfigured = async (secret: Secret): Promise<AgreedToken> => {
    const adminToken = revealAdminToken(secret);
    const hash = hashOf(adminToken);
    const imposed = await store.impose(hash);
    if (imposed === 'retired')
      throw secret.fault(
        'holds a token that "rollgate admin-token rotate" has replaced: it stays dead. Configure ' +
          'another one, or none, to keep the one that is valid now',
      );
    if (imposed.before !== undefined && imposed.before !== hash)
      log.warn({}, 'the configured admin token replaces the one before on every gateway');
    return { adminToken, adminTokenPath: null, madeNow: false };
  };

  /** The file, or what a crash has left beside it, where it holds the valid token. */
  const findOwn = async (valid: string): Promise<AgreedToken> => {
    for (const pending of await findPendingFiles(path)) {
      if (hashOf(pending.text) === valid) await pending.promote();
    }
    const adminToken = await readPrivateFile(path, log);
    if (adminToken !== undefined && hashOf(adminToken) === valid)
      return { adminToken, adminTokenPath: path, madeNow: false };
    if (adminToken !== undefined)
      log.warn({ path }, 'the admin token in this file is not valid any more: it was replaced');
    return ELSEWHERE;
  };

  /** The token of the data folder, else a new one; another gateway may come first. */
  const proposeOwn = async (): Promise<AgreedToken> => {
    const there = await readPrivateFile(path, log);
    const fault = there === undefined ? undefined : adminTokenFault(there);
    if (fault !== undefined) throw new Error(`The admin token in ${path} ${fault}.`);
    const adminToken = there ?? makeToken();
    const hash = hashOf(adminToken);
    // Before the database stores it: a token that no operator has would lock every operator out.
    const pending = there === undefined ? await writePendingFile(path, adminToken) : undefined;
    if ((await store.propose(hash)) !== hash) {
      await pending?.discard();
      return ELSEWHERE;
    }
    await pending?.promote();
    return { adminToken, adminTokenPath: path, madeNow: pending !== undefined };
  };

  const writePending = async (token: string) => {
    try {
      return await writePendingFile(path, token);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      return raise(
        'UNAVAILABLE',
        `The new token cannot be stored, so nothing has changed. ${why}`,
        { retryAfter: RETRY_SECONDS },
      );
    }
  };

  return {
    hashOf,
    findHash: store.find,
    agree: async () => {
      if (configured) return imposeConfigured(configured);
      const valid = await store.find();
      return valid === undefined ? proposeOwn() : findOwn(valid);
    },
    rotate: async (from) => {
      const token = makeToken();
      const hash = hashOf(token);
      const pending = await writePending(token);
      // The answer may be lost, and the change be made: then the database says so.
      const isReplaced = await store
        .replace(from, hash)
        .catch(async () => (await store.find()) === hash);
      if (!isReplaced) {
        await pending.discard();
        return undefined;
      }
      await pending.promote();
      log.info({ path }, 'the admin token was rotated; the old one is dead on every gateway');
      return { token, path: resolve(path), wasConfigured: configured !== null };
    },
  };
};
