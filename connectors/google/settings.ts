import { groupsField, secretField, z } from '../../src/plugin/api.js';

export const GoogleSettings = z.strictObject({
  serviceAccountKey: secretField().describe(
    'The key of the service account: the JSON file that Google created, as `{file: …}`.',
  ),
  administrator: z
    .email()
    .describe('The administrator that the service account acts as, by e-mail address.'),
  customer: z
    .string()
    .min(1)
    .default('my_customer')
    .describe('The id of the Google Workspace customer. Default: that of the administrator.'),
  domain: z
    .string()
    .min(1)
    .optional()
    .describe('Reads only the users of this domain instead of all of the customer.'),
  groups: groupsField('e-mail address').describe(
    'Groups whose direct and nested members get the field `groups`, by e-mail address.',
  ),
  baseUrl: z
    .url()
    .default('https://admin.googleapis.com')
    .describe('The address before /admin/directory/v1.'),
});

export type GoogleSettings = z.infer<typeof GoogleSettings>;
