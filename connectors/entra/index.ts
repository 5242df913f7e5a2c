import { defineConnector, type Mapping } from '../../src/plugin/api.js';
import { startDirectory } from '../directory/start-directory.js';
import { createClient } from './client.js';
import { createReader } from './read-users.js';
import { EntraRecord, isGuest, recordOf } from './record.js';
import { EntraSettings } from './settings.js';

const mapping: Mapping = {
  externalId: { path: 'id', required: true },
  userName: { path: 'userPrincipalName', transform: ['trim', 'lower'], required: true },
  email: { path: 'mail', transform: ['trim', 'lower'] },
  displayName: 'displayName',
  'name.givenName': 'givenName',
  'name.familyName': 'surname',
  'phoneNumbers.mobile': 'mobilePhone',
  'phoneNumbers.work': 'businessPhones.0',
  title: 'jobTitle',
  userType: 'userType',
  preferredLanguage: 'preferredLanguage',
  'enterprise.employeeNumber': 'employeeId',
  'enterprise.organization': 'companyName',
  'enterprise.department': 'department',
  manager: 'managerId',
};

/** Microsoft Entra ID: users, their changes, and groups, by Microsoft Graph. */
export default defineConnector<EntraSettings>({
  apiVersion: 1,
  name: 'entra',
  version: '1.0.0',
  title: 'Microsoft Entra ID',
  description: 'Users and groups of Microsoft Entra ID, by Microsoft Graph.',
  multiple: true,
  triedAgainst: 'description',
  settings: EntraSettings,
  record: EntraRecord,
  deltas: { reportsDeletions: true },
  mapping,
  lifecycle: { status: { path: 'accountStatus', inactive: ['disabled'] } },
  start: (host) => {
    const { groups, guests } = host.settings;
    const client = createClient(host);
    return startDirectory({
      ...client,
      source: 'Microsoft Entra',
      selection: groups,
      someUsers: async (signal) => (await client.users(undefined, 1, signal)).items,
      recordOf: (user, memberships) =>
        guests || !isGuest(user)
          ? recordOf(user, client.properties, memberships?.groupsOf(user.id))
          : undefined,
      readAll: createReader(client, host),
    });
  },
});
