import type { DomainEvent } from '../../src/domain/events.js';
import type { EventId, TenantId } from '../../src/domain/ids.js';
import type { OutboxRow } from '../../src/domain/outbox.js';
import { deliveryIdOf } from '../../src/plugin/engine/delivery-id.js';
import { idOf, TENANT_ID } from '../support/builders.js';

export interface EventGiven {
  readonly seq: number;
  /** Whom it is about; events of one subject are kept in order. */
  readonly subject?: string;
  readonly tenantId?: TenantId;
  readonly at?: Date;
}

export const anEvent = ({
  seq,
  subject = `user-${seq}`,
  tenantId = TENANT_ID,
  at = new Date('2026-11-21T09:00:00.000Z'),
}: EventGiven): DomainEvent => ({
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

/** A row for an event, as the engine would plan it. */
export const aRow = (event: DomainEvent, more: Partial<OutboxRow> = {}): OutboxRow => {
  const { plugin = 'tests', key = 'alpha' } = more;
  return {
    id: deliveryIdOf(event.id, plugin, key),
    tenantId: event.tenantId,
    plugin,
    key,
    eventId: event.id,
    seq: event.seq,
    resource: `${event.resource.kind}:${event.resource.id}`,
    due: new Date(0),
    owner: null,
    ...more,
  };
};
