import * as mongodb from 'mongodb';
import type { mongo } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliveryIdOf } from '../../../src/pipeline/delivery-id.js';
import { partitionOf } from '../../../src/ports/event-stream.js';
import { connect } from '../../../src/store/connect.js';
import { upgradeOutbox } from '../../../src/store/stream/upgrade-outbox.js';
import { type Collections, collectionsOf } from '../../../src/store/tables/collections.js';
import { createTestDatabase } from '../../support/database.js';

const { uri } = createTestDatabase({ isEmpty: true });
const at = new Date('2026-11-21T09:00:00.000Z');
const later = new Date('2126-01-01T00:00:00.000Z');
const expireAt = new Date('2125-01-01T00:00:00.000Z');
const common = { tenant: 'acme', plugin: 'webhooks', key: 'hook:1' };
const first = { at, ms: 1, reason: 'status 500' };

const row = (seq: number, more: object) => ({
  ...{ _id: `row-${seq}`, ...common, ev: `event-${seq}`, seq, name: 'user.created', at },
  ...{ res: 'user:ada', own: null, claim: null, st: 'p', n: 1, due: later },
  ...more,
});

const span = (_id: string, from: number, bits: readonly number[], more: object) => ({
  ...{ _id, ...common, ev: null, seq: from, res: 'span:acme', st: 'p', due: later, own: null },
  ...{ claim: null, n: 0, span: { seqs: { from, bits: new mongodb.Binary(Buffer.from(bits)) } } },
  ...more,
});

/** The log has all these events; one span is longer than a batch. */
const HEAD = 1_300;
const eventOf = (seq: number) => ({
  _id: `00000000-0000-4000-8000-${String(seq).padStart(12, '0')}`,
  ...{ tenant: 'acme', seq, name: 'user.updated', at: new Date(at.getTime() + seq) },
});
const LOG = Array.from({ length: HEAD }, (_, index) => eventOf(index + 1));
const idOf = (seq: number) => deliveryIdOf(eventOf(seq)._id as never, 'webhooks', 'hook:1');

const OUTBOX = [
  row(1, { st: 'd', first, expireAt }),
  row(2, { st: 'f', n: 3, first, expireAt }),
  row(3, { n: 4 }),
  row(4, { n: 0, due: at }),
  row(5, { own: 'a gateway' }),
  row(6, { own: 'a gateway', n: 3 }),
  row(7, { own: 'a gateway', n: 7, again: 'hook:2' }),
  row(8, { plugin: 'audit-trail', key: 'file' }),
  // 11, 13 and 14, of which the first is a row by now.
  span('waiting', 11, [0b1101], { seq: 13, left: 2 }),
  span('failed', 21, [0b11], { st: 'f', left: 2, last: first, expireAt }),
  span('long', 101, Array<number>(138).fill(255), { left: 1_104 }),
];

/** Runs `work` after so many of these writes, once; all later calls wait for it, and fail if it does. */
const interrupted = <Target extends object>(
  target: Target,
  { calls, isCounted }: { calls: number; isCounted: (name: string) => boolean },
  work: () => Promise<unknown>,
): Target => {
  let left = calls;
  let end: Promise<unknown> | undefined;
  const wrap = <Inner extends object>(inner: Inner): Inner =>
    new Proxy(inner, {
      get: (_, name) => {
        const value: unknown = Reflect.get(inner, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const call = (): unknown => Reflect.apply(value, inner, args);
          if (name === 'db' || name === 'collection') return wrap(call() as object);
          if (end) return end.then(call);
          const result = call();
          if (!(result instanceof Promise) || !isCounted(String(name))) return result;
          return result.then(async (found: unknown) => {
            left -= 1;
            if (left === 0) await (end = work());
            return found;
          });
        };
      },
    });
  return wrap(target);
};

describe('the outbox of an earlier version', () => {
  let client: mongo.MongoClient;
  let tables: Collections;

  beforeAll(async () => {
    client = await connect(uri);
    tables = collectionsOf(client);
  });
  afterAll(() => client.close());

  const seed = async () => {
    const { database } = tables;
    await database.dropDatabase();
    const insert = (name: string, documents: readonly object[]) =>
      database.collection(name).insertMany([...documents]);
    await insert('tenant_state', [{ _id: 'acme', seq: HEAD, pluginVersions: { webhooks: 1 } }]);
    await insert('plugin_records', [{ _id: '1', ...common }]);
    await insert('events', LOG);
    await insert('outbox', OUTBOX);
    const attempt = { d: 'row-2', tenant: 'acme', ms: 2, expireAt };
    await insert('outbox_attempts', [
      { ...attempt, at, reason: 'status 503' },
      { ...attempt, at: new Date(at.getTime() + 5_000), reason: 'status 504' },
    ]);
    await insert('outbox_recoveries', [{ _id: 'recovery', ...common, state: 'running' }]);
    const ofPending = { partialFilterExpression: { st: 'p' } };
    await database
      .collection('outbox')
      .createIndexes([{ key: { plugin: 1, key: 1, res: 1, seq: 1 }, name: 'old', ...ofPending }]);
  };
  beforeEach(seed);

  const endLease = () => tables.leases.updateMany({}, { $set: { freeAt: new Date(0) } });

  const upgrade = (owner = 'one', database = client, log: string[] = []) =>
    upgradeOutbox(collectionsOf(database), {
      owner,
      log: { info: (_fields, text) => void log.push(text) },
    });

  const read = async (filter: object) =>
    tables.deliveries.find(filter).sort({ seq: 1, _id: 1 }).toArray();

  /** All that the upgrade leaves behind; times that depend on its own become 'now'. */
  const state = async () => {
    const { deliveryRecoveries, database, cursors } = tables;
    const found = await read({});
    const collections = await database.listCollections({}, { nameOnly: true }).toArray();
    return {
      rows: found.map(({ due, ...each }) => ({
        ...each,
        due: due && due > at && due < expireAt && !each.ev.startsWith('0') ? 'now' : due,
      })),
      recoveries: await deliveryRecoveries.find({}).toArray(),
      cursors: await cursors.find({}).sort({ _id: 1 }).toArray(),
      names: collections.map(({ name }) => name).sort(),
      indexes: await tables.deliveries.indexes(),
    };
  };

  it('becomes history with all attempts', async () => {
    await upgrade();
    expect(await read({ st: { $ne: 'p' }, _id: /^row/u })).toMatchObject([
      { _id: 'row-1', st: 'd', expireAt },
      {
        ...{ _id: 'row-2', st: 'f', first: { reason: 'status 500' } },
        attempts: [{ reason: 'status 503', ms: 2 }, { reason: 'status 504' }],
      },
    ]);
    expect(await tables.deliveryRecoveries.countDocuments({ state: 'running' })).toBe(1);
  });

  it.each([
    ['keeps the schedule of', 'row-3', { n: 4, due: later }],
    ['keeps the order of first attempts:', 'row-4', { n: 0, due: at }],
    ['makes a first attempt again that was in progress:', 'row-5', { n: 0, due: at }],
    ['makes a retry again that was in progress:', 'row-6', { n: 2, due: 'now' }],
    ['makes a redelivery that was accepted:', 'row-7', { n: 0, due: 'now', rev: 1, key: 'hook:2' }],
    ['serves a plugin without records under its only key:', 'row-8', { n: 1, key: 'all' }],
  ])('%s %s', async (_, id, expected) => {
    await upgrade();
    const found = (await state()).rows.find(({ _id }) => _id === id);
    expect(found).toMatchObject({ st: 'p', part: partitionOf('acme' as never), ...expected });
  });

  it('becomes rows where many events shared one, in the state of that one', async () => {
    await upgrade();
    const expanded = await read({ ev: /^0/u });
    expect(expanded).toHaveLength(2 + 2 + 1_104);
    expect(expanded[0]).toMatchObject({
      ...{ _id: idOf(13), ...common, ev: eventOf(13)._id, seq: 13, name: 'user.updated' },
      ...{ st: 'p', n: 0, due: eventOf(13).at },
    });
    expect(expanded.filter(({ st }) => st === 'f')).toMatchObject([
      { _id: idOf(21), last: { reason: 'status 500' }, expireAt },
      { _id: idOf(22), last: { reason: 'status 500' }, expireAt },
    ]);
    expect(await tables.cursors.findOne({ plugin: 'webhooks' })).toMatchObject({
      ...{ base: HEAD, low: HEAD, keys: [] },
    });
  });

  it('leaves the log so far to a plugin that has records and no rows', async () => {
    await tables.database.collection('outbox').deleteMany({});
    await upgrade();
    expect(await tables.cursors.findOne({ plugin: 'webhooks' })).toMatchObject({ base: HEAD });
  });

  it('takes no more rows, so that a gateway of that version commits none', async () => {
    await upgrade();
    const insert = tables.database.collection('outbox').insertOne({ st: 'p' });
    await expect(insert).rejects.toThrow(/validation/u);
  });

  it('is upgraded once by gateways that start at the same time', async () => {
    await upgrade();
    const expected = await state();
    await seed();
    const log: string[] = [];
    await Promise.all(['one', 'two', 'three'].map((owner) => upgrade(owner, client, log)));
    expect(await state()).toEqual(expected);
    expect(log).toHaveLength(1);
  });

  it('is complete after another start, whenever the first one is killed', async () => {
    await upgrade();
    const expected = await state();
    const isCounted = (name: string) => /^(?:bulkWrite|create|rename|drop)/u.test(name);
    for (let calls = 1, isKilled = true; isKilled; calls += 1) {
      await seed();
      const killed = interrupted(client, { calls, isCounted }, () =>
        Promise.reject(new Error('killed')),
      );
      const ended = await Promise.allSettled([upgrade('one', killed)]);
      isKilled = ended[0].status === 'rejected';
      await endLease();
      await upgrade('two');
      expect(await state(), `after ${calls} calls`).toEqual(expected);
      if (!isKilled) expect(calls).toBeGreaterThan(10);
    }
  });

  it('is not changed by a gateway that pauses while another one takes over', async () => {
    await upgrade();
    const { rows, cursors } = await state();
    // The lease is renewed before each write.
    const isCounted = (name: string) => name === 'updateOne';
    for (let calls = 1, isPaused = true; isPaused; calls += 2) {
      await seed();
      isPaused = false;
      const pausing = interrupted(client, { calls, isCounted }, async () => {
        isPaused = true;
        await endLease();
        await upgrade('two');
      });
      await upgrade('one', pausing).catch(() => undefined);
      expect(await state(), `after ${calls} calls`).toMatchObject({ rows, cursors });
    }
  });
});
