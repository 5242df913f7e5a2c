import {
  API_VERSION,
  checkSource,
  defineConnector,
  fieldsOfRecords,
  type RunningConnector,
  SourceError,
  z,
} from '../../src/plugin/api.js';
import { readFirstPage, readPeople } from './read-people.js';
import { createSender, sourceAt } from './send.js';
import { RestSettings } from './settings.js';

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
            return `${source} lists people with ${fieldsOfRecords(records).length} fields.`;
          throw new SourceError(
            'permission',
            `${source} lists no people. Check \`people\`, and what the credentials may read.`,
          );
        }),
      discover: async (signal) =>
        fieldsOfRecords(await readFirstPage(host, sender, signal)).map(({ path, type }) => ({
          path,
          type,
        })),
      read: (request) => readPeople(host, sender, request),
    };
  },
});
