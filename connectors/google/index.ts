import { checkSource, defineConnector, SourceError } from '../../src/plugin/api.js';
import { createClient, type GoogleClient } from './client.js';
import { createReader } from './read-users.js';
import { GoogleRecord } from './record.js';
import { GoogleSettings } from './settings.js';

/** Whether the first group can be read: a run fails if one is missing. */
const checkGroups = async (
  { groups }: GoogleSettings,
  client: GoogleClient,
  signal: AbortSignal,
): Promise<void> => {
  if (groups?.prefix !== undefined) for await (const _ of client.groups(signal)) break;
  const [name] = groups?.names ?? [];
  if (name === undefined || (await client.group(name, signal))) return;
  throw new SourceError(
    'config',
    `Google Workspace shows no group ${name}. Correct the setting groups.`,
  );
};

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
          await checkGroups(host.settings, client, signal);
          return `Google Workspace lists ${users.length > 0 ? 'users' : 'no users'}.`;
        }),
      read,
    };
  },
});
