import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  parseSecretKey,
  SECRET_KEY_FILE,
  createTokenHash,
  ADMIN_TOKEN_FILE,
  SETUP_LINK_FILE,
} from '../../secrets/local-secrets.js';
import { createSecretBox } from '../../plugin/host/secret-box.js';
import { isRetiredToken, isSealedUnder } from '../../store/shared-secrets.js';
import {
  type DoctorContext,
  type AdminToken,
  type GatewayAccess,
  type GatewayAddress,
  inaccessible,
  isMissing,
  type Check,
  type CheckResult,
  fail,
  ok,
  reveal,
  skip,
  unlessSkipped,
  warn,
} from '../check.js';
import { adminTokenError } from '../../domain/kernel/bearer-token.js';
import { requestGateway } from '../request-gateway.js';
import { MONGOD_KEY_FILE } from '../../store/embedded/mongod-settings.js';

/** Files in the data folder that only their owner may read. */
export const SECRET_FILES = [
  ADMIN_TOKEN_FILE,
  SECRET_KEY_FILE,
  SETUP_LINK_FILE,
  MONGOD_KEY_FILE,
] as const;

/** The permission bits of group and others. */
export const OTHERS_MASK = 0o077;

/** `644` */
export const modeText = (mode: number): string => (mode & 0o777).toString(8);

/** The secret key is valid, and decrypts the database's secrets. */
export const checkSecretKey: Check = async (context) => {
  const { from, text } = await findKey(context);
  if (text === undefined) return evaluateMissingKey(await matchDatabase(context, randomBytes(32)));
  const key = parseSecretKey(text);
  if (key === undefined)
    return fail(
      `The secret key ${from} is not 32 bytes in base64.`,
      'Restore it from a backup. If nothing is encrypted yet, create one: openssl rand -base64 32',
    );
  return evaluateKey(from, await matchDatabase(context, key));
};

/** The key; undefined if there is none, or none that can be used. */
const readSecretKey = async (context: DoctorContext): Promise<Buffer | undefined> => {
  const { text } = await findKey(context);
  return text === undefined ? undefined : parseSecretKey(text);
};

interface FoundKey {
  /** `in .rollgate/secret-key`, `in the configuration` */
  readonly from: string;
  /** Undefined if there is none. */
  readonly text: string | undefined;
}

const findKey = async ({ config, dataDir }: DoctorContext): Promise<FoundKey> => {
  const { secretKey } = config();
  if (secretKey !== null)
    return { text: reveal(secretKey, 'secretKey'), from: 'in the configuration' };
  const path = join(dataDir(), SECRET_KEY_FILE);
  const text = await readFile(path, 'utf8').catch((error: unknown) =>
    isMissing(error) ? undefined : inaccessible(path, error),
  );
  return { text: text?.trim(), from: `in ${path}` };
};

/** Whether the key is the database's; null if it has none yet, undefined without a database. */
type KeyMatch = boolean | null | undefined;

const matchDatabase = ({ database }: DoctorContext, key: Buffer): Promise<KeyMatch> =>
  unlessSkipped(async () => isSealedUnder((await database()).database, createSecretBox(key)));

const SAME_KEY =
  'All gateways of a database need the same key: set ROLLGATE_SECRET_KEY, or copy the file ' +
  "secret-key from another gateway's data folder.";

const evaluateKey = (from: string, match: KeyMatch): CheckResult => {
  if (match === true) return ok(`The secret key ${from} decrypts the database's secrets.`);
  if (match === null) return ok(`The secret key ${from} is valid; nothing is encrypted yet.`);
  if (match === undefined)
    return ok(`The secret key ${from} is valid; there is no database to verify it against.`);
  return fail(
    `The database's secrets are encrypted with another key than the one ${from}.`,
    SAME_KEY,
  );
};

const evaluateMissingKey = (match: KeyMatch): CheckResult =>
  match === false
    ? fail("The database's secrets are encrypted with a key that is missing here.", SAME_KEY)
    : skip('No secret key yet; the first start creates one.');

/** The admin token exists, is strong enough, and is accepted by the running gateway. */
export const checkAdminToken: Check = async (context) => {
  const { token, address } = context.gateway;
  const result = await evaluateToken(token, address);
  return result.status === 'OK' && (await isRetired(context)) ? retired() : result;
};

const evaluateToken = async (
  token: GatewayAccess['token'],
  address: GatewayAccess['address'],
): Promise<CheckResult> => {
  if ('missing' in token) return skip(token.missing);
  const fault = adminTokenError(token.value);
  if (fault !== undefined)
    return fail(`The admin token (${token.from}) ${fault}.`, 'No gateway accepts it. Replace it.');
  if ('missing' in address) return notVerified(token, address.missing);
  if (!address.isConfidential)
    return notVerified(token, `It is not sent unencrypted to ${new URL(address.url).hostname}.`);
  return verifyToken(address, token);
};

/** Whether a rotation has replaced the configured token: a gateway does not start with it. */
const isRetired = async (context: DoctorContext): Promise<boolean> => {
  const answer = await unlessSkipped(async () => {
    const { adminToken } = context.config();
    const key = await readSecretKey(context);
    if (adminToken === null || key === undefined) return false;
    const { database } = await context.database();
    return isRetiredToken(database, createTokenHash(key)(reveal(adminToken, 'adminToken')));
  });
  return answer === true;
};

const retired = (): CheckResult =>
  fail(
    'The configured admin token is one that "rollgate admin-token rotate" has replaced.',
    'Configure another one, or none to keep the current one; the gateway does not start until then.',
  );

const notVerified = ({ from }: AdminToken, reason: string): CheckResult =>
  ok(`Admin token found (${from}), not verified. ${reason}`, { from });

const verifyToken = async (
  { url }: GatewayAddress,
  { value, from }: AdminToken,
): Promise<CheckResult> => {
  const response = await requestGateway(`${url}/admin/v1/tenants?limit=1`, {
    accept: 'application/json',
    authorization: `Bearer ${value}`,
  });
  if ('fault' in response) return notVerified({ value, from }, 'No gateway is running.');
  const details = { from, url, status: response.status };
  if (response.status === 200)
    return ok(`The gateway at ${url} accepts the admin token (${from}).`, details);
  if (response.status === 401)
    return fail(
      `The gateway at ${url} does not accept the admin token (${from}).`,
      'It was replaced, or belongs to another database. Pass the valid one with ROLLGATE_ADMIN_TOKEN or --token.',
      details,
    );
  return warn(
    `The gateway at ${url} returned ${response.status} for the admin token (${from}).`,
    'See the check "gateway".',
    details,
  );
};

interface SecretFile {
  readonly name: string;
  readonly size: number;
  readonly mode: number;
}

/** The secret files in the data folder are not empty, and readable by their owner only. */
export const checkSecretFiles: Check = async (context) => {
  if (!context.usesDataDir()) return skip('Not used: database and secrets are configured.');
  const folder = context.dataDir();
  const read = SECRET_FILES.map((name) => readSecretFile(folder, name));
  const files = (await Promise.all(read)).flatMap((file) => file ?? []);
  if (files.length === 0)
    return skip(`${folder} contains no secrets yet; the first start creates them.`);
  const modes = files.map(({ name, mode }) => [name, modeText(mode)]);
  const details = { path: folder, modes: Object.fromEntries(modes) as Record<string, string> };

  const empty = files.filter(({ size }) => size === 0);
  if (empty.length > 0)
    return fail(
      `Empty files in ${folder}: ${namesOf(empty)}.`,
      'Restore them from a backup. Without the secret key, what it encrypts is lost.',
      details,
    );
  const open = files.filter(
    ({ mode }) => process.platform !== 'win32' && (mode & OTHERS_MASK) !== 0,
  );
  if (open.length > 0)
    return warn(
      `Readable by other accounts in ${folder}: ${namesOf(open)}.`,
      `chmod 600 ${open.map(({ name }) => join(folder, name)).join(' ')}; then replace these secrets.`,
      details,
    );
  return ok(`Readable by their owner only in ${folder}: ${namesOf(files)}.`, details);
};

const readSecretFile = async (folder: string, name: string): Promise<SecretFile | undefined> => {
  try {
    const { size, mode } = await stat(join(folder, name));
    return { name, size, mode };
  } catch (error) {
    return isMissing(error) ? undefined : inaccessible(folder, error);
  }
};

const namesOf = (files: readonly SecretFile[]): string => files.map(({ name }) => name).join(', ');
