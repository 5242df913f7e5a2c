import { defineConnector } from '../../src/plugin/api.js';
import { startDirectory } from '../directory/start-directory.js';
import { createClient, EVERYBODY } from './client.js';
import { createReader } from './read-users.js';
import { GoogleRecord, recordOf } from './record.js';
import { GoogleSettings } from './settings.js';

/** Google Workspace: users and groups, by the Directory API; every read is a full one. */
export default defineConnector<GoogleSettings>({
  apiVersion: 1,
  name: 'google',
  version: '1.0.0',
  title: 'Google Workspace',
  description: 'Users and groups of Google Workspace, with a service account.',
  multiple: true,
  triedAgainst: 'description',
  settings: GoogleSettings,
  record: GoogleRecord,
  mapping: {
    externalId: { path: 'id', required: true },
    userName: { path: 'email', transform: ['trim', 'lower'], required: true },
    displayName: 'displayName',
    'name.givenName': 'givenName',
    'name.familyName': 'familyName',
    'phoneNumbers.work': 'workPhone',
    'phoneNumbers.mobile': 'mobilePhone',
    title: 'title',
    'enterprise.employeeNumber': 'employeeId',
    'enterprise.department': 'department',
    'enterprise.costCenter': 'costCenter',
    manager: { path: 'managerEmail', transform: ['trim', 'lower'] },
  },
  lifecycle: { status: { path: 'status', inactive: ['suspended', 'archived'] } },
  start: (host) => {
    const client = createClient(host);
    return startDirectory({
      ...client,
      source: 'Google Workspace',
      selection: host.settings.groups,
      someUsers: async (signal) => (await client.users(undefined, 1, signal)).items,
      recordOf: (user, memberships) => {
        const groups = [EVERYBODY, user.id].flatMap((id) => memberships?.groupsOf(id) ?? []);
        return recordOf(user, memberships && [...new Set(groups)].sort());
      },
      readAll: createReader(client),
    });
  },
});
