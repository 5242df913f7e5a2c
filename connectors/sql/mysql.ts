import { rootCertificates } from 'node:tls';
import { type ConnectorHost, optionalLibrary } from '../../src/plugin/api.js';
import { type Cell, type Column, type Database, type Dialect, drop, type Row } from './database.js';
import type { SqlSettings } from './settings.js';

export const MYSQL: Dialect = {
  quote: (name) => `\`${name}\``,
  // A text would be compared with a number as floating point, which has too few digits.
  value: (_position, { kind, collation }) => {
    if (kind === 'integer') return 'cast(? as decimal(20, 0))';
    const [charset] = collation?.split('_') ?? [];
    return collation === undefined || collation === charset
      ? '?'
      : `convert(? using ${charset}) collate ${collation}`;
  },
  // Of an expression in a view, it is that of the user who created it.
  collationOf: (expression) => `collation(${expression})`,
  asText: (expression) => `cast(${expression} as char)`,
  overlap: () => '(cast(? as datetime(6)) - interval 5 minute)',
  now: () => 'current_timestamp(6)',
  snapshot: [
    'set session transaction isolation level repeatable read',
    'start transaction with consistent snapshot, read only',
  ],
};

const DEFAULT_PORT = 3_306;

/** Of the protocol: tiny, short, long, long long, int24; timestamp, datetime. */
const INTEGERS = new Set([1, 2, 3, 8, 9]);
const TIMESTAMPS = new Set([7, 12]);

const kindOf = (type: number | undefined): Column['kind'] => {
  if (type === undefined) return 'other';
  if (INTEGERS.has(type)) return 'integer';
  return TIMESTAMPS.has(type) ? 'timestamp' : 'other';
};

export const openMysql = async (
  settings: SqlSettings,
  certificates: readonly string[],
  host: Pick<ConnectorHost, 'network'>,
  signal: AbortSignal,
): Promise<Database> => {
  const { createConnection } = await optionalLibrary('mysql2', () => import('mysql2/promise'));
  const port = settings.port ?? DEFAULT_PORT;
  const socket = await host.network.connect({ host: settings.host, port, signal });
  socket.setNoDelay(true);
  // Until the library listens.
  socket.on('error', () => undefined);
  const abort = (): void => drop(socket);
  signal.addEventListener('abort', abort, { once: true });
  const stopListening = (): void => signal.removeEventListener('abort', abort);
  try {
    const connection = await createConnection({
      stream: socket,
      host: settings.host,
      port,
      database: settings.database,
      user: settings.user,
      password: settings.password.reveal(),
      charset: 'utf8mb4_general_ci',
      ...(settings.tls === 'required' && {
        ssl: {
          ca: [...rootCertificates, ...certificates],
          rejectUnauthorized: true,
          verifyIdentity: true,
          minVersion: 'TLSv1.2',
        },
      }),
      dateStrings: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      decimalNumbers: false,
      multipleStatements: false,
    });
    // Without a listener, a connection that breaks between two statements would end the process.
    connection.on('error', () => undefined);
    const query: Database['query'] = async (statement, values = []) => {
      const [rows, fields] = await connection.query(statement, [...values]);
      const columns = Array.isArray(fields) ? fields : [];
      return {
        rows: Array.isArray(rows) ? (rows as Row[]) : [],
        columns: columns.map(({ name, columnType }) => ({ name, kind: kindOf(columnType) })),
      };
    };
    await limitTime(query, settings.statementTimeout);
    await query("set session time_zone = '+00:00'");
    await query('set session transaction read only');
    return {
      query,
      close: () => {
        stopListening();
        connection.destroy();
        drop(socket);
      },
    };
  } catch (error) {
    stopListening();
    drop(socket);
    throw error;
  }
};

/** MariaDB counts seconds, MySQL milliseconds. */
const limitTime = async (query: Database['query'], ms: number): Promise<void> => {
  const { rows } = await query('select version() as version');
  const version: Cell | undefined = rows[0]?.version;
  await query(
    typeof version === 'string' && version.includes('MariaDB')
      ? `set session max_statement_time = ${ms / 1_000}`
      : `set session max_execution_time = ${ms}`,
  );
};
