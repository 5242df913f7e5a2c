import { defineConnector } from '../../src/plugin/api.js';
import { startVendorRest } from '../rest/start-rest.js';
import { PersonioRecord, recordOf } from './record.js';
import { PersonioSettings } from './settings.js';

/** Personio: persons and their employments, by its API v2. */
export default defineConnector<PersonioSettings>({
  apiVersion: 1,
  name: 'personio',
  version: '2.0.0',
  title: 'Personio',
  description: 'Employees of Personio, by its API v2.',
  multiple: true,
  triedAgainst: 'description',
  settings: PersonioSettings,
  record: PersonioRecord,
  deltas: { reportsDeletions: false },
  mapping: {
    externalId: { path: 'id', required: true },
    userName: { path: 'email', transform: ['trim', 'lower'], required: true },
    'name.givenName': 'preferred_name | first_name',
    'name.familyName': 'last_name',
    title: 'position',
    manager: 'supervisor_id',
  },
  lifecycle: {
    start: 'start_date',
    end: 'last_day',
    status: { path: 'status', inactive: ['INACTIVE'] },
  },
  // Version 1 read with cursors of its own.
  cursorVersion: 2,
  start: (host) => {
    const { clientId, clientSecret, requestsPerMinute, appId, partnerId } = host.settings;
    const baseUrl = host.settings.baseUrl.replace(/\/$/, '');
    return startVendorRest(host, {
      auth: {
        type: 'grant',
        tokenUrl: `${baseUrl}/v2/auth/token`,
        form: () => ({
          grant_type: 'client_credentials',
          client_id: clientId,
          client_secret: clientSecret.reveal(),
        }),
      },
      settings: {
        baseUrl,
        requestsPerMinute,
        headers: {
          'x-personio-app-id': appId,
          ...(partnerId !== undefined && { 'x-personio-partner-id': partnerId }),
        },
        people: {
          ...{ path: '/v2/persons', at: '_data', id: 'id' },
          one: { path: '/v2/persons/{id}', at: '_data' },
        },
        paging: { by: 'cursor', at: '_meta.links.next.href', inQuery: 'cursor' },
        pageSize: { parameter: 'limit', value: MAX_PAGE },
        detail: {
          path: '/v2/persons/{id}/employments',
          query: { limit: MAX_PAGE },
          ...{ at: '_data', as: 'employments', parallel: 1 },
        },
        changes: { parameter: 'updated_at.gt' },
        error: ['errors.0.title', 'personio_trace_id'],
      },
      vendor: {
        name: 'Personio',
        hints: {
          401: 'Check clientId and clientSecret.',
          403: 'Give the API credentials read access to employees and the attributes of the mapping.',
        },
        record: (person) => recordOf(person, MAX_PAGE),
      },
    });
  },
});

/** Of persons, and of the employments of a person. */
const MAX_PAGE = 50;
