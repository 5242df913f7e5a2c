import { z } from 'zod';
import type { DoctorContext } from './context.js';
import { CheckSkipped } from './check-result.js';

/** The settings of `plugins.webhooks` that decide where webhooks may be sent. */
const WebhookSettings = z.object({
  allow: z.array(z.string()).default([]),
  ca: z.string().optional(),
});

export type WebhookSettings = z.output<typeof WebhookSettings>;

/** Throws a CheckSkipped if the section is invalid, which the check "configuration" reports. */
export const webhookSettings = ({ config }: DoctorContext): WebhookSettings => {
  const result = WebhookSettings.safeParse(config().plugins.webhooks ?? {});
  if (result.success) return result.data;
  throw new CheckSkipped('The section plugins.webhooks is invalid; see configuration.');
};
