import { checkSource, defineConnector } from '../../src/plugin/api.js';
import { createReader } from './read-report.js';
import { WorkdayRecord } from './record.js';
import { WorkdaySettings } from './settings.js';

/** Workday: a custom report as a web service (RaaS), read as a stream. */
export default defineConnector<WorkdaySettings>({
  apiVersion: 1,
  name: 'workday',
  version: '1.0.0',
  title: 'Workday',
  description: 'Workers of a Workday report (RaaS).',
  multiple: true,
  triedAgainst: 'description',
  settings: WorkdaySettings.refine(({ host, baseUrl }) => host ?? baseUrl, {
    path: ['host'],
    error: 'expected the host of the report, such as wd2-impl-services1.workday.com',
  }),
  record: WorkdayRecord,
  mapping: {
    externalId: { path: 'Employee_ID', required: true },
    userName: { path: 'Email', transform: ['trim', 'lower'], required: true },
    'name.givenName': 'Preferred_First_Name | First_Name',
    'name.familyName': 'Preferred_Last_Name | Last_Name',
    title: 'Business_Title',
    'enterprise.department': 'Department',
    manager: 'Manager_ID',
  },
  lifecycle: {
    start: 'Hire_Date',
    end: 'Termination_Date',
    status: { path: 'Worker_Status', inactive: ['Terminated'] },
  },
  start: (host) => {
    const reader = createReader(host);
    return {
      check: (signal) =>
        checkSource(async () => {
          const columns = await reader.columns(signal);
          if (columns.length === 0) return 'The report has no rows.';
          return `The report has the columns ${columns.map(({ path }) => path).join(', ')}.`;
        }),
      discover: (signal) => reader.columns(signal),
      read: reader.read,
    };
  },
});
