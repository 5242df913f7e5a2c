import { defineConnector, readSourceJson, z } from '../../src/plugin/api.js';
import { startVendorRest } from '../rest/start-rest.js';
import { HiBobRecord, recordOf, slashed } from './record.js';
import { HiBobSettings } from './settings.js';

/** HiBob: all people in one response; every read is a full one. */
export default defineConnector<HiBobSettings>({
  apiVersion: 1,
  name: 'hibob',
  version: '2.0.0',
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
    const { serviceUserId: user, token, baseUrl, showInactive, requiredFields } = host.settings;
    const fields = [...new Set(['root.id', ...host.settings.fields])];
    const running = startVendorRest(host, {
      auth: { type: 'basic', user, password: token },
      settings: {
        baseUrl,
        timeout: '5m',
        people: {
          ...{ method: 'POST', path: '/people/search' },
          body: { fields, filters: [], showInactive, humanReadable: 'APPEND' },
          // In each of the forms that Bob sends.
          id: `${slashed('root.id')}.value | ${slashed('root.id')} | id`,
          ...{ at: 'employees', stream: true, required: requiredFields },
        },
      },
      vendor: { name: 'HiBob', hints: HINTS, record: (person) => recordOf(person, fields) },
    });
    return {
      ...running,
      discover: async (signal) => {
        const response = await host.http.get({
          url: `${baseUrl.replace(/\/$/, '')}/company/people/fields`,
          auth: { user, password: token.reveal() },
          headers: { accept: 'application/json' },
          signal,
        });
        return readSourceJson(response, Fields, { source: 'HiBob', hints: HINTS }).map(
          ({ id, name, type }) => ({
            path: id,
            ...(name !== undefined && { title: name }),
            ...(type !== undefined && { type }),
          }),
        );
      },
    };
  },
});

const HINTS = {
  400: 'Bob does not know one of the fields; `rollgate connector discover` lists them.',
  401: 'Check serviceUserId and token. Bob blocks addresses after many failed attempts.',
  403: 'Add the service user to a permission group that may view the employees.',
};

const Fields = z.array(
  z.object({ id: z.string(), name: z.string().optional(), type: z.string().optional() }),
);
