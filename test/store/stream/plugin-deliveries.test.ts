import type { mongo } from 'mongoose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../src/domain/events.js';
import type { TenantId } from '../../../src/domain/kernel/ids.js';
import { type DeliveryQuery, MAX_COUNTED } from '../../../src/ports/deliveries.js';
import type { DeliveryResult, Ending, KeyPosition } from '../../../src/ports/event-stream.js';
import { deliveryIdOf } from '../../../src/pipeline/delivery-id.js';
import { createPluginDeliveries } from '../../../src/plugin/stream/plugin-deliveries.js';
import { mongoDeliveryStore } from '../../../src/store/stream/delivery-store.js';
import { mongoStreamStore } from '../../../src/store/stream/stream-store.js';
import { useDatabase } from '../../support/core.js';
import { PLUGIN, StreamWorld } from './stream-world.js';

const database = useDatabase();
const KEY = 'hook:2';
const kept = { summary: { status: 500 }, details: { body: 'broken' } };

let client: mongo.MongoClient;
let world: StreamWorld;
let tenant: TenantId;

beforeAll(async () => {
  client = await database.open();
});
beforeEach(async () => {
  world = new StreamWorld(client);
  await world.clear();
  tenant = await world.tenant();
  world.subscriptions = [{ key: KEY, after: 0 }];
});

const scope = () => ({ tenantId: tenant, keys: [KEY, 'hook:1'], ended: ['hook:1'] });
const store = () => mongoStreamStore(world.collections, () => new Date());
const list = (more: Partial<DeliveryQuery> = {}) =>
  world.deliveries().list({ ...scope(), limit: 100, offset: 0, ...more });
const seqsOf = async (more: Partial<DeliveryQuery> = {}): Promise<readonly number[]> =>
  (await list(more)).deliveries.map(({ event }) => event.seq);

const events = (count: number) =>
  world.commit(
    undefined,
    tenant,
    Array.from({ length: count }, (_, at) => `user-${at}`),
  );

const resultOf = (
  event: DomainEvent,
  ending: Ending,
  more: Partial<DeliveryResult> = {},
): DeliveryResult => ({
  id: deliveryIdOf(event.id, PLUGIN, KEY),
  ...{ plugin: PLUGIN, key: KEY, event, ending, attempts: 1 },
  reason: ending.kind === 'delivered' ? null : 'The receiver responded with 500.',
  attempt: { ms: 5, kept },
  ...more,
});

const record = (
  ended: readonly DomainEvent[],
  ending: Ending,
  more: Partial<DeliveryResult> = {},
): Promise<void> => store().record(ended.map((event) => resultOf(event, ending, more)));

const moveTo = async (tenantId: TenantId, position: KeyPosition): Promise<void> => {
  const cursor = { plugin: PLUGIN, tenantId };
  await store().claim(cursor, 1);
  await store().move([{ ...cursor, token: 1, low: position.at, keys: [position] }]);
};

const RETRY = { kind: 'retry', inMs: 60_000 } as const;

describe('the list of deliveries', () => {
  it('has those with a record and the events that wait for their first attempt, newest first', async () => {
    const [one, two, three] = await events(5);
    await record([one!], { kind: 'delivered' });
    await record([two!], RETRY);
    await record([three!], { kind: 'failed' });
    const { deliveries, total } = await list();
    expect(deliveries.map(({ event, state }) => [event.seq, state])).toEqual([
      [5, 'pending'],
      [4, 'pending'],
      [3, 'failed'],
      [2, 'pending'],
      [1, 'delivered'],
    ]);
    expect(total).toBe(5);
    expect(deliveries[0]).toMatchObject({ nextAt: null, last: null, attempts: [] });
    expect(deliveries[3]!.nextAt!.getTime()).toBeGreaterThan(Date.now());
    expect(deliveries[3]!.attempts).toMatchObject([{ ms: 5, kept: { summary: { status: 500 } } }]);
    expect(deliveries[3]!.attempts[0]!.kept).not.toHaveProperty('details');
  });

  it('has no event that the position has settled or the registration does not want', async () => {
    await events(3);
    await moveTo(tenant, { key: KEY, at: 1, upTo: 3, open: [2] });
    expect(await seqsOf()).toEqual([2]);
    world.subscriptions = [{ key: KEY, after: 0, events: new Map([['user.created', 0]]) }];
    expect(await seqsOf()).toEqual([]);
  });

  it('is filtered by state, event and time', async () => {
    const all = await events(5);
    await record(all.slice(0, 2), { kind: 'delivered' });
    await record(all.slice(2, 3), { kind: 'failed' });
    expect(await seqsOf({ state: 'pending' })).toEqual([5, 4]);
    expect(await seqsOf({ state: 'delivered' })).toEqual([2, 1]);
    expect(await seqsOf({ state: 'failed' })).toEqual([3]);
    expect(await seqsOf({ events: ['user.created'] })).toEqual([]);
    expect(await seqsOf({ until: all[0]!.at })).toEqual([]);
    expect(await seqsOf({ since: all[0]!.at })).toEqual([5, 4, 3, 2, 1]);
  });

  it('counts what waits under an ended key as dropped', async () => {
    const [one, two] = await events(2);
    await record([one!], RETRY, { key: 'hook:1' });
    await record([two!], { kind: 'dropped' });
    expect(await seqsOf({ state: 'dropped' })).toEqual([2, 1]);
    expect(await seqsOf({ state: 'pending' })).toEqual([]);
    expect((await list()).deliveries.map(({ state }) => state)).toEqual(['dropped', 'dropped']);
  });

  it('has each delivery on one page only, and stops counting at the documented maximum', async () => {
    const all = await events(25);
    await record(all.slice(0, 13), { kind: 'delivered' });
    const seen: number[] = [];
    for (let offset = 0; offset < 30; offset += 7)
      seen.push(...(await seqsOf({ limit: 7, offset })));
    expect(seen).toEqual(Array.from({ length: 25 }, (_, at) => 25 - at));
    await events(MAX_COUNTED);
    expect((await list({ limit: 1 })).total).toBe(MAX_COUNTED);
  });

  it('has a delivery that waits once, also after it was requested again', async () => {
    const waiting = await events(600);
    const id = deliveryIdOf(waiting.at(-1)!.id, PLUGIN, KEY);
    expect(await world.deliveries().redeliver({ ...scope(), id, to: KEY })).toBe(true);
    const { deliveries, total } = await list({ limit: 3 });
    expect(deliveries.map(({ event }) => event.seq)).toEqual([600, 599, 598]);
    expect(total).toBe(600);
  });
});

describe('the backlog', () => {
  it('counts what waits, and has what is overdue of keys that are not paused', async () => {
    const position = { key: '$all', at: 1, upTo: 3, open: [2] };
    await moveTo(await world.tenant(), { ...position, isPaused: true });
    await moveTo(tenant, position);
    const [one] = await events(5);
    await record([one!], { kind: 'retry', inMs: -60_000 }, { key: '$all' });
    const overdue = async () => (await store().backlog()).overdueMs.get(PLUGIN);
    expect(await overdue()).toBeGreaterThanOrEqual(60_000);
    // One retry, 2, 4 and 5; and 2 of the paused one, by its position.
    expect((await store().backlog()).pending.get(PLUGIN)).toBe(5);
    await moveTo(tenant, { ...position, isPaused: true });
    expect(await overdue()).toBe(0);
  });
});

describe('a delivery', () => {
  const idOf = (event: DomainEvent | undefined) => deliveryIdOf(event!.id, PLUGIN, KEY);
  const find = (event: DomainEvent | undefined) => world.deliveries().find(scope(), idOf(event));

  it('is shown with all attempts, oldest first, and what they kept', async () => {
    const [one, two] = await events(2);
    await record([one!], RETRY);
    await record([one!], { kind: 'delivered' }, { attempts: 2, revision: 0 });
    const found = await find(one);
    expect(found).toMatchObject({ state: 'delivered', nextAt: null });
    expect(found!.attempts.map(({ reason }) => reason)).toEqual([
      'The receiver responded with 500.',
      null,
    ]);
    expect(found!.attempts[0]!.kept).toEqual(kept);
    expect(await find(two)).toMatchObject({ state: 'pending', attempts: [] });
  });

  it('that was recorded before a crash, and is recorded again, adds its attempt', async () => {
    const [one] = await events(1);
    await record([one!], RETRY);
    await record([one!], { kind: 'delivered' });
    expect(await find(one)).toMatchObject({ state: 'delivered' });
    expect((await find(one))!.attempts).toHaveLength(2);
  });

  it.each([{ kind: 'delivered' }, { kind: 'failed' }, { kind: 'dropped' }, RETRY] as const)(
    'has the whole schedule when it is queued again, after $kind',
    async (ending) => {
      const [one] = await events(1);
      await record([one!], ending);
      const request = { ...scope(), id: idOf(one), to: KEY };
      expect(await world.deliveries().redeliver(request)).toBe(true);
      const all = { plugins: [PLUGIN], partitions: [...Array(64).keys()], except: [], limit: 9 };
      const [retry] = await store().dueRetries(all);
      expect(retry).toMatchObject({ attempts: 0, revision: 1, key: KEY, event: { id: one!.id } });
      expect(await find(one)).toMatchObject({ state: 'pending', nextAt: null });
    },
  );

  it('that is queued again during an attempt is not ended by it', async () => {
    const [one] = await events(1);
    await record([one!], RETRY);
    await world.deliveries().redeliver({ ...scope(), id: idOf(one), to: KEY });
    await record([one!], { kind: 'delivered' }, { attempts: 2, revision: 0 });
    expect(await find(one)).toMatchObject({ state: 'pending' });
    expect((await find(one))!.attempts).toHaveLength(2);
  });

  it.each(['before', 'after'] as const)(
    'whose first attempt ends just %s the waiting events are read is found, and listed once',
    async (when) => {
      const [one] = await events(1);
      const store = mongoDeliveryStore(world.collections, PLUGIN, () => new Date());
      const waiting: typeof store.waiting = async (...query) => {
        const found = await store.waiting(...query);
        await record([one!], { kind: 'delivered' });
        await moveTo(tenant, { key: KEY, at: 1, upTo: 1, open: [] });
        return when === 'after' ? found : store.waiting(...query);
      };
      const deliveries = createPluginDeliveries({
        store: { ...store, waiting },
        subscriber: () => ({ subscriptions: () => Promise.resolve(world.subscriptions) }),
        onQueued: () => undefined,
      });
      expect(await deliveries.find(scope(), idOf(one))).toBeDefined();
      const page = await deliveries.list({ ...scope(), limit: 9, offset: 0 });
      expect(page.deliveries).toMatchObject([{ id: idOf(one), state: 'delivered' }]);
    },
  );

  it.each([
    ['tenant', { tenantId: 'other' as TenantId }],
    ['key', { keys: ['other'] }],
  ])('of another %s is neither listed nor found nor sent again', async (_, other) => {
    const [one] = await events(2);
    await record([one!], { kind: 'failed' });
    const [deliveries, id] = [world.deliveries(), idOf(one)];
    const owner = { ...scope(), ...other };
    expect(await list(other)).toEqual({ deliveries: [], total: 0 });
    expect(await deliveries.find(owner, id)).toBeUndefined();
    expect(await deliveries.redeliver({ ...owner, id, to: KEY })).toBe(false);
  });
});
