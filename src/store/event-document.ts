import type { mongo } from 'mongoose';
import type { DomainEvent, EventName, EventResource } from '../domain/events.js';
import type { ApiKeyId, EventId, TenantId } from '../domain/ids.js';
import type { JsonObject } from '../domain/json.js';
import { ensureCollection } from './ensure-collection.js';

/** An event as the log keeps it. */
export interface EventDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly tenantSlug: string;
  readonly seq: number;
  readonly name: EventName;
  readonly res: EventResource;
  readonly data: JsonObject;
  readonly at: Date;
  readonly apiKeyId: string | null;
  /** When the log may forget it; it must outlive the retry schedule (webhook facts, 4). */
  readonly expireAt?: Date;
}

export const EVENTS = 'events';

/** `keepMs`: how long the log keeps it, in milliseconds; absent: for ever. */
export const toEventDocument = (event: DomainEvent, keepMs?: number): EventDocument => ({
  _id: event.id,
  tenant: event.tenantId,
  tenantSlug: event.tenantSlug,
  seq: event.seq,
  name: event.name,
  res: event.resource,
  data: event.data,
  at: event.at,
  apiKeyId: event.apiKeyId,
  ...(keepMs === undefined ? {} : { expireAt: new Date(event.at.getTime() + keepMs) }),
});

export const fromEventDocument = (document: EventDocument): DomainEvent => ({
  id: document._id as EventId,
  tenantId: document.tenant as TenantId,
  tenantSlug: document.tenantSlug,
  seq: document.seq,
  name: document.name,
  resource: document.res,
  data: document.data,
  at: document.at,
  apiKeyId: document.apiKeyId as ApiKeyId | null,
});

export const EVENT_INDEXES = [
  { key: { tenant: 1, seq: 1 }, unique: true },
  { key: { expireAt: 1 }, expireAfterSeconds: 0 },
] as const satisfies readonly mongo.IndexDescription[];

/** The log is gapless by the commit; that it holds no place twice is the database's promise too. */
export const ensureEventIndexes = async (database: mongo.Db): Promise<void> => {
  await ensureCollection(database, EVENTS);
  await database.collection(EVENTS).createIndexes([...EVENT_INDEXES]);
};
