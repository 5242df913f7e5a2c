import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, rootCertificates } from 'node:tls';
import { type ConnectorHost, optionalLibrary, SourceError } from '../../src/plugin/api.js';
import { type Column, type Database, type Dialect, drop, type Row } from './database.js';
import type { SqlSettings } from './settings.js';

export const POSTGRES: Dialect = {
  quote: (name) => `"${name}"`,
  value: (position) => `$${position}`,
  asText: (expression) => `(${expression})::text`,
  // It cannot guess the type of a value from which an interval is subtracted.
  overlap: ({ kind }) =>
    `($1::${kind === 'timestamp' ? 'timestamp' : 'timestamptz'} - interval '5 minutes')`,
  now: ({ kind }) => (kind === 'timestamp' ? 'localtimestamp' : 'current_timestamp'),
  snapshot: ['begin transaction isolation level repeatable read read only'],
};

const CONNECT_TIMEOUT_S = 20;
const DEFAULT_PORT = 5_432;

/** Of pg_type: date, time, timestamp, timestamptz, timetz, and numbers, all read as they are written. */
const AS_TEXT = [1082, 1083, 1114, 1184, 1266, 20, 21, 23, 26, 700, 701, 1700];
const KINDS: ReadonlyMap<number, Column['kind']> = new Map([
  [20, 'integer'],
  [21, 'integer'],
  [23, 'integer'],
  [1114, 'timestamp'],
  [1184, 'timestamp-with-zone'],
]);

/** SSLRequest, to which the server responds with S or N (PostgreSQL, 55.2.11). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** The library would encrypt too, but without a listener for errors once the socket is closed. */
const encrypt = async (
  socket: Socket,
  { host }: SqlSettings,
  certificates: readonly string[],
): Promise<Socket> => {
  socket.write(SSL_REQUEST);
  const [response] = (await Promise.race([
    once(socket, 'data'),
    once(socket, 'close').then(() => [Buffer.alloc(0)]),
  ])) as [Buffer];
  if (response.toString() !== 'S') {
    drop(socket);
    throw new SourceError(
      'config',
      `The server ${host} does not encrypt connections. Turn on TLS there, or set \`tls: off\` if the network ` +
        'between is trusted.',
    );
  }
  const encrypted = connectTls({
    socket,
    ca: [...rootCertificates, ...certificates],
    host,
    ...(isIP(host) === 0 && { servername: host }),
  });
  try {
    await once(encrypted, 'secureConnect');
  } catch (error) {
    drop(socket);
    throw error;
  }
  return encrypted;
};

/** When a socket closes, the library removes all listeners, and a failed write would end the process. */
const tolerateLateErrors = (socket: Socket): void => {
  socket.once('close', () => process.nextTick(() => void socket.on('error', () => undefined)));
};

export const openPostgres = async (
  settings: SqlSettings,
  certificates: readonly string[],
  host: Pick<ConnectorHost, 'network'>,
  signal: AbortSignal,
): Promise<Database> => {
  const { default: postgres } = await optionalLibrary('postgres', () => import('postgres'));
  const port = settings.port ?? DEFAULT_PORT;
  const socket = await host.network.connect({ host: settings.host, port, signal });
  socket.setNoDelay(true);
  // Until the library listens.
  socket.on('error', () => undefined);
  const abort = (): void => drop(socket);
  signal.addEventListener('abort', abort, { once: true });
  const transport =
    settings.tls === 'required' ? await encrypt(socket, settings, certificates) : socket;
  tolerateLateErrors(transport);
  let isUsed = false;
  const text = (value: string): string => value;
  const options = {
    host: settings.host,
    port,
    database: settings.database,
    username: settings.user,
    password: () => settings.password.reveal(),
    socket: () => {
      // A second connection would have another snapshot, and no time limit.
      if (isUsed || socket.destroyed)
        throw new SourceError('network', 'The server closed the connection.');
      isUsed = true;
      return transport;
    },
    // The transport is encrypted already.
    ssl: false,
    max: 1,
    idle_timeout: 0,
    connect_timeout: CONNECT_TIMEOUT_S,
    fetch_types: false,
    onnotice: () => undefined,
    types: { text: { to: 1184, from: AS_TEXT, serialize: text, parse: text } },
    // The serializer of a parameter is that of its column.
    connection: { application_name: 'rollgate', TimeZone: 'UTC', DateStyle: 'ISO' },
  };
  const sql = postgres(options);
  for (const type of [1082, 1114, 1184]) sql.options.serializers[type] = text;
  const query: Database['query'] = async (statement, values = []) => {
    const rows = await sql.unsafe<Row[]>(statement, [...values], { prepare: values.length > 0 });
    const columns = (rows as { readonly columns?: readonly { name: string; type: number }[] })
      .columns;
    return {
      rows,
      columns: (columns ?? []).map(({ name, type }) => ({
        name,
        kind: KINDS.get(type) ?? 'other',
      })),
    };
  };
  const close = (): void => {
    signal.removeEventListener('abort', abort);
    transport.destroy();
    drop(socket);
    // Waits for nothing: there is nothing to write.
    void sql.end({ timeout: 0 }).catch(() => undefined);
  };
  try {
    await query(`set statement_timeout = ${settings.statementTimeout}`);
    await query('set default_transaction_read_only = on');
  } catch (error) {
    close();
    throw error;
  }
  return { query, close };
};
