import { defineConnector, z } from '../../src/plugin/api.js';
import { startVendorRest } from '../rest/start-rest.js';
import { WorkdaySettings } from './settings.js';

/** Workday: a custom report as a web service (RaaS), read as a stream. */
export default defineConnector<WorkdaySettings>({
  apiVersion: 1,
  name: 'workday',
  version: '2.0.0',
  title: 'Workday',
  description: 'Workers of a Workday report (RaaS).',
  multiple: true,
  triedAgainst: 'description',
  settings: WorkdaySettings.refine(({ host, baseUrl }) => host ?? baseUrl, {
    path: ['host'],
    error: 'expected the host of the report, such as wd2-impl-services1.workday.com',
  }),
  record: z.record(z.string(), z.json()),
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
    const { tenant, owner, report, user, password, idColumn, prompts, timeout } = host.settings;
    const path = [tenant, owner, report].map(encodeURIComponent).join('/');
    return startVendorRest(host, {
      auth: { type: 'basic', user: `${user}@${tenant}`, password },
      settings: {
        baseUrl: host.settings.baseUrl ?? `https://${host.settings.host ?? ''}`,
        timeout: `${timeout / 1_000}s`,
        people: {
          path: `/ccx/service/customreport2/${path}`,
          query: { ...prompts, format: 'json' },
          // Workday sends all people in one response, and may compute it for many minutes.
          ...{ at: 'Report_Entry', stream: true, id: idColumn },
        },
      },
      vendor: {
        name: 'Workday',
        idHint: 'Set idColumn to the column that identifies a worker.',
        hints: {
          400: 'Check the settings "prompts": each prompt of the report needs a value or a default.',
          401: 'Check user and password, and that the user may sign in with a password.',
          403: 'Share the report with the integration system user, and activate its security policies.',
          404: 'Check tenant, owner and report: compare them with the address that View URLs shows.',
        },
      },
    });
  },
});
