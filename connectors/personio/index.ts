import { checkSource, defineConnector } from '../../src/plugin/api.js';
import { createClient } from './client.js';
import { createReader } from './read-persons.js';
import { PersonioRecord } from './record.js';
import { PersonioSettings } from './settings.js';

/** Personio: persons and their employments, by its API v2. */
export default defineConnector<PersonioSettings>({
  apiVersion: 1,
  name: 'personio',
  version: '1.0.0',
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
  start: (host) => {
    const client = createClient(host);
    return {
      check: (signal) =>
        checkSource(async () => {
          const { persons } = await client.persons({ pageSize: 1 }, signal);
          const [person] = persons;
          if (!person) return 'Personio lists no persons.';
          await client.employments(person.id, signal);
          return 'Personio lists persons and their employments.';
        }),
      read: createReader(client, host),
    };
  },
});
