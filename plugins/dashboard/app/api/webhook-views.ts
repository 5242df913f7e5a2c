import type { Listed } from './views.ts';

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly status: 'active' | 'disabled';
  readonly description: string | null;
  readonly created_at: string;
  readonly header_names?: readonly string[];
  readonly disabled_reason?: string;
  readonly last_trigger_status: 'success' | 'failed' | null;
}

export interface WebhookList extends Listed {
  readonly webhooks: readonly Webhook[];
}

export interface CreatedWebhook {
  readonly id: string;
  readonly secret: string;
}

export interface WebhookTest {
  readonly delivered: boolean;
  readonly status: number | null;
  readonly body: string | null;
  readonly duration_ms: number;
  readonly error: string | null;
}

export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'dropped';

export interface Attempt {
  readonly at: string;
  readonly duration_ms: number;
  readonly status: number | null;
  readonly fault: string | null;
  readonly error: string | null;
}

export interface Delivery<Attempted = Attempt> {
  readonly id: string;
  readonly event: string;
  readonly event_id: string;
  readonly seq: number;
  readonly happened_at: string;
  readonly state: DeliveryState;
  readonly next_attempt_at: string | null;
  readonly error: string | null;
  readonly attempts: readonly Attempted[];
}

type Headers = Readonly<Record<string, string>>;

export interface FullAttempt extends Attempt {
  readonly request: { readonly url: string; readonly headers: Headers } | null;
  readonly response: { readonly headers: Headers; readonly body: string | null } | null;
}

export type FullDelivery = Delivery<FullAttempt>;

export interface DeliveryList extends Listed {
  readonly deliveries: readonly Delivery[];
}

export interface Recovery {
  readonly id: string;
  readonly since: string;
  readonly state: 'running' | 'done' | 'stopped';
  readonly recovered: number;
}

/** An event as receivers get it. */
export interface EventEnvelope {
  readonly id: string;
  readonly event: string;
  readonly timestamp: string;
  readonly seq: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventFeed {
  readonly events: readonly EventEnvelope[];
  readonly next_after: number;
  readonly has_more: boolean;
  readonly has_gap: boolean;
}
