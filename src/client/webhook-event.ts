import type { components } from './generated/openapi.js';

/** The body of a delivery: a union that `event` discriminates. */
export type WebhookEvent = components['schemas']['Event'];

/** The name of an event: `user.created`. */
export type WebhookEventName = WebhookEvent['event'];

/** The event of this name. */
export type WebhookEventOf<Name extends WebhookEventName> = Extract<
  WebhookEvent,
  { readonly event: Name }
>;

/** What `POST …/webhooks/{id}/test` sends. It is not in the tenant's log, so it has no `seq`. */
export interface WebhookTestEvent {
  readonly id: string;
  readonly event: 'webhook.test';
  readonly tenant_id: string;
  readonly tenant_slug: string;
  readonly timestamp: string;
  readonly seq: null;
  readonly data: { readonly webhook: { readonly id: string; readonly description: string | null } };
}
