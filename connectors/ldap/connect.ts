import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, rootCertificates } from 'node:tls';
import type { Client } from 'ldapts';
import {
  type ConnectorHost,
  optionalLibrary,
  readCaFile,
  SourceError,
} from '../../src/plugin/api.js';
import { describeFault } from './describe-fault.js';
import type { LdapSettings } from './settings.js';

/** A connection that is signed in. */
export interface Connection {
  readonly client: Client;
  readonly close: () => Promise<void>;
}

const TIMEOUT_MS = 60_000;
const PORTS = { 'ldap:': 389, 'ldaps:': 636 } as const;

/** Loads the library, which is only installed where LDAP is used. */
export const loadLdapts = () => optionalLibrary('ldapts', () => import('ldapts'));

/** Connects through the address guard, encrypts, and signs in. */
export const openConnection = async (
  settings: LdapSettings,
  host: Pick<ConnectorHost, 'network'>,
  signal: AbortSignal,
): Promise<Connection> => {
  const { Client } = await loadLdapts();
  const { hostname, protocol, port } = new URL(settings.url);
  const name = hostname.replace(/^\[|\]$/g, '');
  const isLdaps = protocol.toLowerCase() === 'ldaps:';
  const tls = tlsOptions(settings, name);
  const socket = await host.network.connect({
    host: name,
    port: port === '' ? PORTS[isLdaps ? 'ldaps:' : 'ldap:'] : Number(port),
    signal,
  });
  // Until the library listens.
  socket.on('error', () => undefined);
  const abort = (): void => void socket.destroy();
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    const transport = isLdaps ? await encrypt(socket, tls) : socket;
    let isUsed = false;
    const client = new Client({
      // The transport is ours; the library must neither resolve nor dial.
      url: `ldap://${hostname}`,
      timeout: TIMEOUT_MS,
      strictDN: false,
      createConnection: () => {
        // A second connection would not be signed in, and continue a search with less to see.
        if (isUsed) throw new SourceError('network', 'The server closed the connection.');
        isUsed = true;
        return transport;
      },
    });
    if (!isLdaps && settings.startTls) await client.startTLS(tls);
    await client.bind(settings.bindDn, settings.password.reveal());
    return {
      client,
      close: async () => {
        signal.removeEventListener('abort', abort);
        if (!socket.destroyed) await client.unbind().catch(() => undefined);
        transport.destroy();
        // The encryption may still write to it.
        socket.on('error', () => undefined);
        socket.destroy();
      },
    };
  } catch (error) {
    signal.removeEventListener('abort', abort);
    socket.destroy();
    signal.throwIfAborted();
    throw describeFault(error, settings);
  }
};

const tlsOptions = ({ ca }: LdapSettings, host: string): ConnectionOptions => ({
  host,
  ...(isIP(host) === 0 && { servername: host }),
  ...(ca !== undefined && { ca: [...rootCertificates, ...readAuthorities(ca)] }),
});

const readAuthorities = (file: string): readonly string[] => {
  try {
    return readCaFile(file);
  } catch (cause) {
    throw new SourceError('config', (cause as Error).message, { cause });
  }
};

const encrypt = async (socket: Socket, options: ConnectionOptions): Promise<Socket> => {
  const encrypted = connectTls({ ...options, socket });
  await once(encrypted, 'secureConnect');
  return encrypted;
};
