import { z } from 'zod';
import { durationField, isAddressRange } from '../../src/plugin/index.js';

const addressRange = z.string().refine(isAddressRange, {
  error: 'expected an address range such as 10.0.0.0/8 or fd00::/8, or one address',
});

/** The section `plugins.webhooks` of the configuration (decisions.md 7 and 9). */
export const WebhookSettings = z.strictObject({
  allow: z
    .array(addressRange)
    .default([])
    .describe(
      'Address ranges that webhooks may reach though they are not public. Cloud metadata ' +
        'addresses are reached only where listed one by one.',
    ),
  ca: z
    .string()
    .min(1)
    .optional()
    .describe('A PEM file of authorities to trust for webhook targets, beside the system’s.'),
  retry: z
    .array(durationField('10ms', '7d'))
    .max(20)
    .prefault(['5s', '30s', '2m', '10m', '1h', '6h', '24h'])
    .describe('The waits before each further attempt; an empty list: no retry.'),
  timeout: durationField('1s', '30s')
    .prefault('10s')
    .describe('How long an attempt may take, from the look-up of the name to the answer.'),
  disableAfter: durationField('1h', '90d')
    .optional()
    .describe(
      'Disable a registration whose deliveries have all failed for so long. Absent: never, for ' +
        'what happens while it is disabled is lost to it.',
    ),
  concurrencyPerRegistration: z
    .int()
    .min(1)
    .max(64)
    .default(8)
    .describe('How many deliveries may be under way at once to one registration.'),
});

export type WebhookSettings = z.output<typeof WebhookSettings>;
