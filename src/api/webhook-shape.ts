import type { z } from 'zod';

/** An event that receivers get by POST, for the `webhooks` part of the OpenAPI document. */
export interface WebhookShape {
  /** The event's name: `user.created`. */
  readonly name: string;
  readonly summary: string;
  /** The whole envelope as it is sent. */
  readonly body: z.ZodType;
}
