import { groupsField, secretField, z } from '../../src/plugin/api.js';

export const EntraSettings = z.strictObject({
  tenantId: z.string().min(1).describe('The directory (tenant) id, or a verified domain.'),
  clientId: z.guid().describe('The application (client) id of the app registration.'),
  clientSecret: secretField().describe('The value of a client secret of the app.'),
  guests: z.boolean().default(false).describe('Whether to read guests too.'),
  properties: z
    .array(z.string().regex(/^[A-Za-z][A-Za-z0-9_]*$/, 'expected a property such as city'))
    .max(50)
    .default([])
    .describe('Further properties of users to read, such as city or extensionAttributes.'),
  groups: groupsField('name').describe(
    'Groups whose direct and nested members get the field `groups`, by name.',
  ),
  baseUrl: z
    .url()
    .default('https://graph.microsoft.com/v1.0')
    .describe('Microsoft Graph; other addresses are for national clouds.'),
  loginUrl: z
    .url()
    .default('https://login.microsoftonline.com')
    .describe('Where the app signs in; other addresses are for national clouds.'),
});

export type EntraSettings = z.infer<typeof EntraSettings>;
