import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../config/load-config.js';
import type { Secret } from '../config/secret.js';
import { openPrivateFile, type PrivateText, type WarningLog } from './private-file.js';

export interface LocalSecretsOptions extends Pick<Config, 'dataDir' | 'adminToken' | 'secretKey'> {
  readonly log: WarningLog;
}

/** What the gateway itself must keep secret. */
export interface LocalSecrets {
  /** Operators' bearer token. */
  readonly adminToken: string;
  /** The file to find it in; null where the operator set it and so knows it. */
  readonly adminTokenPath: string | null;
  /** 32 bytes. */
  readonly secretKey: Buffer;
  /** The token was made by this start: the moment to say where it is. */
  readonly madeNow: boolean;
}

/** Their names in the data folder. */
export const ADMIN_TOKEN_FILE = 'admin-token';
export const SECRET_KEY_FILE = 'secret-key';

const KEY_BYTES = 32;
/** A token of fewer characters may be guessed. */
export const SHORT_TOKEN = 16;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * The configured secrets, else those of the data folder, made there at first start for the owner's
 * eyes only. Throws a ConfigError for a configured secret that cannot be used, an Error with advice
 * for a file that was damaged.
 */
export const openLocalSecrets = async (options: LocalSecretsOptions): Promise<LocalSecrets> => {
  const token = await openAdminToken(options);
  return { ...token, secretKey: await openSecretKey(options) };
};

const openAdminToken = async (
  options: LocalSecretsOptions,
): Promise<Omit<LocalSecrets, 'secretKey'>> => {
  const { adminToken, log } = options;
  if (adminToken !== null) {
    const value = revealAdminToken(adminToken);
    if (value.length < SHORT_TOKEN) {
      log.warn({}, `The admin token has fewer than ${SHORT_TOKEN} characters and may be guessed`);
    }
    return { adminToken: value, adminTokenPath: null, madeNow: false };
  }
  const make = (): string => `rgadm_${randomBytes(KEY_BYTES).toString('base64url')}`;
  const { path, text, madeNow } = await openFile(ADMIN_TOKEN_FILE, make, options);
  return { adminToken: text, adminTokenPath: path, madeNow };
};

/** The configured admin token; throws a ConfigError for one that cannot be used. */
export const revealAdminToken = (secret: Secret): string => {
  const token = secret.reveal();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw secret.fault('it travels in a header, so it must be visible ASCII without spaces');
};

/** The configured secret key; throws a ConfigError for one that cannot be used. */
export const revealSecretKey = (secret: Secret): Buffer => {
  const key = parseSecretKey(secret.reveal());
  if (key !== undefined) return key;
  throw secret.fault('expected 32 bytes in base64, as "openssl rand -base64 32" makes them');
};

const openSecretKey = async (options: LocalSecretsOptions): Promise<Buffer> => {
  const { secretKey } = options;
  if (secretKey !== null) return revealSecretKey(secretKey);
  const make = (): string => randomBytes(KEY_BYTES).toString('base64');
  const { path, text } = await openFile(SECRET_KEY_FILE, make, options);
  const key = parseSecretKey(text);
  if (key !== undefined) return key;
  throw new Error(
    `${path} is damaged: it must hold 32 bytes in base64. Restore it from a backup; ` +
      'without it the secrets in the database cannot be read.',
  );
};

/** The 32 bytes; undefined where the text is no such key. */
export const parseSecretKey = (text: string): Buffer | undefined => {
  if (!BASE64.test(text)) return undefined;
  const key = Buffer.from(text, 'base64');
  return key.length === KEY_BYTES ? key : undefined;
};

interface OpenedFile extends PrivateText {
  readonly path: string;
}

const openFile = async (
  name: string,
  make: () => string,
  { dataDir, log }: LocalSecretsOptions,
): Promise<OpenedFile> => {
  const path = join(dataDir, name);
  return { path, ...(await openPrivateFile(path, make, log)) };
};
