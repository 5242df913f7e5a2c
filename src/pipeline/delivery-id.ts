import { createHash } from 'node:crypto';
import type { DeliveryId, EventId } from '../domain/kernel/ids.js';

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

/**
 * The UUIDv5 of a subscriber's key in the namespace of the event: every attempt, on any instance and
 * after any crash, has the same id, so that a receiver can detect a duplicate (pipeline-rules.md 2).
 */
export const deliveryIdOf = (eventId: EventId, plugin: string, key: string): DeliveryId =>
  formatUuid5(
    createHash('sha1')
      .update(eventId.replaceAll('-', ''), 'hex')
      .update(`${plugin}:${key}`)
      .digest(),
  ) as DeliveryId;
