import type { DomainEvent, EventName, EventResource } from '../../domain/events.js';
import type { ApiKeyId } from '../../domain/kernel/ids.js';
import type { JsonObject } from '../../domain/kernel/json.js';
import { createCodec, OF_TENANT } from './codec.js';
import { defineTenantCollection, type DocumentOf, EXPIRES } from './collection.js';
import { optional, typed } from './fields.js';

/** The events in the logs of their tenants. */
export const events = defineTenantCollection({
  name: 'events',
  fields: {
    tenantSlug: String,
    seq: Number,
    name: typed<EventName>(String),
    res: typed<EventResource>(Object),
    data: typed<JsonObject>(Object),
    custom: optional(typed<JsonObject>(Object)),
    at: Date,
    apiKeyId: typed<ApiKeyId | null>(String),
    /** Later than the last retry of its deliveries. */
    expireAt: optional(Date),
  },
  indexes: [{ key: { tenant: 1, seq: 1 }, unique: true }, EXPIRES],
});

export type EventDocument = DocumentOf<typeof events>;

/** `keepMs`: how long the log keeps it, in milliseconds; absent: forever. */
export const { toDocument: toEventDocument, fromDocument: fromEventDocument } = createCodec<
  DomainEvent,
  EventDocument,
  [keepMs?: number]
>({
  names: { ...OF_TENANT, resource: 'res' },
  derived: {
    expireAt: ({ at }, keepMs) =>
      keepMs === undefined ? undefined : new Date(at.getTime() + keepMs),
  },
});
