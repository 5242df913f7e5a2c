import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cleanup } from '../../../tools/shared/cleanup.js';
import type { Identity } from '../../../tools/shared/authority.js';
import { openSoftware, type Software } from './debian-software.js';
import {
  giveToServer,
  LOOPBACK,
  runOnce,
  serverFolder,
  type ServerProcess,
  startServer,
  writeServerFile,
} from './server-process.js';

export const LDAP_SUFFIX = 'dc=example,dc=com';
export const LDAP_ADMIN = { dn: `cn=admin,${LDAP_SUFFIX}`, password: 'secret' };

export interface LdapOptions {
  /** Entries to start with. */
  readonly ldif: string;
  /** Lines for the database's section of slapd.conf. */
  readonly config?: string;
  /** Definitions of attributes and classes, for slapd.conf. */
  readonly schema?: string;
  /** For StartTLS, or LDAPS if the scheme says so. */
  readonly identity?: Identity;
  readonly scheme?: 'ldap' | 'ldaps';
}

export interface LdapServer extends ServerProcess {
  readonly url: string;
}

export const findSlapd = (): Promise<Software | undefined> =>
  openSoftware({
    packages: ['slapd'],
    files: ['/usr/sbin/slapd', '/usr/lib/ldap/back_mdb.so', '/etc/ldap/schema/core.schema'],
  });

/** Starts OpenLDAP's slapd with a directory of its own. */
export const startLdapServer = async (
  software: Software,
  cleanup: Cleanup,
  { ldif, config = '', schema = '', identity, scheme = 'ldap' }: LdapOptions,
): Promise<LdapServer> => {
  const folder = await serverFolder('ldap', cleanup);
  const database = join(folder, 'db');
  await mkdir(database);
  await giveToServer(database);
  const file = (name: string, text: string): Promise<string> => writeServerFile(folder, name, text);
  const tls = identity && [
    `TLSCertificateFile ${await file('certificate.pem', identity.certificate)}`,
    `TLSCertificateKeyFile ${await file('key.pem', identity.key)}`,
  ];
  const configFile = await file(
    'slapd.conf',
    [
      ...['core', 'cosine', 'nis', 'inetorgperson'].map(
        (name) => `include ${software.path(`/etc/ldap/schema/${name}.schema`)}`,
      ),
      schema,
      `modulepath ${software.path('/usr/lib/ldap')}`,
      'moduleload back_mdb',
      ...(tls ?? []),
      'database mdb',
      `suffix "${LDAP_SUFFIX}"`,
      `rootdn "${LDAP_ADMIN.dn}"`,
      `rootpw ${LDAP_ADMIN.password}`,
      `directory ${database}`,
      'maxsize 268435456',
      'dbnosync',
      'index objectClass,uid,entryUUID,modifyTimestamp eq',
      config,
      '',
    ].join('\n'),
  );
  const slapd = { command: software.path('/usr/sbin/slapd'), env: software.env };
  const seed = await file('seed.ldif', ldif);
  // slapadd is slapd by another name.
  await runOnce({ ...slapd, args: ['-Tadd', '-q', '-f', configFile, '-l', seed] });
  const server = await startServer(
    (port) => ({
      ...slapd,
      args: ['-f', configFile, '-h', `${scheme}://${LOOPBACK}:${port}/`, '-d', '0'],
    }),
    cleanup,
  );
  return { ...server, url: `${scheme}://${LOOPBACK}:${server.port}` };
};
