import {
  API_VERSION,
  checkSource,
  defineConnector,
  type JsonObject,
  type RunningConnector,
  SourceError,
  type SourceField,
  z,
} from '../../src/plugin/api.js';
import { readFirstPage, readPeople } from './read-people.js';
import { createSender, sourceAt } from './send.js';
import { RestSettings } from './settings.js';
import { isObject } from './value-at.js';

/** Any source with an HTTP API, described by its settings. */
export default defineConnector<RestSettings>({
  name: 'rest',
  version: '1.0.0',
  apiVersion: API_VERSION,
  title: 'REST API',
  description: 'Reads users from any HTTP API that is described in the settings.',
  multiple: true,
  settings: RestSettings,
  triedAgainst: 'description',
  record: z.record(z.string(), z.json()),
  deltas: { reportsDeletions: true },
  mapping: {
    externalId: { path: 'id', required: true },
    userName: {
      path: 'userName | username | email | workEmail | work_email',
      transform: ['trim', 'lower'],
      required: true,
    },
    'name.givenName': 'firstName | first_name | givenName | given_name',
    'name.familyName': 'lastName | last_name | familyName | family_name',
    displayName: 'displayName | display_name',
    email: { path: 'email | workEmail | work_email', transform: ['trim', 'lower'] },
  },
  start: (host): RunningConnector => {
    const sender = createSender(host);
    return {
      check: (signal) =>
        checkSource(async () => {
          const source = sourceAt(host.settings.baseUrl);
          const records = await readFirstPage(host, sender, signal);
          if (records.length > 0)
            return `${source} lists people with ${fieldsOf(records).length} fields.`;
          throw new SourceError(
            'permission',
            `${source} lists no people. Check \`people\`, and what the credentials may read.`,
          );
        }),
      discover: async (signal) => fieldsOf(await readFirstPage(host, sender, signal)),
      read: (request) => readPeople(host, sender, request),
    };
  },
});

const MAX_DEPTH = 4;

/** The fields of some records, as a mapping names them. */
const fieldsOf = (records: readonly JsonObject[]): readonly SourceField[] => {
  const fields = new Map<string, string>();
  const visit = (value: unknown, path: string, depth: number): void => {
    if (isObject(value) && depth < MAX_DEPTH)
      for (const [name, inner] of Object.entries(value))
        visit(inner, path === '' ? name : `${path}.${name}`, depth + 1);
    else if (value !== null && path !== '')
      fields.set(path, Array.isArray(value) ? 'list' : typeof value);
    else if (path !== '' && !fields.has(path)) fields.set(path, 'unknown');
  };
  for (const record of records) visit(record, '', 0);
  return [...fields].map(([path, type]) => ({ path, type }));
};
