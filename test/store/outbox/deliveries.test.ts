import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DeliveryQuery, MAX_COUNTED } from '../../../src/outbox/delivery-record.js';
import type { DeliveryId, TenantId } from '../../../src/domain/kernel/ids.js';
import type { Acknowledgement, ClaimResult } from '../../../src/outbox/outbox-claims.js';
import { createRecoveries } from '../../../src/plugin/delivery/recoveries.js';
import type { DurableSubscriber } from '../../../src/plugin/contract/contract.js';
import { type Collections, collectionsOf } from '../../../src/store/tables/collections.js';
import { toOutboxDocument } from '../../../src/store/tables/outbox.js';
import {
  mongoRecoveryStore,
  mongoPluginDeliveries,
} from '../../../src/store/outbox/plugin-deliveries.js';
import { mongoOutboxStore } from '../../../src/store/outbox/outbox-store.js';
import { anEvent, aRow, aSpan } from '../../contract/outbox-fixtures.js';
import { idOf, TENANT_ID } from '../../support/builders.js';
import { useDatabase } from '../../support/core.js';

const database = useDatabase();
const OTHER = idOf<TenantId>(0xbad);
const KEY = 'hook:2';
const OWNER = { tenantId: TENANT_ID, keys: [KEY, 'hook:1'] };
const kept = { summary: { status: 500 }, details: { body: 'broken' } };

let collections: Collections;

beforeAll(async () => {
  collections = collectionsOf(await database.open());
});
beforeEach(async () => {
  const { outboxAttempts, outboxRecoveries } = collections;
  await Promise.all(
    [outbox(), outboxAttempts, outboxRecoveries].map((each) => each.deleteMany({})),
  );
});

const outbox = () => collections.outbox;
const deliveries = () => mongoPluginDeliveries(collections, 'tests');
const list = (more: Partial<DeliveryQuery> = {}) =>
  deliveries().list({ ...OWNER, limit: 100, offset: 0, ...more });
const seqsOf = async (more: Partial<DeliveryQuery> = {}): Promise<readonly number[]> =>
  (await list(more)).deliveries.map(({ event }) => event.seq);

const minute = (seq: number): Date => new Date(Date.UTC(2026, 10, 21, 9, seq));

/** Pending rows of events from this position on. */
const insertRows = async (
  from: number,
  count: number,
  more: Partial<ReturnType<typeof aRow>> = {},
): Promise<readonly DeliveryId[]> => {
  const events = Array.from({ length: count }, (_, at) =>
    anEvent({
      seq: from + at,
      at: minute(from + at),
      ...(more.tenantId && { tenantId: more.tenantId }),
    }),
  );
  const rows = events.map((event) => aRow(event, { key: KEY, owner: 'me', ...more }));
  await outbox().insertMany(rows.map(toOutboxDocument));
  return rows.map(({ id }) => id);
};

const end = async (
  ids: readonly DeliveryId[],
  result: ClaimResult,
  reason: string | null = null,
  isFirst = true,
) => {
  const batch = ids.map((id): Acknowledgement => ({
    id,
    owner: 'me',
    claim: null,
    result,
    attempt: { reason, ms: 5, record: { tenantId: TENANT_ID, kept, isFirst } },
  }));
  const store = mongoOutboxStore(collections);
  await store.acknowledge(batch);
  await store.settle();
};

const FAILED = { kind: 'failed' } as const;

describe('the list of deliveries', () => {
  it('shows the newest event first, over all keys and states', async () => {
    await end(await insertRows(1, 2, { key: 'hook:1' }), { kind: 'dropped' });
    await end(await insertRows(3, 2), { kind: 'delivered' });
    await end(
      await insertRows(5, 1),
      { kind: 'retry', inMs: 60_000 },
      'The receiver responded with 500.',
    );
    await insertRows(6, 1);
    const { deliveries: all, total } = await list();
    expect(all.map(({ event, state }) => [event.seq, state])).toEqual([
      [6, 'pending'],
      [5, 'pending'],
      [4, 'delivered'],
      [3, 'delivered'],
      [2, 'dropped'],
      [1, 'dropped'],
    ]);
    expect(total).toBe(6);
    expect(all[0]).toMatchObject({ nextAt: null, last: null, attempts: [] });
    expect(all[1]!.nextAt!.getTime()).toBeGreaterThan(Date.now());
    expect(all[1]!.event).toEqual({
      id: anEvent({ seq: 5 }).id,
      name: 'user.updated',
      seq: 5,
      at: minute(5),
    });
  });

  it('is limited to one plugin, tenant and set of keys', async () => {
    await insertRows(1, 1);
    await insertRows(2, 1, { plugin: 'others' });
    await insertRows(3, 1, { key: 'hook:20' });
    await insertRows(4, 1, { tenantId: OTHER });
    expect(await seqsOf()).toEqual([1]);
  });

  it('is filtered by state, event and time', async () => {
    await end(await insertRows(1, 2), { kind: 'delivered' });
    await end(await insertRows(3, 2), FAILED);
    await insertRows(5, 2);
    expect(await seqsOf({ state: 'pending' })).toEqual([6, 5]);
    expect(await seqsOf({ state: 'failed' })).toEqual([4, 3]);
    expect(await seqsOf({ state: 'dropped' })).toEqual([]);
    expect(await seqsOf({ since: minute(2), until: minute(5) })).toEqual([4, 3, 2]);
    expect(await seqsOf({ events: ['user.created', 'user.updated'], state: 'delivered' })).toEqual([
      2, 1,
    ]);
    expect(await list({ events: ['user.created'] })).toEqual({ deliveries: [], total: 0 });
  });

  it('has each delivery on one page only', async () => {
    await end(await insertRows(1, 13), { kind: 'delivered' });
    await insertRows(14, 12);
    const seen: number[] = [];
    for (let offset = 0; offset < 30; offset += 7)
      seen.push(...(await seqsOf({ limit: 7, offset })));
    expect(seen).toEqual(Array.from({ length: 25 }, (_, at) => 25 - at));
  });

  it('stops counting at the documented maximum', async () => {
    const rows = Array.from({ length: MAX_COUNTED + 5 }, (_, at) =>
      toOutboxDocument(aRow(anEvent({ seq: at + 1 }), { key: KEY })),
    );
    await outbox().insertMany(rows);
    expect((await list({ limit: 1 })).total).toBe(MAX_COUNTED);
  });

  it('shows no span, whether pending or finished', async () => {
    const [first, second] = [anEvent({ seq: 1 }), anEvent({ seq: 2 })];
    await outbox().insertOne(toOutboxDocument(aSpan([first, second], { key: KEY })));
    expect((await list()).total).toBe(0);
    await mongoOutboxStore(collections).endWaiting({
      plugin: 'tests',
      key: KEY,
      kind: 'failed',
      reason: 'No response for too long.',
    });
    expect((await list()).total).toBe(0);
  });

  it('reads finished rows from an index that commits do not update', async () => {
    const finished = (await outbox().indexes()).find(
      ({ key }) => 'st' in key && 'seq' in key && key.seq === -1,
    );
    expect(finished?.partialFilterExpression).toEqual({ expireAt: { $exists: true } });
  });
});

describe('attempts', () => {
  it('are in order, and without details in lists', async () => {
    const ids = await insertRows(1, 1);
    await end(ids, { kind: 'retry', inMs: 0 }, 'The receiver responded with 500.');
    await outbox().updateOne({ _id: ids[0]! }, { $set: { own: 'me' } });
    await end(ids, { kind: 'delivered' }, null, false);
    const [listed] = (await list()).deliveries;
    expect(listed!.attempts.map(({ reason, ms, kept: shown }) => [reason, ms, shown])).toEqual([
      ['The receiver responded with 500.', 5, { summary: { status: 500 } }],
      [null, 5, { summary: { status: 500 } }],
    ]);
    const whole = await deliveries().find(OWNER, ids[0]!);
    expect(whole!.attempts.map((attempt) => attempt.kept)).toEqual([kept, kept]);
    expect(whole!.attempts.every(({ at }) => Math.abs(Date.now() - at.getTime()) < 10_000)).toBe(
      true,
    );
  });

  it('are in the row if they are the first', async () => {
    await end(await insertRows(1, 2), { kind: 'delivered' });
    expect(await collections.outboxAttempts.countDocuments()).toBe(0);
    expect(
      (await outbox().findOne({ seq: 2 }, { readConcern: { level: 'local' } }))!.first,
    ).toMatchObject({
      ms: 5,
      reason: null,
      details: '{"body":"broken"}',
    });
  });

  it('after the first expire 7 days after a success, 30 after a failure', async () => {
    const [one, other] = await insertRows(1, 2);
    await end([one!], { kind: 'delivered' }, null, false);
    await end([other!], { kind: 'retry', inMs: 0 }, null, false);
    const days = new Map(
      (
        await collections.outboxAttempts.find({}, { readConcern: { level: 'local' } }).toArray()
      ).map(({ d, expireAt }) => [d, Math.round((expireAt.getTime() - Date.now()) / 86_400_000)]),
    );
    expect(days).toEqual(
      new Map([
        [one, 7],
        [other, 30],
      ]),
    );
  });

  it('that cannot be stored do not delay acknowledgements', async () => {
    const ids = await insertRows(1, 1);
    const huge = { summary: { text: 'x'.repeat(17_000_000) } };
    const store = mongoOutboxStore(collections);
    await store.acknowledge([
      {
        id: ids[0]!,
        owner: 'me',
        claim: null,
        result: { kind: 'delivered' },
        attempt: {
          reason: null,
          ms: 1,
          record: { tenantId: TENANT_ID, kept: huge, isFirst: true },
        },
      },
    ]);
    await store.settle();
    expect((await list()).deliveries).toMatchObject([{ state: 'delivered', attempts: [] }]);
  });

  it('are returned only with the plugin, tenant and key of the delivery', async () => {
    const [id] = await insertRows(1, 1);
    expect(await deliveries().find({ ...OWNER, tenantId: OTHER }, id!)).toBeUndefined();
    expect(await deliveries().find({ ...OWNER, keys: ['hook:3'] }, id!)).toBeUndefined();
    expect(await mongoPluginDeliveries(collections, 'others').find(OWNER, id!)).toBeUndefined();
    expect(await deliveries().find(OWNER, id!)).toBeDefined();
  });
});

/** A registration that was disabled and enabled again: nothing more is sent under its old key. */
const ENABLED_AGAIN = { ...OWNER, ended: ['hook:1'] };

describe('a delivery that is pending under an ended key', () => {
  let old: DeliveryId;
  beforeEach(async () => {
    [old] = (await insertRows(1, 1, { key: 'hook:1' })) as [DeliveryId];
    await end([old], { kind: 'retry', inMs: 3_600_000 }, 'status 500');
    await end(await insertRows(2, 1), { kind: 'retry', inMs: 3_600_000 }, 'status 500');
    await end(await insertRows(3, 1, { key: 'hook:1' }), { kind: 'dropped' });
  });

  it('counts as dropped before the engine drops it', async () => {
    const { deliveries: all, total } = await list(ENABLED_AGAIN);
    expect(all.map(({ event, state }) => [event.seq, state])).toEqual([
      [3, 'dropped'],
      [2, 'pending'],
      [1, 'dropped'],
    ]);
    expect(total).toBe(3);
    expect(all[2]).toMatchObject({ nextAt: null });
    const found = await deliveries().find(ENABLED_AGAIN, old);
    expect(found).toMatchObject({ state: 'dropped', nextAt: null });
  });

  it('is listed with the dropped deliveries, not with the pending ones', async () => {
    expect(await seqsOf({ ...ENABLED_AGAIN, state: 'dropped' })).toEqual([3, 1]);
    expect(await seqsOf({ ...ENABLED_AGAIN, state: 'pending' })).toEqual([2]);
    expect(await seqsOf({ ...ENABLED_AGAIN, state: 'failed' })).toEqual([]);
    const disabled = { ...OWNER, ended: OWNER.keys };
    expect(await seqsOf({ ...disabled, state: 'pending' })).toEqual([]);
    expect((await list({ ...disabled, state: 'dropped' })).total).toBe(3);
  });

  it('is requeued under the current key by a redelivery', async () => {
    expect(await deliveries().redeliver({ ...ENABLED_AGAIN, id: old, to: KEY })).toBe(true);
    const { rows } = await claim();
    expect(rows).toMatchObject([{ id: old, key: KEY, attempt: 1, seq: 1 }]);
    expect((await deliveries().find(ENABLED_AGAIN, old))?.state).toBe('pending');
  });
});

const claim = () =>
  mongoOutboxStore(collections).claimDue({
    plugin: 'tests',
    owner: 'me',
    claim: randomUUID(),
    leaseMs: 1_000,
    limit: 100,
    more: 0,
    share: 100,
    capacity: new Map(),
  });

/** The collection, with a callback that runs right after each update. */
const afterEachUpdate = <Document extends object>(
  collection: mongo.Collection<Document>,
  happens: () => Promise<void>,
): mongo.Collection<Document> =>
  new Proxy(collection, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...args: unknown[]) => unknown;
      if (name !== 'updateOne' && name !== 'updateMany') return method;
      return async (...args: unknown[]) => {
        const result = await method(...args);
        await happens();
        return result;
      };
    },
  });

describe('redelivery', () => {
  it.each(['delivered', 'failed', 'dropped'] as const)(
    'requeues one that was %s: same id, current key, full retry schedule',
    async (kind) => {
      const [id] = await insertRows(1, 1, { key: 'hook:1' });
      await end([id!], { kind });
      expect(await deliveries().redeliver({ ...OWNER, id: id!, to: KEY })).toBe(true);
      const { rows } = await claim();
      expect(rows).toMatchObject([{ id, key: KEY, attempt: 1, hasFailed: true, seq: 1 }]);
      expect(await outbox().findOne({ _id: id! })).not.toHaveProperty('expireAt');
    },
  );

  it('makes a waiting one due, and leaves one in progress to its claim', async () => {
    const [waiting] = await insertRows(1, 1);
    const [inProgress] = await insertRows(2, 1, { due: new Date(Date.now() + 50_000) });
    await end([waiting!], { kind: 'retry', inMs: 3_600_000 }, 'status 500');
    for (const id of [waiting!, inProgress!])
      expect(await deliveries().redeliver({ ...OWNER, id, to: KEY })).toBe(true);
    expect((await claim()).rows.map(({ id, attempt }) => [id, attempt])).toEqual([[waiting, 2]]);
  });

  /** The states in which the row may be found, also under the ended key. */
  const STATES = {
    finished: { st: 'd', own: null, expireAt: new Date(Date.now() + 60_000) },
    waiting: { st: 'p', own: null },
    'in progress': { st: 'p', own: 'me' },
  } as const;
  type State = keyof typeof STATES;
  const names = Object.keys(STATES) as State[];

  it.each(names.flatMap((first) => names.map((then) => [first, then] as const)))(
    'finds a delivery that is %s at the request and %s after each statement',
    async (first, then) => {
      const [id] = (await insertRows(1, 1)) as [DeliveryId];
      const become = async (state: State): Promise<void> => {
        await outbox().updateOne({ _id: id }, { $set: STATES[state] });
      };
      await become(first);
      const { redeliver } = mongoPluginDeliveries(
        { ...collections, outbox: afterEachUpdate(outbox(), () => become(then)) },
        'tests',
      );
      expect(await redeliver({ ...ENABLED_AGAIN, id, to: KEY })).toBe(true);
    },
  );

  it('is refused for an unknown delivery or another owner’s', async () => {
    const [id] = await insertRows(1, 1);
    await end([id!], FAILED);
    const { redeliver } = deliveries();
    expect(await redeliver({ ...OWNER, id: idOf<DeliveryId>(9), to: KEY })).toBe(false);
    expect(await redeliver({ ...OWNER, tenantId: OTHER, id: id!, to: KEY })).toBe(false);
    expect(await redeliver({ ...OWNER, keys: ['hook:7'], id: id!, to: 'hook:7' })).toBe(false);
    expect((await claim()).rows).toEqual([]);
  });
});

describe('a recovery', () => {
  const served = new Set([KEY]);
  const subscriber = {
    serving: (_tenant: TenantId, keys: readonly string[]) =>
      Promise.resolve(new Set(keys.filter((key) => served.has(key)))),
  } as Partial<DurableSubscriber> as DurableSubscriber;
  const store = () => mongoRecoveryStore(collections);
  const silent = () => undefined;

  /** Runs a recovery to its end. */
  const finish = async (id: string) => {
    const recoveries = createRecoveries({
      subscribers: new Map([['tests', subscriber]]),
      store: store(),
      owner: randomUUID(),
      onRequeued: () => undefined,
      log: { debug: silent, info: silent, warn: silent, error: silent },
    });
    recoveries.start();
    let found = await deliveries().findRecovery(OWNER, id);
    while (found?.state === 'running') found = await deliveries().findRecovery(OWNER, id);
    await recoveries.stop();
    return found;
  };

  const ask = (since = new Date(Date.now() - 60_000), id: string = randomUUID()) =>
    deliveries().recover({ ...OWNER, id, to: KEY, since });

  it('requeues the rows and spans that failed since then, and nothing else', async () => {
    await end(await insertRows(1, 1_200), FAILED, 'status 500');
    await end(await insertRows(2_001, 5, { key: 'hook:1' }), FAILED);
    await end(await insertRows(3_001, 5), { kind: 'delivered' });
    await end(await insertRows(4_001, 5), { kind: 'dropped' });
    await end(await insertRows(5_001, 5, { key: 'hook:3' }), FAILED);
    await outbox().insertOne(
      toOutboxDocument(aSpan([anEvent({ seq: 6_001 }), anEvent({ seq: 6_002 })], { key: KEY })),
    );
    await mongoOutboxStore(collections).endWaiting({
      plugin: 'tests',
      key: KEY,
      kind: 'failed',
      reason: 'x',
    });
    const { id, state } = await ask();
    expect(state).toBe('running');
    expect(await finish(id)).toMatchObject({ state: 'done', recovered: 1_207 });
    expect(await outbox().countDocuments({ st: 'p', key: KEY })).toBe(1_206);
    expect(await outbox().countDocuments({ st: 'f' })).toBe(5);
    const span = await outbox().findOne({ left: 2 });
    expect(span!.span!.since.getTime()).toBeGreaterThan(Date.now() - 60_000);
  });

  it('leaves what failed before', async () => {
    await end(await insertRows(1, 3), FAILED);
    const { id } = await ask(new Date(Date.now() + 60_000));
    expect(await finish(id)).toMatchObject({ state: 'done', recovered: 0 });
  });

  it('leaves what was delivered between the query and the update', async () => {
    const ids = await insertRows(1, 3);
    await end(ids, FAILED);
    await ask();
    let arrived = false;
    const outboxRecoveries = afterEachUpdate(collections.outboxRecoveries, async () => {
      if (!arrived) await outbox().updateOne({ _id: ids[1]! }, { $set: { st: 'd' } });
      arrived = true;
    });
    const recoveries = mongoRecoveryStore({ ...collections, outboxRecoveries });
    const job = await store().take('me');
    expect(await recoveries.step('me', job!, 500)).toBe(true);
    expect(await outbox().findOne({ _id: ids[1]! })).toMatchObject({ st: 'd' });
    expect(await outbox().countDocuments({ st: 'p' })).toBe(2);
  });

  it('does not retry again what fails while it runs', async () => {
    const ids = await insertRows(1, 3);
    const { id } = await ask();
    await end(ids, FAILED);
    expect(await finish(id)).toMatchObject({ recovered: 0 });
  });

  it('stops if the key is no longer served', async () => {
    await end(await insertRows(1, 3), FAILED);
    served.clear();
    const { id } = await ask();
    expect(await finish(id)).toMatchObject({ state: 'stopped', recovered: 0 });
    served.add(KEY);
    expect(await outbox().countDocuments({ st: 'f' })).toBe(3);
  });

  it('is continued by another instance when its own stops', async () => {
    await end(await insertRows(1, 700), FAILED);
    const { id } = await ask();
    const job = await store().take('crashed');
    expect(await store().step('crashed', job!, 500)).toBe(true);
    expect(await store().take('other')).toBeUndefined();
    await collections.outboxRecoveries.updateOne({ _id: id }, { $set: { due: new Date(0) } });
    expect(await finish(id)).toMatchObject({ state: 'done', recovered: 700 });
    await store().end('crashed', job!, 'stopped');
    expect(await deliveries().findRecovery(OWNER, id)).toMatchObject({ state: 'done' });
  });

  it('is started once per id', async () => {
    const [one, other] = [new Date(1_000), new Date(2_000)];
    const id = randomUUID();
    const [first, again] = await Promise.all([ask(one, id), ask(one, id)]);
    expect(again).toEqual(first);
    expect(await ask(other, id)).toEqual(first);
    expect(await collections.outboxRecoveries.countDocuments()).toBe(1);
  });

  it('is visible to its own tenant and key only', async () => {
    const { id } = await ask();
    expect(await deliveries().findRecovery({ ...OWNER, tenantId: OTHER }, id)).toBeUndefined();
    expect(await deliveries().findRecovery({ ...OWNER, keys: ['hook:9'] }, id)).toBeUndefined();
  });
});
