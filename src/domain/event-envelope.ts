import type { DomainEvent } from './events.js';
import type { JsonObject } from './kernel/json.js';

/** An event as receivers get it, pushed or pulled (interface.md, Envelope; decisions.md 7). */
export type EventEnvelope = {
  readonly id: string;
  readonly event: string;
  readonly tenant_id: string;
  readonly tenant_slug: string;
  readonly timestamp: string;
  /** Position in the tenant's log; null for a test, which has none. */
  readonly seq: number | null;
  readonly data: JsonObject;
};

/** Depends on the event only: every delivery and every instance sends the same envelope. */
export const envelopeOf = (event: DomainEvent): EventEnvelope => ({
  id: event.id,
  event: event.name,
  tenant_id: event.tenantId,
  tenant_slug: event.tenantSlug,
  timestamp: event.at.toISOString(),
  seq: event.seq,
  data: event.data,
});
