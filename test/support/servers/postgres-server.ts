import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Identity } from '../../../tools/shared/authority.js';
import type { Cleanup } from '../../../tools/shared/cleanup.js';
import { openSoftware, type Software } from './debian-software.js';
import {
  LOOPBACK,
  runOnce,
  serverFolder,
  type ServerProcess,
  startServer,
  writeServerFile,
} from './server-process.js';

export interface SqlServer extends ServerProcess {
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

const VERSIONS = '/usr/lib/postgresql';

/** The folder of the newest version below this one. */
const newestIn = (folder: string): string | undefined => {
  try {
    const versions = readdirSync(folder).sort((a, b) => Number(b) - Number(a));
    return versions[0];
  } catch {
    return undefined;
  }
};

export const findPostgres = (): Promise<Software | undefined> =>
  openSoftware({
    packages: ['postgresql'],
    files: [`${VERSIONS}/${newestIn(VERSIONS) ?? '0'}/bin/initdb`],
  });

/** Starts PostgreSQL with a new cluster. */
export const startPostgres = async (
  software: Software,
  cleanup: Cleanup,
  identity?: Identity,
): Promise<SqlServer> => {
  const folder = await serverFolder('postgres', cleanup);
  const data = join(folder, 'data');
  const versions = software.path(VERSIONS);
  const bin = join(versions, newestIn(versions) ?? '', 'bin');
  const login = { user: 'hr', password: 'pg secret', database: 'postgres' };
  const file = (name: string, text: string): Promise<string> => writeServerFile(folder, name, text);
  const passwordFile = await file('password', login.password);
  await runOnce({
    command: join(bin, 'initdb'),
    args: [
      ...['-D', data, '-U', login.user, '-A', 'scram-sha-256', '--pwfile', passwordFile],
      ...['-E', 'UTF8', '--locale', 'C', '--no-sync', '--no-instructions'],
    ],
    env: software.env,
  });
  const tls = identity && [
    ...['-c', 'ssl=on'],
    ...['-c', `ssl_cert_file=${await file('certificate.pem', identity.certificate)}`],
    ...['-c', `ssl_key_file=${await file('key.pem', identity.key)}`],
  ];
  const server = await startServer(
    (port) => ({
      command: join(bin, 'postgres'),
      args: [
        ...['-D', data, '-p', String(port), '-k', folder, '-c', `listen_addresses=${LOOPBACK}`],
        ...['-c', 'fsync=off', '-c', 'jit=off', ...(tls ?? [])],
      ],
      env: software.env,
      ready: /ready to accept connections/,
    }),
    cleanup,
  );
  return { ...server, ...login };
};
