import fc from 'fast-check';
import type { mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryId } from '../../../src/domain/kernel/ids.js';
import { connect } from '../../../src/store/connect.js';
import { toEventDocument } from '../../../src/store/tables/events.js';
import {
  type Collections,
  collectionsOf,
  ensureCollections,
} from '../../../src/store/tables/collections.js';
import {
  type OutboxState,
  toOutboxDocument,
  packSeqs,
  unpackSeqs,
} from '../../../src/store/tables/outbox.js';
import { type InspectedDatabase, readOutbox } from '../../../src/store/inspect/inspect-database.js';
import { mongoPluginDeliveries } from '../../../src/store/outbox/plugin-deliveries.js';
import { mongoOutboxStore } from '../../../src/store/outbox/outbox-store.js';
import type { RowState } from '../../contract/memory-outbox.js';
import { outboxStoreContract } from '../../contract/outbox-store-contract.js';
import { anEvent, aRow, aSpan } from '../../contract/outbox-fixtures.js';
import { TENANT_ID } from '../../support/builders.js';
import { createTestDatabase } from '../../support/database.js';

const { uri } = createTestDatabase();
let connection: mongo.MongoClient;
let database: mongo.Db;
let collections: Collections;

beforeAll(async () => {
  connection = await connect(uri, { monitorCommands: true });
  await ensureCollections(connection);
  collections = collectionsOf(connection);
  ({ database } = collections);
});

afterAll(() => connection.close());

const outbox = () => collections.outbox;

const NEWEST = { readConcern: { level: 'local' } } as const;

const serverTime = async (): Promise<Date> => {
  const hello = await database.admin().command({ hello: 1 });
  return hello['localTime'] as Date;
};

const STATES: Readonly<Record<OutboxState, RowState>> = {
  p: 'pending',
  d: 'delivered',
  f: 'failed',
  x: 'dropped',
};

const clear = async (): Promise<void> => {
  await outbox().deleteMany({});
  await collections.events.deleteMany({});
};

const insert = async (
  rows: Parameters<typeof toOutboxDocument>[0][],
  events: Parameters<typeof toEventDocument>[0][],
): Promise<void> => {
  if (rows.length > 0) await outbox().insertMany(rows.map(toOutboxDocument));
  if (events.length === 0) return;
  await collections.events.insertMany(events.map((event) => toEventDocument(event)));
};

describe('the outbox in MongoDB', () => {
  outboxStoreContract(async () => {
    await clear();
    return {
      store: mongoOutboxStore(collections),
      insert: (rows, events) => insert([...rows], [...events]),
      redeliver: (id, to) =>
        mongoPluginDeliveries(collections, 'tests').redeliver({
          ...{ id, to, tenantId: TENANT_ID },
          keys: ['alpha', 'beta'],
        }),
      now: serverTime,
      rows: async () => {
        const now = await serverTime();
        const found = await outbox()
          .find({ left: { $exists: false } }, NEWEST)
          .toArray();
        return found.map((row) => ({
          id: row._id as DeliveryId,
          state: STATES[row.st],
          dueIn: row.due.getTime() - now.getTime(),
          owner: row.own,
          attempts: row.n,
          lastReason: row.last?.reason,
          expires: row.expireAt !== undefined,
        }));
      },
      spans: async () => {
        const now = await serverTime();
        const found = await outbox()
          .find({ left: { $exists: true } }, NEWEST)
          .toArray();
        return found.map((span) => ({
          id: span._id as DeliveryId,
          state: STATES[span.st],
          dueIn: span.due.getTime() - now.getTime(),
          owner: span.own,
          seq: span.seq,
          left: span.left!,
          lastReason: span.last?.reason,
          expires: span.expireAt !== undefined,
        }));
      },
      // The server's clock cannot be changed, so due times are.
      pass: async (ms) => {
        await outbox().updateMany({}, [{ $set: { due: { $subtract: ['$due', ms] } } }]);
      },
    };
  });

  it('keeps delivered rows for 7 days and failed ones for 30', async () => {
    await clear();
    const events = [1, 2, 3].map((seq) => anEvent({ seq }));
    await insert(
      events.map((event) => aRow(event, { owner: 'me' })),
      events,
    );
    const kinds = ['delivered', 'failed', 'dropped'] as const;
    await mongoOutboxStore(collections).acknowledge(
      events.map((event, index) => ({
        id: aRow(event).id,
        owner: 'me',
        claim: null,
        result: { kind: kinds[index]! },
      })),
    );
    const now = (await serverTime()).getTime();
    const found = await outbox().find({}, NEWEST).sort({ seq: 1 }).toArray();
    const days = found.map((row) => Math.round((row.expireAt!.getTime() - now) / 86_400_000));
    expect(days).toEqual([7, 30, 7]);
  });

  it('stores the attempt of each row of a batch, and skips rows of another owner', async () => {
    await clear();
    const events = Array.from({ length: 250 }, (_, index) => anEvent({ seq: index + 1 }));
    const isOthers = (seq: number): boolean => seq % 7 === 0;
    await insert(
      events.map((event) => aRow(event, { owner: isOthers(event.seq) ? 'other' : 'me' })),
      events,
    );
    const hasFailed = (seq: number): boolean => seq % 3 === 0;
    const reasonOf = (seq: number) => (hasFailed(seq) ? '$due' : null);
    await mongoOutboxStore(collections).acknowledge(
      events.map((event) => ({
        id: aRow(event).id,
        owner: 'me',
        claim: null,
        result: { kind: hasFailed(event.seq) ? 'failed' : 'delivered' },
        attempt: { reason: reasonOf(event.seq), ms: event.seq },
      })),
    );
    const found = await outbox().find({}, NEWEST).sort({ seq: 1 }).toArray();
    expect(found.map(({ st, last }) => [st, last?.reason, last?.ms])).toEqual(
      events.map(({ seq }) =>
        isOthers(seq)
          ? ['p', undefined, undefined]
          : [hasFailed(seq) ? 'f' : 'd', reasonOf(seq), seq],
      ),
    );
  });

  it('uses only indexes of pending rows', async () => {
    await clear();
    const events = Array.from({ length: 400 }, (_, index) => anEvent({ seq: index + 1 }));
    await insert(
      events.map((event, index) => aRow(event, { key: index < 380 ? 'done' : 'alpha' })),
      events,
    );
    const later = Array.from({ length: 400 }, (_, index) => anEvent({ seq: 501 + index }));
    const spansToInsert = [0, 100, 200, 300].map((from) => {
      const [first, ...rest] = later.slice(from, from + 100);
      return aSpan([first!, ...rest], { key: 'spanned' });
    });
    await insert(spansToInsert, []);
    await outbox().updateMany({ key: 'done' }, { $set: { st: 'd' } });
    const examined = await docsExamined(async () => {
      const store = mongoOutboxStore(collections);
      const question = {
        plugin: 'tests',
        key: 'alpha',
        tenantId: TENANT_ID,
        beforeSeq: 999,
        except: [],
      };
      await store.earliestUnsent([
        { ...question, resource: 'user:user-390' },
        { ...question, resource: 'user:user-391' },
      ]);
      await store.counts();
      await store.endWaiting({ plugin: 'tests', key: 'alpha', kind: 'dropped', reason: '' });
      await store.endWaiting({ plugin: 'tests', key: 'unknown', kind: 'dropped', reason: '' });
      await store.release('unknown', ['tests']);
      const { spans } = await store.claimDue({
        plugin: 'tests',
        owner: 'me',
        claim: 'claim-1',
        leaseMs: 60_000,
        limit: 64,
        more: 0,
        share: 16,
        capacity: new Map([['full', 0]]),
      });
      const [event] = events;
      const result = { kind: 'delivered' } as const;
      await store.acknowledge([{ id: aRow(event!).id, owner: 'me', claim: null, result }]);
      await store.readLog([{ tenantId: TENANT_ID, seqs: [3, 4] }]);
      await store.expand(spans.map((span) => ({ span, owner: 'me', rows: [] })));
    });
    expect(await outbox().countDocuments({ key: 'spanned', seq: 501 + 64 }, NEWEST)).toBe(1);
    const plans = examined.map(({ planSummary }) => planSummary);
    expect(plans).not.toContain('COLLSCAN');
    // Comparing plans took 1,000 ms for 64 resources.
    expect(examined.filter(({ comparesPlans }) => comparesPlans)).toEqual([]);
    expect(plans.length).toBeGreaterThanOrEqual(5);
    expect(Math.max(...examined.map(({ docsExamined: docs }) => docs))).toBeLessThanOrEqual(20);
  });

  it('claims from a backlog of one key without passing all of it', async () => {
    await clear();
    const old = Array.from({ length: 2_000 }, (_, index) => anEvent({ seq: index + 1 }));
    const recent = [anEvent({ seq: 3_001 }), anEvent({ seq: 3_002 })];
    await insert(
      old.map((event) => aRow(event, { key: 'alpha' })),
      old,
    );
    const due = new Date(Date.now() - 1);
    await insert(
      recent.map((event) => aRow(event, { key: 'beta', due })),
      recent,
    );
    let keys: readonly string[] = [];
    const examined = await docsExamined(async () => {
      const { rows, crowded } = await mongoOutboxStore(collections).claimDue({
        plugin: 'tests',
        owner: 'me',
        claim: 'claim-1',
        leaseMs: 60_000,
        limit: 32,
        more: 0,
        share: 16,
        capacity: new Map(),
      });
      keys = rows.map(({ key }) => key);
      expect(crowded).toEqual(['alpha']);
    });
    expect(keys.filter((key) => key === 'beta')).toHaveLength(2);
    expect(keys).toHaveLength(32);
    expect(Math.max(...examined.map(({ keysExamined }) => keysExamined))).toBeLessThan(150);
  });

  it('counts the events of spans for doctor', async () => {
    await clear();
    const events = Array.from({ length: 30 }, (_, index) => anEvent({ seq: index + 1 }));
    const [first, ...rest] = events;
    await insert([aRow(first!, { key: 'beta' }), aSpan([first!, ...rest])], events);
    const { pending, overdueMs } = await readOutbox({ database } as InspectedDatabase);
    expect(pending).toBe(31);
    expect(overdueMs).toBeGreaterThan(0);
  });

  it('packs the positions of a span into one bit each, without loss', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.integer({ min: 1, max: 2 ** 40 }).map((seq) => 2 ** 40 + (seq % 6_000)),
          {
            minLength: 1,
            maxLength: 500,
          },
        ),
        fc.nat(499),
        fc.nat(600),
        (some, from, most) => {
          const seqs = [...some].sort((one, other) => one - other);
          const packed = packSeqs(seqs);
          const first = seqs[from % seqs.length]!;
          const after = seqs.slice(from % seqs.length);
          expect(unpackSeqs(packed, first, most)).toEqual(after.slice(0, most));
          expect(packed.bits.length()).toBe(Math.floor((seqs.at(-1)! - seqs[0]!) / 8) + 1);
        },
      ),
    );
  });

  interface Profiled {
    readonly planSummary: string;
    readonly docsExamined: number;
    readonly keysExamined: number;
    readonly comparesPlans: boolean;
  }

  /** What the server reports to have read of the outbox. */
  const docsExamined = async (work: () => Promise<void>): Promise<readonly Profiled[]> => {
    await database
      .collection('system.profile')
      .drop()
      .catch(() => undefined);
    await database.command({ profile: 2 });
    await work();
    await database.command({ profile: 0 });
    const lines = await database
      .collection('system.profile')
      .find({ ns: `${database.databaseName}.outbox`, planSummary: { $exists: true } })
      .toArray();
    return lines.map(({ planSummary, docsExamined: docs, keysExamined, fromMultiPlanner }) => ({
      planSummary: String(planSummary),
      docsExamined: Number(docs),
      keysExamined: Number(keysExamined),
      comparesPlans: fromMultiPlanner === true,
    }));
  };

  it('does not claim rows of an uncommitted transaction', async () => {
    await clear();
    const event = anEvent({ seq: 1 });
    const store = mongoOutboxStore(collections);
    const session = connection.startSession();
    session.startTransaction();
    await outbox().insertOne(toOutboxDocument(aRow(event)), { session });
    const claim = {
      plugin: 'tests',
      owner: 'me',
      claim: 'claim-1',
      leaseMs: 60_000,
      limit: 64,
      more: 0,
      share: 16,
      capacity: new Map<string, number>(),
    };
    expect((await store.claimDue(claim)).rows).toEqual([]);
    await session.commitTransaction();
    await session.endSession();
    expect((await store.claimDue(claim)).rows).toHaveLength(1);
  });
});
