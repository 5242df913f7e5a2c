import { secretField, z } from '../../src/plugin/api.js';

export const SuccessFactorsSettings = z
  .strictObject({
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .describe('The API server of your data center, such as https://api4.successfactors.com.'),
    companyId: z.string().min(1).describe('The company id.'),
    user: z
      .string()
      .min(1)
      .describe('The technical user: their user id, or their user name with a password.'),
    password: secretField()
      .optional()
      .describe('The password, for HTTP Basic, which SAP retires. Without clientId.'),
    clientId: z.string().min(1).optional().describe('The API key of the OAuth client.'),
    privateKey: secretField()
      .optional()
      .describe('The private RSA key of the OAuth client, in PEM; it signs the SAML assertion.'),
    certificate: z
      .string()
      .optional()
      .describe('The X.509 certificate of the OAuth client, in PEM, to send with the assertion.'),
    select: z
      .array(
        z.string().regex(/^\w+(\/\w+)*$/, 'expected a path such as employmentNav/customString1'),
      )
      .max(100)
      .default([])
      .describe('Further properties, by their path from PerPerson.'),
    filter: z
      .string()
      .default('personEmpTerminationInfoNav/activeEmploymentsCount ne null')
      .describe(
        'The OData filter of people. The default leaves out those who were never employed.',
      ),
    checkTotal: z
      .boolean()
      .default(true)
      .describe(
        'Whether a read fails that has another number of people than SuccessFactors counts.',
      ),
    pageSize: z.int().min(1).max(1_000).default(200).describe('People per page.'),
  })
  .superRefine(({ password, clientId, privateKey }, context) => {
    const isOAuth = clientId !== undefined && privateKey !== undefined;
    if (isOAuth ? password !== undefined : !password || (clientId ?? privateKey) !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['password'],
        message: 'expected either password, or clientId and privateKey',
      });
  });

export type SuccessFactorsSettings = z.infer<typeof SuccessFactorsSettings>;
