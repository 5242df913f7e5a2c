import type { z } from 'zod';

/** A webhook in the OpenAPI document: an event that is sent by POST. */
export interface WebhookShape {
  /** Name of the event: `user.created`. */
  readonly name: string;
  readonly summary: string;
  /** The whole envelope. */
  readonly body: z.ZodType;
}
