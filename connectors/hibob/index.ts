import { checkSource, defineConnector } from '../../src/plugin/api.js';
import { createReader } from './read-people.js';
import { HiBobRecord } from './record.js';
import { HiBobSettings } from './settings.js';

/** HiBob: everybody in one response; every read is a full one. */
export default defineConnector<HiBobSettings>({
  apiVersion: 1,
  name: 'hibob',
  version: '1.0.0',
  title: 'HiBob',
  description: 'Employees of Bob, with a service user.',
  multiple: true,
  triedAgainst: 'description',
  settings: HiBobSettings,
  record: HiBobRecord,
  mapping: {
    externalId: { path: 'root.id', required: true },
    userName: { path: 'root.email', transform: ['trim', 'lower'], required: true },
    displayName: 'root.displayName',
    'name.givenName': 'root.firstName',
    'name.familyName': 'root.surname',
    title: 'text.work.title | work.title',
    'enterprise.department': 'text.work.department | work.department',
    manager: 'work.manager',
  },
  lifecycle: {
    start: 'work.startDate',
    end: 'internal.terminationDate',
    status: { path: 'internal.lifecycleStatus', inactive: ['terminated', 'Terminated'] },
  },
  start: (host) => {
    const reader = createReader(host);
    return {
      check: (signal) => checkSource(async () => `Bob lists ${await reader.count(signal)} people.`),
      discover: async (signal) =>
        (await reader.fields(signal)).map(({ id, name, type }) => ({
          path: id,
          ...(name !== undefined && { title: name }),
          ...(type !== undefined && { type }),
        })),
      read: reader.read,
    };
  },
});
