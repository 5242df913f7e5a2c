import { checkSource, defineConnector, SourceError } from '../../src/plugin/api.js';
import { createClient } from './client.js';
import { createReader } from './read-employees.js';
import { BambooRecord } from './record.js';
import { BambooSettings } from './settings.js';

/** BambooHR: all employees from a dataset, deltas from the list of changed employees. */
export default defineConnector<BambooSettings>({
  apiVersion: 1,
  name: 'bamboohr',
  version: '1.0.0',
  title: 'BambooHR',
  description: 'Employees of BambooHR, with an API key.',
  multiple: true,
  triedAgainst: 'description',
  settings: BambooSettings,
  record: BambooRecord,
  deltas: { reportsDeletions: true },
  mapping: {
    externalId: { path: 'eeid', required: true },
    userName: { path: 'email', transform: ['trim', 'lower'], required: true },
    'name.givenName': 'preferredName | firstName',
    'name.familyName': 'lastName',
    title: 'jobInformationJobTitle',
    'enterprise.department': 'jobInformationDepartment',
    'enterprise.division': 'jobInformationDivision',
    manager: 'supervisorEid',
  },
  lifecycle: {
    start: 'hireDate',
    end: 'lastDay',
    status: { path: 'state', inactive: ['Inactive'] },
  },
  start: (host) => {
    const fields = [...new Set(['eeid', 'status', ...host.settings.fields])];
    const client = createClient(host, fields);
    return {
      check: (signal) =>
        checkSource(async () => {
          const { totalItems } = (await client.page(1, 1, signal)).meta;
          const listed = await client.directorySize(signal);
          if (listed !== undefined && listed > totalItems)
            throw new SourceError(
              'permission',
              `The API key sees ${totalItems} employees, but the directory shows ${listed}. ` +
                'Give its user access to all employees.',
            );
          return `BambooHR lists ${totalItems} employees, former ones included.`;
        }),
      discover: async (signal) =>
        (await client.fields(signal)).map(({ name, label, type }) => ({
          path: name,
          ...(label !== undefined && { title: label }),
          ...(type !== undefined && { type }),
        })),
      read: createReader(client, fields, host),
    };
  },
});
