import { createHash } from 'node:crypto';
import { type ConnectorHost, optionalLibrary, SourceError } from '../../src/plugin/api.js';
import type { FileEntry, Folder } from './folder.js';
import type { SftpSettings } from './settings.js';

const CONNECT_TIMEOUT_MS = 20_000;
/** Dead connections are found after a minute. */
const KEEP_ALIVE = { keepaliveInterval: 20_000, keepaliveCountMax: 3 };

/** Signs in to an SFTP server whose host key is one of the pinned ones. */
export const openSftpFolder = async (
  settings: SftpSettings,
  host: Pick<ConnectorHost, 'network' | 'log'>,
  signal: AbortSignal,
): Promise<Folder> => {
  const { default: SftpClient } = await optionalLibrary(
    'ssh2-sftp-client',
    () => import('ssh2-sftp-client'),
  );
  const title = `${settings.host}:${settings.port}`;
  const socket = await host.network.connect({ host: settings.host, port: settings.port, signal });
  socket.setNoDelay(true);
  // Until the library listens.
  socket.on('error', () => undefined);
  let presented = '';
  const client = new SftpClient('rollgate', {
    // Without these, the library prints to the console.
    error: () => undefined,
    end: () => undefined,
    close: () => undefined,
  });
  const abort = (): void => void socket.destroy();
  signal.addEventListener('abort', abort, { once: true });
  const close = async (): Promise<void> => {
    signal.removeEventListener('abort', abort);
    const ended = client.end().catch(() => undefined);
    // A server may take a second to close its side.
    socket.destroySoon();
    await ended;
  };
  try {
    signal.throwIfAborted();
    await client.connect({
      sock: socket,
      username: settings.user,
      readyTimeout: CONNECT_TIMEOUT_MS,
      ...KEEP_ALIVE,
      ...credentials(settings),
      hostVerifier: (key: Buffer) => {
        presented = fingerprintOf(key);
        return settings.fingerprint.some((pinned) => withoutPadding(pinned) === presented);
      },
    });
  } catch (error) {
    socket.destroy();
    await close();
    signal.throwIfAborted();
    throw describeConnectFault(error, settings, presented);
  }
  const base = settings.folder.replace(/\/+$/, '') || '/';
  const pathOf = (name: string): string => `${base === '/' ? '' : base}/${name}`;
  const attempt = async <Result>(work: () => Promise<Result>, path: string): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      throw describeFault(error, `${title}, ${path}`);
    }
  };
  return {
    title: `${title} ${base}`,
    hasOurClock: false,
    list: async (subfolder) => {
      const path = subfolder === undefined ? base : pathOf(subfolder);
      if (subfolder !== undefined && (await attempt(() => client.exists(path), path)) === false)
        return [];
      const entries = await attempt(() => client.list(path), path);
      return (
        entries
          // A link is followed by the server, with the rights of this account.
          .filter(({ type }) => type === '-' || type === 'l')
          .map(({ name, size, modifyTime }): FileEntry => ({ name, size, modifiedAt: modifyTime }))
      );
    },
    read: (name) => {
      const stream = client.createReadStream(pathOf(name));
      // It fails again if the connection ends while it closes.
      stream.on('error', () => undefined);
      return Promise.resolve(stream);
    },
    makeFolder: async (name) => {
      const path = pathOf(name);
      await attempt(async () => {
        if ((await client.exists(path)) === false) await client.mkdir(path);
      }, path);
    },
    move: async (from, to) => {
      await attempt(() => client.rename(pathOf(from), pathOf(to)), pathOf(from));
    },
    close,
  };
};

const credentials = ({ password, privateKey, passphrase }: SftpSettings) => ({
  ...(password && { password: password.reveal() }),
  ...(privateKey && { privateKey: privateKey.reveal() }),
  ...(passphrase && { passphrase: passphrase.reveal() }),
});

const withoutPadding = (fingerprint: string): string => fingerprint.replace(/=+$/, '');

/** As `ssh-keygen -l` prints it. */
const fingerprintOf = (key: Buffer): string =>
  withoutPadding(`SHA256:${createHash('sha256').update(key).digest('base64')}`);

const describeConnectFault = (
  error: unknown,
  { host, port, user, fingerprint }: SftpSettings,
  presented: string,
): SourceError => {
  const { message } = error as Error;
  if (error instanceof SourceError) return error;
  if (presented !== '' && !fingerprint.some((pinned) => withoutPadding(pinned) === presented))
    return new SourceError(
      'config',
      `The host key of ${host}:${port} is ${presented}, which is not in \`sftp.fingerprint\`. ` +
        'Nothing was sent. Ask the operator of the server whether the key was replaced, and set ' +
        'its fingerprint if so; otherwise, another machine answers at this address.',
      { cause: error },
    );
  if (/privateKey|private key|passphrase|key format/i.test(message))
    return new SourceError(
      'config',
      'The private key cannot be used: set `sftp.privateKey` to a key in OpenSSH or PEM format, ' +
        'and `sftp.passphrase` if it has one.',
    );
  if (/authentication/i.test(message))
    return new SourceError(
      'auth',
      `The server ${host}:${port} refused to sign in ${user}. Check the user and the password or key.`,
      { cause: error },
    );
  return new SourceError('network', `Cannot connect to ${host}:${port}: ${message}.`, {
    cause: error,
  });
};

const describeFault = (error: unknown, place: string): SourceError => {
  if (error instanceof SourceError) return error;
  const { message, code } = error as { message: string; code?: string | number };
  if (/no such file|does not exist/i.test(message) || code === 2)
    return new SourceError('config', `There is no such file or folder: ${place}.`, {
      cause: error,
    });
  if (/permission denied/i.test(message) || code === 3)
    return new SourceError('permission', `The server allows no access to ${place}.`, {
      cause: error,
    });
  return new SourceError('network', `Reading ${place} failed: ${message}.`, { cause: error });
};
