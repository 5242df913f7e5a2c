import {
  API_VERSION,
  checkCaFile,
  checkSource,
  type ConnectorHost,
  defineConnector,
  type RunningConnector,
  type SourceCheck,
  type SourceField,
} from '../../src/plugin/api.js';
import { describeView, openDatabase, readPeople, type View } from './read-rows.js';
import { lifecycle, mapping, SqlRecord } from './record.js';
import { SqlSettings } from './settings.js';

type Host = ConnectorHost<SqlSettings>;

/** Reads users from a view of a database: PostgreSQL, MySQL or MariaDB. */
export default defineConnector<SqlSettings>({
  name: 'sql',
  version: '1.0.0',
  apiVersion: API_VERSION,
  title: 'SQL view',
  description: 'Reads users from a view in PostgreSQL, MySQL or MariaDB.',
  settings: SqlSettings,
  checkFiles: ({ ca }, cwd) => checkCaFile(ca, cwd),
  triedAgainst: 'server',
  record: SqlRecord,
  deltas: { reportsDeletions: false },
  mapping,
  lifecycle,
  start: (host): RunningConnector => ({
    check: (signal) => check(host, signal),
    discover: (signal) => discover(host, signal),
    read: (request) => readPeople(host, request),
  }),
});

const viewOf = async (host: Host, signal: AbortSignal): Promise<View> => {
  const database = await openDatabase(host, signal);
  try {
    return await describeView(database, host.settings);
  } finally {
    database.close();
  }
};

const check = (host: Host, signal: AbortSignal): Promise<SourceCheck> =>
  checkSource(async () => {
    const { columns, updatedAt } = await viewOf(host, signal);
    const { view, database } = host.settings;
    const deltas = updatedAt ? `deltas by ${updatedAt.name}` : 'no deltas';
    return `Signed in to ${database}; ${view} has ${columns.length} columns; ${deltas}.`;
  });

const discover = async (host: Host, signal: AbortSignal): Promise<readonly SourceField[]> => {
  const { columns } = await viewOf(host, signal);
  return columns.map(({ name, kind }) => ({ path: name, type: kind === 'other' ? 'text' : kind }));
};
