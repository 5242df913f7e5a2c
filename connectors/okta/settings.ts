import { groupsField, secretField, z } from '../../src/plugin/api.js';

const Status = z.enum([
  'STAGED',
  'PROVISIONED',
  'ACTIVE',
  'RECOVERY',
  'PASSWORD_EXPIRED',
  'LOCKED_OUT',
  'SUSPENDED',
]);

export const OktaSettings = z
  .strictObject({
    orgUrl: z.url().describe('The address of the organization, such as https://acme.okta.com.'),
    token: secretField().optional().describe('An API token; or else clientId and privateKey.'),
    clientId: z
      .string()
      .min(1)
      .optional()
      .describe('The client id of an API services app, instead of an API token.'),
    privateKey: secretField()
      .optional()
      .describe('The private RSA key of the app, in PEM; it signs with RS256.'),
    keyId: z.string().min(1).optional().describe('The id of this key, if the app has several.'),
    activeStatuses: z
      .array(Status)
      .min(1)
      .default(['ACTIVE', 'RECOVERY', 'PASSWORD_EXPIRED', 'LOCKED_OUT', 'PROVISIONED'])
      .describe('The statuses of users who are active; all others are inactive.'),
    groups: groupsField('name').describe('Groups whose members get the field `groups`, by name.'),
  })
  .refine(
    ({ token, clientId, privateKey }) =>
      token ? !clientId && !privateKey : Boolean(clientId && privateKey),
    { error: 'expected either token, or clientId and privateKey' },
  );

export type OktaSettings = z.infer<typeof OktaSettings>;
