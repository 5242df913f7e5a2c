import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../ports/telemetry.js';
import type { SignInStores } from '../ports/operators.js';
import { browserUrlOf } from '../../config/is-loopback.js';
import { hashSecret, newSecret } from '../http/access/credentials.js';
import { SETUP_LINK_FILE } from '../secrets/local-secrets.js';
import { readPrivateFile, writePendingFile } from '../secrets/private-file.js';

export interface SetupLinkParts {
  readonly dataDir: string;
  readonly signIn: Pick<SignInStores, 'operators' | 'links'>;
  readonly publicUrl: string;
  /** The database's clock. */
  readonly now: () => Date;
  readonly log: Pick<Log, 'warn'>;
}

/** The link that creates the first owner. */
export interface SetupLink {
  readonly setupUrl: string;
  /** The file that contains it; null if it could not be written. */
  readonly setupPath: string | null;
}

const LIFETIME_MS = 24 * 3_600_000;

const pathIn = (dataDir: string): string => join(dataDir, SETUP_LINK_FILE);

const urlOf = (publicUrl: string, secret: string): string =>
  `${browserUrlOf(publicUrl)}/dashboard/setup#${secret}`;

/** The link of an earlier start, if it still works. */
const findStored = async ({
  dataDir,
  signIn,
  publicUrl,
  log,
}: SetupLinkParts): Promise<SetupLink | undefined> => {
  const path = pathIn(dataDir);
  const secret = (await readPrivateFile(path, log))?.split('#')[1];
  if (secret === undefined || !(await signIn.links.find(hashSecret(secret)))) return undefined;
  return { setupUrl: urlOf(publicUrl, secret), setupPath: path };
};

/**
 * The one-time link by which the first owner signs in; undefined once an operator was created. The
 * secret is after `#`, which browsers send to no server and proxies do not log.
 */
export const offerSetupLink = async (parts: SetupLinkParts): Promise<SetupLink | undefined> => {
  const { dataDir, signIn, publicUrl, now, log } = parts;
  const path = pathIn(dataDir);
  if (await signIn.operators.exist()) {
    await rm(path, { force: true }).catch(() => undefined);
    return undefined;
  }
  const stored = await findStored(parts).catch(() => undefined);
  if (stored) return stored;
  const secret = newSecret();
  const setupUrl = urlOf(publicUrl, secret);
  await signIn.links.create({
    kind: 'first-owner',
    hash: hashSecret(secret),
    expiresAt: new Date(now().getTime() + LIFETIME_MS),
  });
  try {
    await (await writePendingFile(path, setupUrl)).promote();
    return { setupUrl, setupPath: path };
  } catch (error) {
    // A read-only data folder: the admin token is configured then, and can create operators.
    log.warn({ err: error, path }, 'cannot store the setup link');
    return { setupUrl, setupPath: null };
  }
};
