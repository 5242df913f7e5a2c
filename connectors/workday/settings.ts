import { durationField, secretField, z } from '../../src/plugin/api.js';

export const WorkdaySettings = z.strictObject({
  host: z
    .string()
    .regex(/^[a-z0-9.-]+$/i, 'expected a host name, such as wd2-impl-services1.workday.com')
    .optional()
    .describe('The host of the report. Required, unless baseUrl is set.'),
  baseUrl: z
    .url()
    .optional()
    .describe('The address before /ccx, if it is not https://<host>, such as a proxy.'),
  tenant: z.string().min(1).describe('The Workday tenant.'),
  owner: z.string().min(1).describe('The user name of the owner of the report.'),
  report: z.string().min(1).describe('The name of the report in its web service address.'),
  user: z.string().min(1).describe('The integration system user, without @tenant.'),
  password: secretField().describe('The password of the integration system user.'),
  idColumn: z
    .string()
    .min(1)
    .default('Employee_ID')
    .describe('The column that identifies a worker and never changes.'),
  prompts: z
    .record(z.string().min(1), z.union([z.string(), z.array(z.string())]))
    .default({})
    .describe('Values of the prompts of the report; of an object prompt as Name!WID.'),
  timeout: durationField('10s', '2h').prefault('30m').describe('How long the report may take.'),
});

export type WorkdaySettings = z.infer<typeof WorkdaySettings>;
