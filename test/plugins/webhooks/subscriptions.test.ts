import { describe, expect, it } from 'vitest';
import { EVENT_NAMES } from '../../../src/domain/events.js';
import type { RecordId, TenantId } from '../../../src/domain/kernel/ids.js';
import type { Registration } from '../../../plugins/webhooks/registration.js';
import { createSubscriptions } from '../../../plugins/webhooks/subscriber.js';
import { aTenant, idOf, NOW } from '../../support/builders.js';
import { anEvent } from './webhook-bench.js';

const aRegistration = (number: number, more: Partial<Registration> = {}): Registration => ({
  id: idOf<RecordId>(number),
  url: 'https://hook.test/',
  query: null,
  events: ['*'],
  status: 'active',
  epoch: 1,
  description: null,
  secret: 'sealed',
  disabledReason: null,
  previous: [],
  next: null,
  headers: [],
  include: [],
  isCustomers: false,
  createdAt: NOW,
  version: 1,
  ...more,
});

const subscriptionsOver = (answers: readonly (readonly Registration[])[], capacity?: number) => {
  let reads = 0;
  const read = () => {
    const registrations = answers[reads++] ?? [];
    return Promise.resolve(new Map(registrations.map((one) => [one.id, one])));
  };
  return { subscriptions: createSubscriptions({ read }, capacity), reads: () => reads };
};

const keys = (...numbers: number[]): string[] => numbers.map((number) => `${idOf(number)}:1`);

describe('the subscriptions', () => {
  it('route a family’s events to subscribers of the family', async () => {
    const { subscriptions } = subscriptionsOver([
      [
        aRegistration(1, { events: ['room.*'] }),
        aRegistration(2, { events: ['user.*', 'user.created'] }),
      ],
    ]);
    await subscriptions.prepare(aTenant(), 1);
    const routed = EVENT_NAMES.map((name) => [name, subscriptions.route(anEvent(name))]);
    expect(routed.filter(([, to]) => to!.length > 0)).toEqual(
      EVENT_NAMES.flatMap((name) => {
        if (name.startsWith('room.')) return [[name, keys(1)]];
        return name.startsWith('user.') ? [[name, keys(2)]] : [];
      }),
    );
  });

  it('route an event to its subscribers and to those of all events', async () => {
    const { subscriptions } = subscriptionsOver([
      [
        aRegistration(1, { events: ['user.created'] }),
        aRegistration(2, { events: ['user.deleted', 'user.created'] }),
        aRegistration(3, { events: ['sms_list.created'] }),
        aRegistration(4, { events: ['*', 'user.created'] }),
      ],
    ]);
    await subscriptions.prepare(aTenant(), 1);
    expect(subscriptions.route(anEvent('user.created'))).toEqual(keys(1, 2, 4));
    expect(subscriptions.route(anEvent('sms_list.created'))).toEqual(keys(3, 4));
    for (const name of EVENT_NAMES)
      expect(subscriptions.route(anEvent(name))).toContain(keys(4)[0]);
  });

  it('route nothing to disabled registrations', async () => {
    const { subscriptions } = subscriptionsOver([[aRegistration(1, { status: 'disabled' })]]);
    await subscriptions.prepare(aTenant(), 1);
    expect(subscriptions.route(anEvent())).toEqual([]);
  });

  it('name the epoch in the key', async () => {
    const { subscriptions } = subscriptionsOver([[aRegistration(1, { epoch: 9 })]]);
    await subscriptions.prepare(aTenant(), 1);
    expect(subscriptions.route(anEvent())).toEqual([`${idOf(1)}:9`]);
  });

  it('are read again when their version is another, and only then', async () => {
    const { subscriptions, reads } = subscriptionsOver([[aRegistration(1)], [aRegistration(2)]]);
    await subscriptions.prepare(aTenant(), 4);
    expect(subscriptions.prepare(aTenant(), 4)).toBeUndefined();
    expect(reads()).toBe(1);
    await subscriptions.prepare(aTenant(), 5);
    expect(subscriptions.route(anEvent())).toEqual(keys(2));
    expect(reads()).toBe(2);
  });

  it('are not read at all for a tenant that never had any', () => {
    const { subscriptions, reads } = subscriptionsOver([]);
    expect(subscriptions.prepare(aTenant(), 0)).toBeUndefined();
    expect(subscriptions.route(anEvent())).toEqual([]);
    expect(reads()).toBe(0);
  });

  it('are those of the event’s tenant', async () => {
    const { subscriptions } = subscriptionsOver([[aRegistration(1)], [aRegistration(2)]]);
    const other = aTenant({ id: idOf<TenantId>(0xbbbb) });
    await subscriptions.prepare(aTenant(), 1);
    await subscriptions.prepare(other, 1);
    expect(subscriptions.route(anEvent())).toEqual(keys(1));
    expect(subscriptions.route(anEvent('user.created', { tenantId: other.id }))).toEqual(keys(2));
  });

  it('throw for an event of a tenant that was not prepared', () => {
    const { subscriptions } = subscriptionsOver([]);
    expect(() => subscriptions.route(anEvent())).toThrow('were not prepared');
  });

  it('evict the tenant that was prepared first', async () => {
    const { subscriptions, reads } = subscriptionsOver([[], [], [], []], 2);
    const [one, two, three] = [1, 2, 3].map((number) => aTenant({ id: idOf<TenantId>(number) }));
    for (const tenant of [one!, two!, one!, three!, one!]) await subscriptions.prepare(tenant, 1);
    expect(reads()).toBe(3);
    await subscriptions.prepare(two!, 1);
    expect(reads()).toBe(4);
  });
});
