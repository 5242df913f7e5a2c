import { z } from 'zod';
import type { DoctorContext } from './context.js';
import { NotCheckable } from './verdict.js';

/** What of the section `plugins.webhooks` decides where webhooks may go. */
const WebhookSettings = z.object({
  allow: z.array(z.string()).default([]),
  ca: z.string().optional(),
});

export type WebhookSettings = z.output<typeof WebhookSettings>;

/** Throws a NotCheckable where the section has mistakes: those are the configuration's. */
export const webhookSettings = ({ config }: DoctorContext): WebhookSettings => {
  const result = WebhookSettings.safeParse(config().plugins.webhooks ?? {});
  if (result.success) return result.data;
  throw new NotCheckable('The section plugins.webhooks has mistakes, see configuration.');
};
