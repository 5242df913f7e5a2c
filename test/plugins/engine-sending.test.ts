import { beforeEach, describe, expect, it } from 'vitest';
import type { TenantId } from '../../src/domain/kernel/ids.js';
import { idOf } from '../support/builders.js';
import { answersIn, DELIVERED, EngineWorld, FAILED } from './engine-world.js';

/** Each pending delivery has its own row. */
const WITHOUT_SPANS = { maxRowsPerKey: Infinity, maxRowsPerBatch: Infinity };

let world: EngineWorld;
beforeEach(() => {
  world = new EngineWorld();
});

describe('a delivery that is requested again', () => {
  it('while its result is being written, is claimed anew when that is done', async () => {
    let isReplyDelayed = false;
    const databaseMs = (): number => {
      if (isReplyDelayed || world.acknowledged.length === 0) return 0;
      isReplyDelayed = true;
      return 300;
    };
    const instance = await world.settled({ databaseMs });
    const [row] = world.commit(instance, world.events('ada', 'ada'));
    await world.clock.advance(100);
    expect(world.states()).toEqual({ delivered: 2 });
    world.outbox.redeliver(row!.id, 'alpha');
    instance.engine.wake('tests');
    await world.clock.advance(150);
    expect(world.seqs()).toEqual([1, 2]);
    await world.clock.advance(3_000);
    expect(world.seqs()).toEqual([1, 2, 1]);
    expect(world.states()).toEqual({ delivered: 2 });
    world.commit(instance, world.events('ada'));
    await world.clock.advance(100);
    expect(world.seqs()).toEqual([1, 2, 1, 3]);
    expect((await instance.engine.gauges.snapshot()).held).toBe(0);
  });
});

describe('an event that is committed', () => {
  it('is sent at once from memory, and ended in the outbox', async () => {
    const instance = await world.settled();
    const [row] = world.commit(instance, world.events('ada'));
    const at = world.clock.now();
    await world.clock.settle();
    expect(world.seen).toMatchObject([{ at, id: row!.id, key: 'alpha', seq: 1, attempt: 1 }]);
    await world.clock.advance(100);
    expect(world.rows()).toMatchObject([{ state: 'delivered', attempts: 1, lastReason: null }]);
  });

  it('is sent to each key that it is routed to, with a separate id for each', async () => {
    world.keys = ['alpha', 'beta', 'alpha'];
    const instance = await world.settled();
    const rows = world.commit(instance, world.events('ada'));
    await world.clock.advance(100);
    expect(rows.map(({ key }) => key)).toEqual(['alpha', 'beta']);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
    expect(world.seen.map(({ key }) => key)).toEqual(['alpha', 'beta']);
  });

  it('has the same delivery id however often it is planned, on every instance', () => {
    const [event] = world.events('ada');
    const ids = ['one', 'other'].map(
      (name) => world.plan(world.instance({ name }), [event!])[0]!.id,
    );
    expect(ids[0]).toBe(ids[1]);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('is not sent before it is committed, nor when the batch is abandoned', async () => {
    const instance = await world.settled();
    const rows = world.plan(instance, world.events('ada'));
    await world.clock.advance(10_000);
    instance.engine.abandoned(rows, 'nothing');
    await world.clock.advance(120_000);
    expect(world.seen).toEqual([]);
    expect(await instance.engine.gauges.snapshot()).toMatchObject({ held: 0 });
  });

  it('is sent soon if the result of its commit was unknown, but it was committed', async () => {
    const instance = await world.settled();
    const events = world.events('ada');
    const rows = world.plan(instance, events);
    world.outbox.insert(rows, events);
    instance.engine.abandoned(rows, 'unknown');
    await world.clock.advance(3_000);
    expect(world.seen).toMatchObject([{ seq: 1, attempt: 1 }]);
    expect(world.states()).toEqual({ delivered: 1 });
    expect(await instance.engine.gauges.snapshot()).toMatchObject({ held: 0 });
  });

  it('is sent when its lease ends if it was committed later, and before all later events', async () => {
    const instance = await world.settled();
    const events = world.events('ada', 'ada');
    const rows = world.plan(instance, events.slice(0, 1));
    instance.engine.abandoned(rows, 'unknown');
    await world.clock.advance(100);
    world.outbox.insert(rows, events);
    world.commit(instance, events.slice(1));
    await world.clock.advance(20_000);
    expect(world.seen).toEqual([]);
    await world.clock.advance(50_000);
    expect(world.seqs()).toEqual([1, 2]);
  });

  it('is left to the sweep if its commit took most of its lease', async () => {
    const instance = await world.settled();
    const events = world.events('ada');
    const rows = world.plan(instance, events);
    await world.clock.advance(46_000);
    world.outbox.insert(rows, events);
    instance.engine.committed(rows, events);
    await world.clock.settle();
    expect(world.seen).toEqual([]);
    await world.clock.advance(2_000);
    expect(world.seen).toMatchObject([{ attempt: 1 }]);
    expect(world.states()).toEqual({ delivered: 1 });
  });

  it('is sent to others if one event cannot be routed', async () => {
    const route = (event: { readonly seq: number }) => {
      if (event.seq === 1) throw new Error('no route');
      return ['alpha'];
    };
    const instance = await world.settled({ subscriber: { route } });
    world.commit(instance, world.events('ada', 'bob'));
    await world.clock.advance(100);
    expect(world.seqs()).toEqual([2]);
    const { unrouted } = await instance.engine.gauges.snapshot();
    expect(unrouted).toEqual(new Map([['tests', 1]]));
    expect(instance.log.map(({ message }) => message)).toContain(
      'A subscriber could not route an event.',
    );
  });
});

describe('the order', () => {
  it('does not limit different resources: as many run at once as the key may have', async () => {
    world.behave('alpha', answersIn(100));
    const instance = await world.settled();
    world.commit(instance, world.many(20));
    await world.clock.settle();
    expect(world.seen).toHaveLength(8);
    await world.clock.advance(100);
    expect(world.seen).toHaveLength(16);
    await world.clock.advance(1_000);
    expect(world.seqs()).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('lets later events overtake one that has failed', async () => {
    world.behave('alpha', ({ event, attempt }) => ({
      ms: 10,
      outcome: event.seq === 1 && attempt === 1 ? FAILED : DELIVERED,
    }));
    const instance = await world.settled();
    world.commit(instance, world.events('ada', 'ada'));
    await world.clock.advance(100);
    expect(world.seqs()).toEqual([1, 2]);
    await world.clock.advance(7_000);
    expect(world.seqs()).toEqual([1, 2, 1]);
    expect(world.states()).toEqual({ delivered: 2 });
  });

  it('delays a row while an earlier one waits in the database', async () => {
    const instance = await world.settled();
    // Held by an instance that died and whose lease has a minute to run.
    const [first, second] = world.events('ada', 'ada');
    const other = world.instance({ name: 'dead' });
    other.engine.start();
    world.outbox.insert(world.plan(other, [first!]), [first!]);
    other.kill();
    const late = world.instance({ name: 'successor' });
    instance.kill();
    late.engine.start();
    world.commit(late, [second!]);
    await world.clock.advance(50_000);
    expect(world.seen).toEqual([]);
    await world.clock.advance(20_000);
    expect(world.seqs()).toEqual([1, 2]);
    expect(world.rows().map(({ attempts }) => attempts)).toEqual([2, 1]);
  });

  it('is not looked up by a single gateway that started with an empty outbox', async () => {
    const alone = world.instance();
    alone.engine.start();
    await world.clock.advance(100);
    world.unanswered.add('earliestUnsent');
    world.commit(alone, world.events('ada', 'bob'));
    await world.clock.advance(100);
    expect(world.seqs()).toEqual([1, 2]);
  });
});

describe('while the gateway is busy with commands', () => {
  const GAP_MS = 4;

  /** Committed by an instance that does not send: all of it has to be claimed. */
  const leaveForLater = (count: number): void =>
    void world.commit(world.instance({ name: 'other' }), world.many(count));

  const gaps = (): readonly number[] =>
    world.seen.slice(1).map(({ at }, index) => at - world.seen[index]!.at);

  it('sends postponed deliveries one by one', async () => {
    const instance = await world.settled({ isBusy: () => true });
    leaveForLater(100);
    instance.engine.wake('tests');
    await world.clock.advance(5_000);
    expect(world.states()).toEqual({ delivered: 100 });
    expect(Math.min(...gaps())).toBe(GAP_MS);
  });

  it('sends new events at once', async () => {
    const instance = await world.settled({ isBusy: () => true });
    leaveForLater(400);
    await world.clock.advance(1_000);
    world.keys = ['beta'];
    world.commit(instance, world.many(20));
    const at = world.clock.now();
    await world.clock.settle();
    const fresh = world.seen.filter(({ key }) => key === 'beta');
    expect(fresh.length).toBeGreaterThan(1);
    expect(fresh.every((seen) => seen.at === at)).toBe(true);
  });

  it('sends them as fast as possible once it no longer is', async () => {
    let isBusy = true;
    const instance = await world.settled({ isBusy: () => isBusy });
    leaveForLater(400);
    instance.engine.wake('tests');
    await world.clock.advance(1_200);
    expect(world.seen.length).toBeLessThan(1_200 / GAP_MS + 1);
    isBusy = false;
    const before = world.seen.length;
    await world.clock.advance(2 * GAP_MS);
    expect(world.seen.length).toBeGreaterThan(before + 2);
  });
});

describe('memory', () => {
  it('holds at most a thousand rows; further rows are created due, without an owner', async () => {
    world.keys = Array.from({ length: 10 }, (_, index) => `key-${index}`);
    for (const key of world.keys) world.behave(key, answersIn(50));
    const instance = await world.settled({ limits: WITHOUT_SPANS });
    const rows = world.commit(instance, world.many(500));
    const leased = rows.filter(({ owner }) => owner === 'instance-1');
    expect(rows).toHaveLength(5_000);
    expect(leased).toHaveLength(1_000);
    const due = rows.filter(({ owner }) => owner === null).map((row) => row.due.getTime());
    expect(new Set(due)).toEqual(new Set([world.clock.now()]));
    expect((await instance.engine.gauges.snapshot()).held).toBe(1_000);
    await world.clock.advance(20_000);
    expect(world.states()).toEqual({ delivered: 5_000 });
    expect(world.seen).toHaveLength(5_000);
    expect(await instance.engine.gauges.snapshot()).toMatchObject({ held: 0, inFlight: 0 });
  });

  it('drains a backlog as fast as the receiver takes it, not a batch a second', async () => {
    world.behave('alpha', answersIn(2));
    const instance = await world.settled();
    world.commit(instance, world.many(4_000));
    await world.clock.advance(3_000);
    expect(world.states()).toEqual({ delivered: 4_000 });
  });

  it('is freed of batches that were not committed', async () => {
    const instance = await world.settled({ limits: { maxHeld: 10 } });
    for (let round = 0; round < 5; round += 1) {
      const rows = world.plan(
        instance,
        world.many(10, (index) => `round-${round}-${index}`),
      );
      expect(rows.filter(({ owner }) => owner !== null)).toHaveLength(10);
      instance.engine.abandoned(rows, 'nothing');
    }
  });

  it('is not filled by a slow key: it holds only what can be sent soon', async () => {
    world.behave('alpha', answersIn(4_000));
    const instance = await world.settled();
    world.commit(instance, world.many(8));
    await world.clock.advance(30_000);
    const rows = world.commit(
      instance,
      world.many(900, (index) => `later-${index}`),
    );
    expect(rows.filter(({ owner }) => owner !== null).length).toBeLessThan(40);
  });
});

describe('a slow key', () => {
  it('fills its own slots only; others are served at once', async () => {
    world.keys = ['slow', 'quick'];
    world.behave('slow', answersIn(9_000));
    const instance = await world.settled();
    const at = world.clock.now();
    world.commit(instance, world.many(40));
    await world.clock.advance(200);
    expect(world.seen.filter(({ key }) => key === 'slow')).toHaveLength(8);
    const quick = world.seen.filter(({ key }) => key === 'quick');
    expect(quick).toHaveLength(40);
    expect(Math.max(...quick.map((seen) => seen.at - at))).toBeLessThan(20);
  });

  it('leaves slots for other tenants, however many keys of its own tenant are slow', async () => {
    const slow = Array.from({ length: 100 }, (_, index) => `slow-${index}`);
    for (const key of slow) world.behave(key, answersIn(20_000));
    const instance = await world.settled();
    world.keys = slow;
    world.commit(instance, world.many(3));
    await world.clock.settle();
    expect(world.seen).toHaveLength(56);
    world.keys = ['quick'];
    world.commit(instance, world.events({ tenantId: idOf<TenantId>(0xbad) }));
    await world.clock.settle();
    expect(world.seen.at(-1)).toMatchObject({ key: 'quick' });
    expect(world.seen).toHaveLength(57);
  });

  it('leaves slots for idle keys, however many slow ones there are', async () => {
    const slow = Array.from({ length: 12 }, (_, index) => `slow-${index}`);
    for (const key of slow) world.behave(key, answersIn(20_000));
    const instance = await world.settled();
    world.keys = slow;
    world.commit(instance, world.many(10));
    await world.clock.settle();
    const busy = world.seen.length;
    world.keys = ['quick'];
    world.commit(instance, world.many(1));
    await world.clock.settle();
    expect(busy).toBeLessThanOrEqual(60);
    expect(world.seen.at(-1)).toMatchObject({ key: 'quick' });
    expect(world.seen).toHaveLength(busy + 1);
  });
});

describe('endings', () => {
  it('are written in groups: after 50 ms, or as soon as a key has eight', async () => {
    const instance = await world.settled();
    world.commit(instance, world.many(3));
    await world.clock.advance(40);
    expect(world.acknowledged).toEqual([]);
    await world.clock.advance(20);
    expect(world.acknowledged).toEqual([3]);
    world.commit(
      instance,
      world.many(8, (index) => `more-${index}`),
    );
    await world.clock.advance(5);
    expect(world.acknowledged).toEqual([3, 8]);
  });

  it('are counted for metrics, with the number and age of pending deliveries', async () => {
    world.keys = ['good', 'bad', 'flaky'];
    world.behave('bad', answersIn(1, { ...FAILED, retry: false }));
    world.behave('flaky', answersIn(1, FAILED));
    const instance = await world.settled();
    world.commit(instance, world.events('ada', 'bob'));
    await world.clock.advance(1_000);
    const snapshot = await instance.engine.gauges.snapshot();
    const none = { delivered: 0, failed: 0, dropped: 0, retry: 0, deferred: 0 };
    expect(snapshot).toEqual({
      endings: new Map([['tests', { ...none, delivered: 2, failed: 2, retry: 2 }]]),
      unrouted: new Map([['tests', 0]]),
      held: 0,
      inFlight: 0,
      openBreakers: 0,
      lastFailures: new Map([
        ['tests', { reason: 'status 500', agoMs: expect.any(Number) as number }],
      ]),
      pending: new Map([['tests', 2]]),
      overdueSeconds: new Map([['tests', 0]]),
    });
  });

  it('are reported without values of the database while it is unavailable', async () => {
    const instance = await world.settled();
    instance.isCutOff = true;
    const snapshot = await instance.engine.gauges.snapshot();
    expect(snapshot).toMatchObject({ held: 0, pending: null, overdueSeconds: null });
  });
});
