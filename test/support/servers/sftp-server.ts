import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import type { Cleanup } from '../../../tools/shared/cleanup.js';
import { openSoftware, type Software } from './debian-software.js';
import {
  giveToServer,
  LOOPBACK,
  runOnce,
  serverAccount,
  serverFolder,
  type ServerProcess,
  startServer,
  writeServerFile,
} from './server-process.js';

export interface SftpServer extends ServerProcess {
  readonly user: string;
  readonly password: string;
  /** The private key that the server accepts, in OpenSSH's format. */
  readonly privateKey: string;
  /** As `ssh-keygen -l` prints it: `SHA256:…`. */
  readonly fingerprint: string;
  /** The folder that a client sees first; tests read and write it directly. */
  readonly folder: string;
}

const USER = 'hr';
const PASSWORD = 'correct horse';
/** `openssl passwd -6` of the password. */
const PASSWORD_HASH =
  '$6$saltsalt$hRM5XZ86KXEw9UOmjigeVqFgULtFB2sgpC9lXQDfMib3Zgw7mEiUvBJI2EplzfAqxL5Vvwp2scFtv/uamSo5z0';

export const findSshd = (): Promise<Software | undefined> =>
  openSoftware({
    packages: ['openssh-server', 'openssh-client', 'libnss-wrapper'],
    files: ['/usr/sbin/sshd', '/usr/bin/ssh-keygen', '/usr/lib/x86_64-linux-gnu/libnss_wrapper.so'],
  });

/**
 * Starts OpenSSH's sshd, which serves one folder to one user. The user exists for this process only:
 * nss_wrapper answers its look-ups of accounts, as in the tests of libssh.
 */
export const startSftpServer = async (
  software: Software,
  cleanup: Cleanup,
): Promise<SftpServer> => {
  const home = await serverFolder('sftp', cleanup);
  const folder = join(home, 'drop');
  await mkdir(folder);
  await giveToServer(folder);
  const file = (name: string, text: string): Promise<string> => writeServerFile(home, name, text);
  const hostKey = join(home, 'host-key');
  const userKey = join(home, 'user-key');
  const uid = serverAccount();
  const accounts = await file('passwd', `${USER}:x:${uid}:${uid}:HR:${home}:/bin/sh\n`);
  const env = {
    ...software.env,
    LD_PRELOAD: 'libnss_wrapper.so',
    NSS_WRAPPER_PASSWD: accounts,
    NSS_WRAPPER_GROUP: await file('group', `${USER}:x:${uid}:\n`),
    NSS_WRAPPER_SHADOW: await file('shadow', `${USER}:${PASSWORD_HASH}:19000:0:99999:7:::\n`),
  };
  for (const path of [hostKey, userKey])
    await runOnce({
      command: software.path('/usr/bin/ssh-keygen'),
      args: ['-q', '-t', 'ed25519', '-N', '', '-C', USER, '-f', path],
      env,
    });
  const publicKey = await readFile(`${userKey}.pub`, 'utf8');
  const authorizedKeys = await file('authorized_keys', publicKey);
  const hostPublic = (await readFile(`${hostKey}.pub`, 'utf8')).split(' ')[1] ?? '';
  const server = await startServer(async (port) => {
    const config = await file(
      'sshd_config',
      [
        `Port ${port}`,
        `ListenAddress ${LOOPBACK}`,
        `HostKey ${hostKey}`,
        'PidFile none',
        `AuthorizedKeysFile ${authorizedKeys}`,
        'StrictModes no',
        'UsePAM no',
        'PasswordAuthentication yes',
        'AllowTcpForwarding no',
        'Subsystem sftp internal-sftp',
        `ForceCommand internal-sftp -d ${folder}`,
        '',
      ].join('\n'),
    );
    return { command: software.path('/usr/sbin/sshd'), args: ['-D', '-e', '-f', config], env };
  }, cleanup);
  return {
    ...server,
    user: USER,
    password: PASSWORD,
    privateKey: await readFile(userKey, 'utf8'),
    fingerprint: `SHA256:${createHash('sha256')
      .update(Buffer.from(hostPublic, 'base64'))
      .digest('base64')
      .replace(/=+$/, '')}`,
    folder,
  };
};
