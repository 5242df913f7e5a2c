import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/load-config.js';
import type { Secret } from '../config/secret.js';
import { adminTokenFault } from './domain/bearer-token.js';
import { createPrivateFile, readPrivateFile, type WarningLog } from './private-file.js';

/** Their names in the data folder. */
export const ADMIN_TOKEN_FILE = 'admin-token';
export const SECRET_KEY_FILE = 'secret-key';

const KEY_BYTES = 32;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** The key by which secrets are encrypted in the database. */
export interface SecretKey {
  /** 32 bytes. */
  readonly key: Buffer;
  /**
   * Stores a key that this start has made, in the data folder. Call it when nothing but the
   * database can refuse the start any more, and before anything is encrypted; returns how to take
   * the file away again.
   */
  readonly keep: () => Promise<() => Promise<void>>;
}

export interface SecretKeyOptions extends Pick<Config, 'dataDir' | 'secretKey'> {
  readonly log: WarningLog;
}

/**
 * The configured key, else that of the data folder, else a new one, which is stored nowhere yet.
 * Throws a ConfigError for a configured key that cannot be used, an Error with advice for a file
 * that was damaged.
 */
export const openSecretKey = async ({
  dataDir,
  secretKey,
  log,
}: SecretKeyOptions): Promise<SecretKey> => {
  if (secretKey !== null) return keptAlready(revealSecretKey(secretKey));
  const path = join(dataDir, SECRET_KEY_FILE);
  const text = await readPrivateFile(path, log);
  if (text === undefined) return newSecretKey(path);
  const key = parseSecretKey(text);
  if (key !== undefined) return keptAlready(key);
  throw new Error(
    `${path} is damaged: it must hold 32 bytes in base64. Restore it from a backup; ` +
      'without it the secrets in the database cannot be read.',
  );
};

const keptAlready = (key: Buffer): SecretKey => ({
  key,
  keep: () => Promise.resolve(() => Promise.resolve()),
});

const newSecretKey = (path: string): SecretKey => {
  const key = randomBytes(KEY_BYTES);
  return {
    key,
    keep: async () => {
      if (await createPrivateFile(path, key.toString('base64')))
        return () => rm(path, { force: true });
      throw new Error(`Another gateway has just made ${path}. Start this one again.`);
    },
  };
};

/** The configured admin token; throws a ConfigError for one that cannot be used. */
export const revealAdminToken = (secret: Secret): string => {
  const token = secret.reveal();
  const fault = adminTokenFault(token);
  if (fault === undefined) return token;
  throw secret.fault(fault);
};

/** The configured secret key; throws a ConfigError for one that cannot be used. */
export const revealSecretKey = (secret: Secret): Buffer => {
  const key = parseSecretKey(secret.reveal());
  if (key !== undefined) return key;
  throw secret.fault('expected 32 bytes in base64, as "openssl rand -base64 32" makes them');
};

/** The 32 bytes; undefined where the text is no such key. */
export const parseSecretKey = (text: string): Buffer | undefined => {
  if (!BASE64.test(text)) return undefined;
  const key = Buffer.from(text, 'base64');
  return key.length === KEY_BYTES ? key : undefined;
};
