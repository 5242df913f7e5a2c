import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Identity } from '../../../tools/shared/authority.js';
import type { Cleanup } from '../../../tools/shared/cleanup.js';
import { openSoftware, type Software } from './debian-software.js';
import {
  giveToServer,
  serverFolder,
  type ServerProcess,
  startServer,
  writeServerFile,
} from './server-process.js';

export const findNginx = (): Promise<Software | undefined> =>
  openSoftware({ packages: ['nginx'], files: ['/usr/sbin/nginx'] });

interface NginxOptions {
  /** nginx.conf, for this port and a folder that it may write to. */
  readonly config: (place: { readonly port: number; readonly folder: string }) => string;
  readonly identity: Identity;
}

/** Starts nginx; its certificate is `certificates/tls.crt` and `tls.key` in its folder. */
export const startNginxServer = async (
  software: Software,
  cleanup: Cleanup,
  { config, identity }: NginxOptions,
): Promise<ServerProcess> => {
  const folder = await serverFolder('nginx', cleanup);
  for (const name of ['certificates', 'tmp']) {
    await mkdir(join(folder, name));
    await giveToServer(join(folder, name));
  }
  await writeServerFile(folder, 'certificates/tls.crt', identity.certificate);
  await writeServerFile(folder, 'certificates/tls.key', identity.key);
  return startServer(async (port) => {
    const file = await writeServerFile(folder, 'nginx.conf', config({ port, folder }));
    return {
      command: software.path('/usr/sbin/nginx'),
      args: ['-p', folder, '-e', 'stderr', '-c', file, '-g', 'daemon off; master_process off;'],
      env: software.env,
    };
  }, cleanup);
};
