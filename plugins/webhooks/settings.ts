import { z } from 'zod';
import { durationField, isAddressRange } from '../../src/plugin/api.js';

const addressRange = z.string().refine(isAddressRange, {
  error: 'expected an address range such as 10.0.0.0/8 or fd00::/8, or one address',
});

/** The section `plugins.webhooks` of the configuration (decisions.md 7 and 9). */
export const WebhookSettings = z.strictObject({
  allow: z
    .array(addressRange)
    .default([])
    .describe(
      'Non-public address ranges that webhooks may reach. Cloud metadata addresses must be listed ' +
        'individually.',
    ),
  ca: z
    .string()
    .min(1)
    .optional()
    .describe('PEM file of additional CAs to trust for webhook targets.'),
  retry: z
    .array(durationField('10ms', '7d'))
    .max(20)
    .prefault(['5s', '30s', '2m', '10m', '1h', '6h', '24h'])
    .describe('Delay before each retry; an empty list disables retries.'),
  timeout: durationField('1s', '30s')
    .prefault('10s')
    .describe('Timeout of a delivery attempt, from name resolution to the response.'),
  disableAfter: durationField('1h', '90d')
    .optional()
    .describe(
      'Disable a registration whose deliveries have all failed for this long. Default: never, ' +
        'because events are lost while a registration is disabled.',
    ),
  concurrencyPerRegistration: z
    .int()
    .min(1)
    .max(64)
    .default(8)
    .describe('Maximum number of concurrent deliveries to one registration.'),
});

export type WebhookSettings = z.output<typeof WebhookSettings>;
