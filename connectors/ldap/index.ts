import {
  API_VERSION,
  checkCaFile,
  checkSource,
  type ConnectorHost,
  defineConnector,
  type RunningConnector,
  type SourceCheck,
  SourceError,
  type SourceField,
} from '../../src/plugin/api.js';
import { type Connection, openConnection } from './connect.js';
import { attributesOf, readPeople } from './read-people.js';
import { dialectOf, idOf, LdapRecord, lifecycle, mapping, toRecord } from './record.js';
import { search } from './search.js';
import { LdapSettings } from './settings.js';

type Host = ConnectorHost<LdapSettings>;

/** Reads users from a directory: OpenLDAP, Active Directory and others. */
export default defineConnector<LdapSettings>({
  name: 'ldap',
  version: '1.0.0',
  apiVersion: API_VERSION,
  title: 'LDAP directory',
  description: 'Reads users and their groups from OpenLDAP, Active Directory or another directory.',
  settings: LdapSettings,
  checkFiles: ({ ca }, cwd) => checkCaFile(ca, cwd),
  triedAgainst: 'server',
  record: LdapRecord,
  deltas: { reportsDeletions: false },
  mapping,
  lifecycle,
  start: (host): RunningConnector => ({
    check: (signal) => check(host, signal),
    discover: (signal) => discover(host, signal),
    read: (request) => readPeople(host, request),
  }),
});

const withConnection = async <Result>(
  host: Host,
  signal: AbortSignal,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> => {
  const connection = await openConnection(host.settings, host, signal);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
};

/** The first page of people. */
const sample = async ({ settings }: Host, connection: Connection, pageSize: number) => {
  const { base, filter = dialectOf(settings).people } = settings;
  const attributes = attributesOf(settings);
  for await (const page of search(connection, { base, filter, attributes, pageSize }, settings))
    return page;
  return [];
};

const check = (host: Host, signal: AbortSignal): Promise<SourceCheck> =>
  checkSource(() =>
    withConnection(host, signal, async (connection) => {
      const { settings } = host;
      const [person] = await sample(host, connection, 1);
      if (!person)
        throw new SourceError(
          'config',
          `There are no people below ${settings.base}, or this user may not see them. Check \`base\`, ` +
            '`filter` and the rights of the user.',
        );
      const { idAttribute } = dialectOf(settings);
      if (idOf(person, dialectOf(settings)) === undefined)
        throw new SourceError(
          'permission',
          `The entry ${person.dn} has no ${idAttribute}, which identifies a person. Check \`directory\`, and ` +
            'the rights of the user.',
        );
      return `Signed in to ${settings.url}; found people below ${settings.base}.`;
    }),
  );

const SAMPLE = 50;

const discover = (host: Host, signal: AbortSignal): Promise<readonly SourceField[]> =>
  withConnection(host, signal, async (connection) => {
    const found = new Map<string, SourceField>();
    for (const entry of await sample(host, connection, SAMPLE)) {
      const record = toRecord(
        entry,
        idOf(entry, dialectOf(host.settings)) ?? '',
        {},
        host.settings,
      );
      for (const [path, value] of Object.entries(record))
        found.set(path, { path, type: Array.isArray(value) ? 'list' : 'text' });
      if ('manager' in entry) found.set('managerId', { path: 'managerId', type: 'text' });
    }
    if (host.settings.groups) found.set('groups', { path: 'groups', type: 'list' });
    return [...found.values()];
  });
