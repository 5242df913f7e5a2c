import { secretField, z } from '../../src/plugin/api.js';

export const PersonioSettings = z.strictObject({
  clientId: z.string().min(1).describe('The client id of the API credentials.'),
  clientSecret: secretField().describe('The client secret of the API credentials.'),
  requestsPerMinute: z
    .int()
    .min(1)
    .max(6_000)
    .default(200)
    .describe('How many requests to send per minute; each person takes one.'),
  partnerId: z.string().min(1).optional().describe('The header X-Personio-Partner-ID.'),
  appId: z.string().min(1).default('ROLLGATE').describe('The header X-Personio-App-ID.'),
  baseUrl: z.url().default('https://api.personio.de').describe('The address before /v2.'),
});

export type PersonioSettings = z.infer<typeof PersonioSettings>;
