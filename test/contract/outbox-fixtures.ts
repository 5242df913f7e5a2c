import type { DomainEvent } from '../../src/domain/events.js';
import type { EventId, TenantId } from '../../src/domain/kernel/ids.js';
import type { OutboxEvent, OutboxSpan } from '../../src/outbox/outbox-planner.js';
import { deliveryIdOf, spanIdOf } from '../../src/plugin/delivery/outbox-event.js';
import { idOf, TENANT_ID } from '../support/builders.js';

export interface EventInput {
  readonly seq: number;
  /** Events of one subject are delivered in order. */
  readonly subject?: string;
  readonly tenantId?: TenantId;
  readonly at?: Date;
}

export const anEvent = ({
  seq,
  subject = `user-${seq}`,
  tenantId = TENANT_ID,
  at = new Date('2026-11-21T09:00:00.000Z'),
}: EventInput): DomainEvent => ({
  id: idOf<EventId>(0xe00000 + seq),
  name: 'user.updated',
  resource: { kind: 'user', id: subject },
  data: { user: { id: subject }, note: '$not.a.field' },
  tenantId,
  tenantSlug: 'acme',
  seq,
  at,
  apiKeyId: null,
});

/** A row for an event, as planned by the delivery engine. */
export const aRow = (event: DomainEvent, more: Partial<OutboxEvent> = {}): OutboxEvent => {
  const { plugin = 'tests', key = 'alpha' } = more;
  return {
    id: deliveryIdOf(event.id, plugin, key),
    tenantId: event.tenantId,
    plugin,
    key,
    eventId: event.id,
    seq: event.seq,
    name: event.name,
    at: event.at,
    resource: `${event.resource.kind}:${event.resource.id}`,
    due: new Date(0),
    owner: null,
    ...more,
  };
};

/** A span of these events, as planned by the delivery engine. */
export const aSpan = (
  events: readonly [DomainEvent, ...DomainEvent[]],
  more: Partial<OutboxSpan> = {},
): OutboxSpan => {
  const { plugin = 'tests', key = 'alpha' } = more;
  const [{ id, tenantId }] = events;
  return {
    id: spanIdOf(id, plugin, key),
    tenantId,
    plugin,
    key,
    seqs: events.map(({ seq }) => seq),
    due: new Date(0),
    owner: null,
    ...more,
  };
};
