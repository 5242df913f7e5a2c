import { API_VERSION, defineConnector, z } from '../../src/plugin/api.js';
import { RestSettings } from './settings.js';
import { startRest } from './start-rest.js';

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
  start: startRest,
});
