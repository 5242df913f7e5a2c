import type { DomainEvent, EventName, EventResource } from '../../domain/events.js';
import type { EventId, TenantId } from '../../domain/kernel/ids.js';
import { SAMPLE_EVENTS } from '../../domain/sample-events.js';
import { newId } from '../../pipeline/submit.js';

const idIn = (name: EventName, thing: 'user' | 'room' | 'group' | 'list'): string =>
  (SAMPLE_EVENTS[name][thing] as { readonly id: string }).id;

const resourceOf = (name: EventName): EventResource => {
  const id = (thing: Parameters<typeof idIn>[1]): string => idIn(name, thing);
  if (name.startsWith('user.')) return { kind: 'user', id: id('user') };
  if (name.startsWith('room.')) return { kind: 'membership', id: `${id('room')}:${id('user')}` };
  if (name.startsWith('group.member_'))
    return { kind: 'membership', id: `${id('group')}:${id('user')}` };
  if (name.startsWith('group.')) return { kind: 'group', id: id('group') };
  return { kind: 'sms_list', id: id('list') };
};

/** The tenant of the bench and of its events. */
export const SAMPLE_TENANT_ID = '00000000-0000-4000-8000-0000000acade' as TenantId;

/** An event of this name as it would be committed; `more` replaces parts of it. */
export const sampleEvent = (name: EventName, more: Partial<DomainEvent> = {}): DomainEvent => ({
  id: newId<EventId>(),
  name,
  resource: resourceOf(name),
  data: SAMPLE_EVENTS[name],
  tenantId: SAMPLE_TENANT_ID,
  tenantSlug: 'acme',
  seq: 1,
  at: new Date('2026-01-02T03:04:05.006Z'),
  apiKeyId: null,
  ...more,
});
