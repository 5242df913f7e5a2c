import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { mongo } from 'mongoose';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../src/domain/events.js';
import { runSync } from '../../../src/domain/kernel/chunked.js';
import type { OutboxRow } from '../../../src/outbox/outbox-planner.js';
import type { Delivery, DeliveryOutcome } from '../../../src/plugin/contract/contract.js';
import {
  createDeliveryEngine,
  type DeliveryEngine,
} from '../../../src/plugin/delivery/delivery-engine.js';
import { ENGINE_LIMITS } from '../../../src/plugin/delivery/engine-parts.js';
import { toEventDocument } from '../../../src/store/tables/events.js';
import { type Collections, collectionsOf } from '../../../src/store/tables/collections.js';
import { type OutboxDocument, toOutboxDocument } from '../../../src/store/tables/outbox.js';
import { mongoOutboxStore } from '../../../src/store/outbox/outbox-store.js';
import { anEvent, aRow } from '../../contract/outbox-fixtures.js';
import { aTenant } from '../../support/builders.js';
import { useDatabase } from '../../support/core.js';

const database = useDatabase();
let connection: mongo.MongoClient;
let collections: Collections;
let running: DeliveryEngine[] = [];
let seq = 0;
let sent: (Delivery & { readonly by: string })[] = [];
let answer: (delivery: Delivery) => Promise<DeliveryOutcome>;

beforeAll(async () => {
  connection = await database.open();
  collections = collectionsOf(connection);
});

beforeEach(async () => {
  answer = () => Promise.resolve({ kind: 'delivered' });
  sent = [];
  running = [];
  await collections.outbox.deleteMany({});
  await collections.events.deleteMany({});
});

afterEach(() => Promise.all(running.map((engine) => engine.stop(10_000))));

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Frequent sweeps, so that no test waits for a second. */
const QUICK = { ...ENGINE_LIMITS, sweepMs: 100 };
/** Leases of an instance that dies. */
const SHORT_LEASES = { ...QUICK, leaseMs: 1_500, leaseMarginMs: 200 };

const start = (keys: readonly string[], limits = QUICK): DeliveryEngine => {
  const owner = randomUUID();
  const engine = createDeliveryEngine({
    subscribers: new Map([
      [
        'tests',
        {
          prepare: () => undefined,
          route: () => keys,
          serving: (_tenant: string, all: readonly string[]) => Promise.resolve(new Set(all)),
          deliver: (delivery: Delivery) => {
            sent.push({ ...delivery, by: owner });
            return answer(delivery);
          },
          retrySchedule: [100],
          concurrencyPerKey: 8,
        },
      ],
    ]),
    store: mongoOutboxStore(collections),
    owner,
    otherInstancesAlive: () => true,
    log: silent,
    limits,
  });
  engine.start();
  running.push(engine);
  return engine;
};

const eventsAbout = (...subjects: readonly string[]): readonly DomainEvent[] =>
  subjects.map((subject) => anEvent({ seq: (seq += 1), subject }));

/** What the commit stage writes, in one transaction. */
const write = async (rows: readonly OutboxRow[], events: readonly DomainEvent[]): Promise<void> => {
  const session = connection.startSession();
  await session.withTransaction(async () => {
    const documents = events.map((event) => toEventDocument(event));
    await collections.events.insertMany(documents, { session });
    await collections.outbox.insertMany(rows.map(toOutboxDocument), { session });
  });
  await session.endSession();
};

const commit = async (engine: DeliveryEngine, events: readonly DomainEvent[]): Promise<void> => {
  const rows = runSync(engine.plan(aTenant(), events, new Date()));
  await write(rows, events);
  engine.committed(rows, events);
};

const countOf = (st: OutboxDocument['st']): Promise<number> =>
  collections.outbox.countDocuments({ st }, { readConcern: { level: 'local' } });

/** Waits until this many rows are delivered. */
const delivered = async (rows: number): Promise<void> => {
  while ((await countOf('d')) < rows) await pause(10);
  expect(await countOf('p')).toBe(0);
};

describe('engines on one MongoDB', () => {
  it('deliver the rows of a crashed instance under the same ids', async () => {
    const events = eventsAbout('ada');
    const due = new Date(Date.now() + SHORT_LEASES.leaseMs);
    const rows = events.map((event) => aRow(event, { owner: 'crashed', due }));
    await write(rows, events);
    const before = Date.now();
    start(['alpha'], SHORT_LEASES);
    await delivered(1);
    expect(sent.map(({ id, attempt }) => [id, attempt])).toEqual([[rows[0]!.id, 2]]);
    expect(Date.now() - before).toBeGreaterThan(SHORT_LEASES.leaseMs - 200);
  });

  it('deliver a batch of 500 events to 20 keys, once each and in order of its resource', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
    const engines = [start(keys), start(keys)];
    const subjects = Array.from({ length: 500 }, (_, at) => `user-${at % 100}`);
    await commit(engines[0]!, eventsAbout(...subjects));
    expect(await countOf('p')).toBeLessThan(2_000);
    await commit(engines[1]!, eventsAbout('user-0', 'user-1'));
    await delivered(20 * 502);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(20 * 502);
    expect(sent).toHaveLength(20 * 502);
    const last = new Map<string, number>();
    for (const { key, event } of sent) {
      const lane = `${key} ${event.resource.id}`;
      expect(event.seq).toBeGreaterThan(last.get(lane) ?? 0);
      last.set(lane, event.seq);
    }
  });
});
