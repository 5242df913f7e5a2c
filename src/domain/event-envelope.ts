import type { DomainEvent } from './events.js';
import type { JsonObject } from './json.js';

/** What receivers get of an event, pushed or pulled (interface.md, Envelope; decisions.md 7). */
export type EventEnvelope = {
  readonly id: string;
  readonly event: string;
  readonly tenant_id: string;
  readonly tenant_slug: string;
  readonly timestamp: string;
  /** The place in the tenant's log; null for what has none, such as a test. */
  readonly seq: number | null;
  readonly data: JsonObject;
};

/** Made from the event alone, so that it is the same whenever and by whichever gateway it is told. */
export const envelopeOf = (event: DomainEvent): EventEnvelope => ({
  id: event.id,
  event: event.name,
  tenant_id: event.tenantId,
  tenant_slug: event.tenantSlug,
  timestamp: event.at.toISOString(),
  seq: event.seq,
  data: event.data,
});
