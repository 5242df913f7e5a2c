import { checkSource, defineConnector } from '../../src/plugin/api.js';
import { createClient } from './client.js';
import { createReader } from './read-users.js';
import { GoogleRecord } from './record.js';
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
    const { read } = createReader(client, host);
    return {
      check: (signal) =>
        checkSource(async () => {
          const { users } = await client.users(undefined, 1, signal);
          const { names = [], prefix } = host.settings.groups ?? {};
          if (prefix !== undefined) for await (const _ of client.groups(signal)) break;
          for (const key of names.slice(0, 1)) await client.group(key, signal);
          return `Google Workspace lists ${users.length > 0 ? 'users' : 'no users'}.`;
        }),
      read,
    };
  },
});
