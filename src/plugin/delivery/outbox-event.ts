import { createHash } from 'node:crypto';
import type { DeliveryId, EventId } from '../../domain/kernel/ids.js';
import type { DomainEvent } from '../../domain/events.js';
import type { OutboxEvent } from '../../outbox/outbox-planner.js';

/** Sets version and variant, and writes the 16 bytes as text (RFC 9562, 4 and 5.5). */
const formatUuid5 = (hash: Buffer): string => {
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex', 0, 16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
};

const uuidWithin = (eventId: EventId, name: string): DeliveryId =>
  formatUuid5(
    createHash('sha1').update(eventId.replaceAll('-', ''), 'hex').update(name).digest(),
  ) as DeliveryId;

/**
 * The UUIDv5 of a subscriber's key in the namespace of the event: working it out twice, or on two
 * instances, gives one id, so that a receiver can detect a duplicate (pipeline-rules.md 2).
 */
export const deliveryIdOf = (eventId: EventId, plugin: string, key: string): DeliveryId =>
  uuidWithin(eventId, `${plugin}:${key}`);

/** The id of a span that begins with this event; no plugin's name begins with an asterisk. */
export const spanIdOf = (first: EventId, plugin: string, key: string): DeliveryId =>
  uuidWithin(first, `*${plugin}:${key}`);

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
