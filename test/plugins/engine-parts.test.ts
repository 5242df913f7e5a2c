import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeFairly } from '../../src/outbox/distribute-claim.js';
import type { EventId } from '../../src/domain/kernel/ids.js';
import { createBacklog } from '../../src/plugin/delivery/engine-memory.js';
import { createCircuitBreaker, createThroughput } from '../../src/plugin/delivery/key-gate.js';
import { deliveryIdOf } from '../../src/plugin/delivery/outbox-event.js';
import { scheduleLength, delayAfter } from '../../src/plugin/delivery/attempt-runner.js';

describe('a delivery id', () => {
  it('is a UUIDv5 (RFC 9562, 5.5)', () => {
    // Python: uuid.uuid5(event, 'webhooks:3d1c2b7a-…:2')
    const event = '6ba7b810-9dad-11d1-80b4-00c04fd430c8' as EventId;
    expect(deliveryIdOf(event, 'webhooks', '3d1c2b7a-6e55-4a0f-8a43-5b1f9d7c6e21:2')).toBe(
      'b4c9eb9a-5f23-5755-8ce2-41459c89c262',
    );
  });
});

describe('taking fairly', () => {
  interface Item {
    readonly key: string;
    readonly age: number;
  }
  const queue = fc
    .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
    .map((keys) => keys.map((key, age): Item => ({ key, age })));
  const limits = fc.record({
    limit: fc.nat(20),
    share: fc.integer({ min: 1, max: 8 }),
    room: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(10)),
  });
  const given = fc.tuple(queue, limits);
  const ofKey = (items: readonly Item[], key: string): readonly Item[] =>
    items.filter((item) => item.key === key);

  it('takes the oldest of each key within limit and capacity, and leaves none that fits', () => {
    fc.assert(
      fc.property(given, ([items, { limit, share, room }]) => {
        const capacityOf = (key: string): number => room[key] ?? Infinity;
        const { taken, crowded } = takeFairly(items, { limit, share, capacityOf });
        const possible = ['a', 'b', 'c', 'd']
          .map((key) => Math.min(capacityOf(key), ofKey(items, key).length))
          .reduce((sum, most) => sum + most, 0);
        expect(taken).toHaveLength(Math.min(limit, possible));
        for (const key of ['a', 'b', 'c', 'd']) {
          const own = ofKey(taken, key);
          expect(own.length).toBeLessThanOrEqual(capacityOf(key));
          expect(own).toEqual(ofKey(items, key).slice(0, own.length));
          expect(crowded.has(key)).toBe(own.length < ofKey(items, key).length);
        }
      }),
    );
  });

  it('exceeds the share of a key only if all others have theirs', () => {
    fc.assert(
      fc.property(given, ([items, { limit, share, room }]) => {
        const capacityOf = (key: string): number => room[key] ?? Infinity;
        const { taken } = takeFairly(items, { limit, share, capacityOf });
        const keys = ['a', 'b', 'c', 'd'];
        if (!keys.some((key) => ofKey(taken, key).length > share)) return;
        for (const key of keys) {
          const due = Math.min(share, capacityOf(key), ofKey(items, key).length);
          expect(ofKey(taken, key).length).toBeGreaterThanOrEqual(due);
        }
      }),
    );
  });
});

describe('the wait before a further attempt', () => {
  it('lies within a fifth of the step, or up to twice it if the receiver requests a wait', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 86_400_000 }), { minLength: 1, maxLength: 8 }),
        fc.nat(7),
        fc.option(fc.double({ min: 0, noDefaultInfinity: true }), { nil: undefined }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (schedule, index, waitMs, number) => {
          const step = schedule[index];
          const wait = delayAfter(schedule, { attempt: index + 1, waitMs }, () => number);
          if (step === undefined) {
            expect(wait).toBeUndefined();
            return;
          }
          expect(wait).toBeGreaterThanOrEqual(step * 0.8 - 1e-6);
          expect(wait).toBeLessThanOrEqual(step * (waitMs === undefined ? 1.2 : 2) + 1e-6);
          if (waitMs !== undefined && !Number.isNaN(waitMs)) {
            expect(wait).toBeGreaterThanOrEqual(Math.min(waitMs, step));
          }
        },
      ),
    );
  });

  it('adds up to at most 1.2 times the steps', () => {
    expect(scheduleLength([1_000, 2_000])).toBe(3_600);
    expect(scheduleLength([])).toBe(0);
  });
});

describe('a circuit breaker', () => {
  const create = () => createCircuitBreaker({ breakerFailures: 3, breakerOpenMs: 1_000 });

  it('opens after consecutive failures, and allows one probe when its time is over', () => {
    const breaker = create();
    expect([breaker.failed(0), breaker.failed(1), breaker.failed(2)]).toEqual([false, false, true]);
    expect([breaker.capacity(2), breaker.capacity(1_001), breaker.capacity(1_002)]).toEqual([
      0, 0, 1,
    ]);
    expect(breaker.openForMs(2)).toBe(1_000);
    expect(breaker.isClosed()).toBe(false);
  });

  it('opens again at once if the probe fails, and closes if it succeeds', () => {
    const breaker = create();
    for (const at of [0, 1, 2]) breaker.failed(at);
    expect(breaker.failed(1_500)).toBe(true);
    expect(breaker.capacity(2_499)).toBe(0);
    expect(breaker.succeeded()).toBe(true);
    expect(breaker.capacity(2_499)).toBe(Infinity);
  });

  it('forgets failures at a success', () => {
    const breaker = create();
    breaker.failed(0);
    breaker.failed(1);
    expect(breaker.succeeded()).toBe(false);
    expect([breaker.failed(2), breaker.failed(3)]).toEqual([false, false]);
  });

  it('is not kept open by attempts that were in flight', () => {
    const breaker = create();
    for (const at of [0, 1, 2]) breaker.failed(at);
    expect(breaker.failed(900)).toBe(false);
    expect(breaker.capacity(1_002)).toBe(1);
  });
});

describe('the throughput of a key', () => {
  it('follows its attempts, and predicts how many rows it can take', () => {
    const pace = createThroughput();
    expect(pace.expectedRows(5_000, 8)).toBe(160);
    for (let attempt = 0; attempt < 50; attempt += 1) pace.record(4_000);
    expect(pace.expectedRows(5_000, 8)).toBe(11);
    for (let attempt = 0; attempt < 50; attempt += 1) pace.record(0);
    expect(pace.expectedRows(5_000, 8)).toBe(40_000);
  });
});

describe('the memory of rows that wait in the database', () => {
  const none = () => false;

  it('queues new rows of a resource behind them until a look-up must have found them', () => {
    const backlog = createBacklog();
    backlog.expect('key', 'ada');
    backlog.sweepEnded(100, none);
    expect(backlog.isWaiting('key', 'ada')).toBe(true);
    backlog.arrived('key', 'ada', 200);
    backlog.sweepEnded(199, none);
    expect([backlog.isWaiting('key', 'ada'), backlog.isWaiting('key', 'bob')]).toEqual([
      true,
      false,
    ]);
    backlog.sweepEnded(200, none);
    expect(backlog.isWaiting('key', 'ada')).toBe(false);
  });

  it('queues all new rows of a full key behind them until a look-up leaves none', () => {
    const backlog = createBacklog();
    backlog.markFull('key');
    backlog.sweepEnded(100, (gateId) => gateId === 'key');
    expect([backlog.isWaiting('key', 'anything'), backlog.isWaiting('other', 'anything')]).toEqual([
      true,
      false,
    ]);
    backlog.sweepEnded(200, none);
    expect(backlog.isWaiting('key', 'anything')).toBe(false);
  });

  it('waits for the last of several rows of a resource, regardless of their due times', () => {
    const backlog = createBacklog();
    backlog.expect('key', 'ada');
    backlog.expect('key', 'ada');
    backlog.arrived('key', 'ada', 500);
    backlog.sweepEnded(600, none);
    expect(backlog.isWaiting('key', 'ada')).toBe(true);
    backlog.arrived('key', 'ada', 100);
    backlog.sweepEnded(499, none);
    expect(backlog.isWaiting('key', 'ada')).toBe(true);
    backlog.sweepEnded(500, none);
    expect(backlog.isWaiting('key', 'ada')).toBe(false);
  });

  it('is bounded while a key stays full: only what the next look-up cannot find is kept', () => {
    const backlog = createBacklog();
    backlog.markFull('key');
    for (const [index, resource] of ['ada', 'bob', 'eve'].entries()) {
      backlog.expect('key', resource);
      backlog.arrived('key', resource, index);
    }
    backlog.sweepStarted(1);
    backlog.sweepEnded(1, none);
    expect(['ada', 'bob', 'eve'].map((resource) => backlog.isWaiting('key', resource))).toEqual([
      false,
      false,
      true,
    ]);
  });
});
