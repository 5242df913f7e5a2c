import type { DomainEvent } from '../../domain/events.js';
import type { OutboxEvent } from '../../outbox/outbox-planner.js';
import { deliveryIdOf } from './delivery-id.js';

/** What deliveries are kept in order by (pipeline-rules.md 12). */
export const resourceOf = ({ resource }: DomainEvent): string => `${resource.kind}:${resource.id}`;

/** The row of an event for a key. */
export const toOutboxEvent = (
  event: DomainEvent,
  { plugin, key, due, owner }: Pick<OutboxEvent, 'plugin' | 'key' | 'due' | 'owner'>,
): OutboxEvent => ({
  id: deliveryIdOf(event.id, plugin, key),
  tenantId: event.tenantId,
  plugin,
  key,
  eventId: event.id,
  seq: event.seq,
  name: event.name,
  at: event.at,
  resource: resourceOf(event),
  due,
  owner,
});
