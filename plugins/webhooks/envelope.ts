import {
  type DomainEvent,
  envelopeOf,
  type EventEnvelope,
  type Tenant,
} from '../../src/plugin/api.js';
import type { Registration } from './registration.js';

const bytesOf = (envelope: EventEnvelope): Buffer => Buffer.from(JSON.stringify(envelope), 'utf8');

/** Cache for events in delivery: an event for twenty registrations is serialised once. */
const bodies = new WeakMap<DomainEvent, Buffer>();

/**
 * The body of an event's deliveries (interface.md, Envelope). Made from the event alone: every
 * attempt, on whichever gateway, signs and sends the same bytes. Not to be changed.
 */
export const eventBody = (event: DomainEvent): Buffer => {
  const known = bodies.get(event);
  if (known) return known;
  const body = bytesOf(envelopeOf(event));
  bodies.set(event, body);
  return body;
};

export const TEST_EVENT = 'webhook.test';

/**
 * The body of a test call. `seq` is there and null: nothing happened, so the event has no place in
 * the tenant's log, and a receiver that keeps the highest `seq` it has seen must not be misled.
 */
export const testBody = (
  id: string,
  { id: webhookId, description }: Registration,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  at: Date,
): Buffer =>
  bytesOf({
    id,
    event: TEST_EVENT,
    tenant_id: tenant.id,
    tenant_slug: tenant.slug,
    timestamp: at.toISOString(),
    seq: null,
    data: { webhook: { id: webhookId, description } },
  });
