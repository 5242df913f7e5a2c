import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority, type Identity } from './authority.js';

/** The certificate of a local receiver, and the authority that a gateway must trust for it. */
export interface Certificates {
  readonly identity: Identity;
  /** A PEM file: the value of ROLLGATE_WEBHOOKS_CA. */
  readonly authorityPath: string;
}

/** The certificates that the gateway of `npm run dev` trusts. */
export const DEMO_CERTIFICATES = join('.rollgate-dev', 'certificates');

const DAY_MS = 86_400_000;

/** Reads the folder's certificates, or creates them if there are none or they expire soon. */
export const openCertificates = async (folder: string): Promise<Certificates> => {
  const paths = {
    authority: join(folder, 'authority.pem'),
    certificate: join(folder, 'receiver.pem'),
    key: join(folder, 'receiver-key.pem'),
  };
  const identity = (await readIdentity(paths)) ?? (await createIdentity(folder, paths));
  return { identity, authorityPath: paths.authority };
};

interface Paths {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

const readIdentity = async (paths: Paths): Promise<Identity | undefined> => {
  try {
    const certificate = await readFile(paths.certificate, 'utf8');
    const key = await readFile(paths.key, 'utf8');
    const { validTo } = new X509Certificate(certificate);
    return Date.parse(validTo) > Date.now() + DAY_MS ? { certificate, key } : undefined;
  } catch {
    return undefined;
  }
};

const createIdentity = async (folder: string, paths: Paths): Promise<Identity> => {
  const authority = await createAuthority('Rollgate demo');
  const identity = await authority.issue(['127.0.0.1', 'localhost']);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(paths.authority, authority.certificate);
  await writeFile(paths.certificate, identity.certificate);
  await writeFile(paths.key, identity.key, { mode: 0o600 });
  return identity;
};
