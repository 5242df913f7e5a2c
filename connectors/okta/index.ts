import { defineConnector } from '../../src/plugin/api.js';
import { startDirectory } from '../directory/start-directory.js';
import { createClient } from './client.js';
import { createReader } from './read-users.js';
import { OktaRecord, recordOf } from './record.js';
import { OktaSettings } from './settings.js';

/** Okta: users by status and time of change, and groups. */
export default defineConnector<OktaSettings>({
  apiVersion: 1,
  name: 'okta',
  version: '1.0.0',
  title: 'Okta',
  description: 'Users and groups of Okta, with an API token or an app.',
  multiple: true,
  triedAgainst: 'description',
  settings: OktaSettings,
  record: OktaRecord,
  deltas: { reportsDeletions: false },
  mapping: {
    externalId: { path: 'id', required: true },
    userName: { path: 'profile.login', transform: ['trim', 'lower'], required: true },
    email: { path: 'profile.email', transform: ['trim', 'lower'] },
    displayName: 'profile.displayName',
    'name.givenName': 'profile.firstName',
    'name.familyName': 'profile.lastName',
    'phoneNumbers.work': 'profile.primaryPhone',
    'phoneNumbers.mobile': 'profile.mobilePhone',
    title: 'profile.title',
    userType: 'profile.userType',
    'enterprise.employeeNumber': 'profile.employeeNumber',
    'enterprise.costCenter': 'profile.costCenter',
    'enterprise.organization': 'profile.organization',
    'enterprise.division': 'profile.division',
    'enterprise.department': 'profile.department',
    manager: 'profile.managerId',
  },
  lifecycle: { status: { path: 'state', inactive: ['inactive'] } },
  start: (host) => {
    const { activeStatuses, groups } = host.settings;
    const client = createClient(host);
    return startDirectory({
      ...client,
      source: 'Okta',
      selection: groups,
      someUsers: async (signal) => (await client.users(undefined, undefined, 1, signal)).items,
      recordOf: (user, memberships) =>
        recordOf(user, activeStatuses, memberships?.groupsOf(user.id)),
      readAll: createReader(client, host),
    });
  },
});
