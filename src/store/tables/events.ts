import type { DomainEvent, EventName, EventResource } from '../../domain/events.js';
import type { ApiKeyId, EventId, TenantId } from '../../domain/kernel/ids.js';
import type { JsonObject } from '../../domain/kernel/json.js';
import { defineCollection, EXPIRES, MIXED } from './collection.js';

/** An event in the log of its tenant. */
export interface EventDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly tenantSlug: string;
  readonly seq: number;
  readonly name: EventName;
  readonly res: EventResource;
  readonly data: JsonObject;
  readonly custom?: JsonObject;
  readonly at: Date;
  readonly apiKeyId: ApiKeyId | null;
  /** Later than the last retry of its deliveries. */
  readonly expireAt?: Date;
}

export const events = defineCollection<EventDocument>({
  name: 'events',
  fields: {
    _id: String,
    tenant: String,
    tenantSlug: String,
    seq: Number,
    name: String,
    res: MIXED,
    data: MIXED,
    custom: MIXED,
    at: Date,
    apiKeyId: String,
    expireAt: Date,
  },
  indexes: [{ key: { tenant: 1, seq: 1 }, unique: true }, EXPIRES],
  purge: 'by tenant',
});

/** `keepMs`: how long the log keeps it, in milliseconds; absent: forever. */
export const toEventDocument = (event: DomainEvent, keepMs?: number): EventDocument => {
  const { id, tenantId, resource, ...rest } = event;
  return {
    _id: id,
    tenant: tenantId,
    res: resource,
    ...rest,
    ...(keepMs === undefined ? {} : { expireAt: new Date(event.at.getTime() + keepMs) }),
  };
};

export const fromEventDocument = (document: EventDocument): DomainEvent => {
  const { _id, tenant, res, expireAt: _expireAt, ...event } = document;
  return { id: _id as EventId, tenantId: tenant as TenantId, resource: res, ...event };
};
