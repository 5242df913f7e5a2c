import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority, type Identity } from './authority.js';

/** What the demo's receiver shows, and the file by which a gateway trusts it. */
export interface Certificates {
  readonly identity: Identity;
  /** PEM: the value of ROLLGATE_WEBHOOKS_CA. */
  readonly authorityPath: string;
}

/** Where `npm run dev` keeps those that its gateway trusts. */
export const DEMO_CERTIFICATES = join('.rollgate-dev', 'certificates');

const A_DAY = 86_400_000;

/** Those of the folder while they last, else new ones: a gateway that runs already keeps its trust. */
export const openCertificates = async (folder: string): Promise<Certificates> => {
  const paths = {
    authority: join(folder, 'authority.pem'),
    certificate: join(folder, 'receiver.pem'),
    key: join(folder, 'receiver-key.pem'),
  };
  const kept = await readKept(paths.certificate, paths.key);
  const identity = kept ?? (await makeNew(folder, paths));
  return { identity, authorityPath: paths.authority };
};

const readKept = async (certificate: string, key: string): Promise<Identity | undefined> => {
  try {
    const identity = {
      certificate: await readFile(certificate, 'utf8'),
      key: await readFile(key, 'utf8'),
    };
    const { validTo } = new X509Certificate(identity.certificate);
    return Date.parse(validTo) > Date.now() + A_DAY ? identity : undefined;
  } catch {
    return undefined;
  }
};

const makeNew = async (
  folder: string,
  paths: { readonly authority: string; readonly certificate: string; readonly key: string },
): Promise<Identity> => {
  const authority = await createAuthority('Rollgate demo authority');
  const identity = await authority.issue(['127.0.0.1', 'localhost']);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(paths.authority, authority.certificate);
  await writeFile(paths.certificate, identity.certificate);
  await writeFile(paths.key, identity.key, { mode: 0o600 });
  return identity;
};
