import { secretField, z } from '../../src/plugin/api.js';

const FIELDS = [
  'root.email',
  'root.firstName',
  'root.surname',
  'root.displayName',
  'work.title',
  'work.department',
  'work.site',
  'work.startDate',
  'work.manager',
  'internal.lifecycleStatus',
  'internal.terminationDate',
];

const field = z
  .string()
  .regex(/^[^.\s]+\.\S+$/, 'expected the id of a field, such as work.department');

export const HiBobSettings = z.strictObject({
  serviceUserId: z.string().min(1).describe('The id of the service user, such as SERVICE-1234.'),
  token: secretField().describe('The token of the service user.'),
  fields: z
    .array(field)
    .max(399)
    .default(FIELDS)
    .describe('The fields to read, besides root.id, as the ids of the field list.'),
  requiredFields: z
    .array(field)
    .default(['root.email', 'internal.lifecycleStatus'])
    .describe('Fields that at least one person must have: Bob leaves out those it may not show.'),
  showInactive: z
    .boolean()
    .default(true)
    .describe('Whether to read former employees too, with their last day.'),
  baseUrl: z
    .url()
    .default('https://api.hibob.com/v1')
    .describe('Of a sandbox: https://api.sandbox.hibob.com/v1.'),
});

export type HiBobSettings = z.infer<typeof HiBobSettings>;
