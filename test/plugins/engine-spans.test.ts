import { beforeEach, describe, expect, it } from 'vitest';
import { isSpan, type OutboxRow } from '../../src/outbox/outbox-planner.js';
import { chooseSpans } from '../../src/plugin/delivery/outbox-plan.js';
import { createEngineCounters } from '../../src/plugin/delivery/engine-gauges.js';
import { createSpanExpander } from '../../src/plugin/delivery/span-expander.js';
import { createMemoryOutbox } from '../contract/memory-outbox.js';
import { aRow, aSpan } from '../contract/outbox-fixtures.js';
import { TENANT_ID } from '../support/builders.js';
import { answersIn, DELIVERED, EngineWorld, FAILED } from './engine-world.js';

let world: EngineWorld;
beforeEach(() => {
  world = new EngineWorld();
});

const keysNamed = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `key-${index}`);

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** What the rows and spans of a key cover, in the order of the log. */
const covered = (rows: readonly OutboxRow[], key = 'alpha'): readonly number[] =>
  rows
    .filter((row) => row.key === key)
    .flatMap((row) => (isSpan(row) ? row.seqs : [row.seq]))
    .sort((one, other) => one - other);

describe('the choice of spans', () => {
  const chosen = (events: Readonly<Record<string, number>>, most: number): readonly string[] => [
    ...chooseSpans(new Map(Object.entries(events)), most),
  ];

  it('selects no key while all pending events fit', () => {
    expect(chosen({ one: 60, other: 40 }, 100)).toEqual([]);
  });

  it('selects the keys with the most pending events, until the rest fits', () => {
    expect(chosen({ few: 10, many: 60, some: 40 }, 100)).toEqual(['many']);
    expect(chosen({ few: 10, many: 60, some: 40 }, 51)).toEqual(['many']);
    expect(chosen({ few: 10, many: 60, some: 40 }, 50)).toEqual(['many', 'some']);
  });

  it('keeps a single event as a row', () => {
    expect(chosen({ one: 1, other: 1, many: 2 }, 1)).toEqual(['many']);
  });
});

describe('a batch with many deliveries', () => {
  it('writes at most 50 rows for a key besides those that it can send at once', async () => {
    const instance = await world.settled({ limits: { maxHeldPerKey: 100 } });
    const [some, more] = [world.many(150), world.many(151)];
    const waiting = world.plan(instance, some).filter(({ owner }) => owner === null);
    expect(waiting).toHaveLength(50);
    expect(waiting.some(isSpan)).toBe(false);
    const fresh = await new EngineWorld().settled({ limits: { maxHeldPerKey: 100 } });
    const late = world.plan(fresh, more).filter(({ owner }) => owner === null);
    expect(late).toHaveLength(1);
    expect(late.filter(isSpan).map(({ seqs }) => seqs)).toEqual([numbers(251, 301)]);
  });

  it('writes 50,000 deliveries as fewer rows than the limit of a transaction', async () => {
    world.keys = keysNamed(100);
    const instance = await world.settled();
    const rows = world.plan(instance, world.many(500));
    expect(rows.length).toBeLessThanOrEqual(2_000);
    for (const key of world.keys) expect(covered(rows, key)).toEqual(numbers(1, 500));
  });

  it('writes spans if no key has more than 50 events, but all together too many', async () => {
    world.keys = keysNamed(100);
    const instance = await world.settled();
    const rows = world.plan(instance, world.many(49));
    expect(rows.length).toBeLessThanOrEqual(2_000);
    expect(rows.filter(isSpan).length).toBeGreaterThan(50);
    for (const key of world.keys) expect(covered(rows, key)).toEqual(numbers(1, 49));
  });

  it('contains what was routed when it was committed', async () => {
    const route = ({ seq }: { readonly seq: number }) => (seq % 3 === 0 ? ['alpha'] : ['beta']);
    const instance = await world.settled({
      subscriber: { route },
      limits: { maxHeld: 0, maxRowsPerKey: 5 },
    });
    const rows = world.commit(instance, world.many(100));
    expect(rows.every(isSpan)).toBe(true);
    const thirds = numbers(1, 100).filter((seq) => seq % 3 === 0);
    expect(covered(rows, 'alpha')).toEqual(thirds);
    expect(covered(rows, 'beta')).toHaveLength(100 - thirds.length);
  });

  it('gives a span the same id in each plan, and no id of a delivery', () => {
    const instance = world.instance({ limits: { maxRowsPerKey: 1 } });
    const events = world.events('ada', 'bob');
    const [span] = world.plan(instance, events);
    expect(isSpan(span!)).toBe(true);
    expect(world.plan(world.instance({ limits: { maxRowsPerKey: 1 } }), events)[0]!.id).toBe(
      span!.id,
    );
    const rows = world.plan(world.instance(), events);
    expect(rows.map(({ id }) => id)).not.toContain(span!.id);
  });

  it('writes no span for a key whose events fit one by one', () => {
    const instance = world.instance();
    const rows = world.plan(instance, world.many(50));
    expect(rows.filter(isSpan)).toEqual([]);
    expect(rows).toHaveLength(50);
  });
});

describe('a span', () => {
  /** Everything is a span that is more than one event. */
  const ALL_SPANS = { maxRowsPerBatch: 1 };

  it('is sent completely, each event once, with the id of its row', async () => {
    const instance = await world.settled({ limits: ALL_SPANS });
    const events = world.many(500);
    world.commit(instance, events);
    expect(world.rows()).toEqual([]);
    await world.clock.advance(10_000);
    expect(world.outbox.spans()).toEqual([]);
    expect(world.states()).toEqual({ delivered: 500 });
    expect(world.seen).toHaveLength(500);
    const rows = world.plan(world.instance({ limits: { maxRowsPerKey: 500 } }), events);
    expect(world.seen.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => id).sort());
  });

  it('starts at once, not with the next look-up', async () => {
    const instance = await world.settled({ limits: ALL_SPANS });
    world.commit(instance, world.many(500));
    await world.clock.advance(60);
    expect(world.seen.length).toBeGreaterThan(30);
  });

  it('is expanded only as far as its key has capacity', async () => {
    world.behave('alpha', answersIn(5_000));
    const instance = await world.settled({ limits: ALL_SPANS });
    world.commit(instance, world.many(5_000));
    await world.clock.advance(120_000);
    const unsent = world.rows().filter(({ state }) => state === 'pending').length;
    // It was taken for one that answers in 250 ms until it had answered.
    expect(unsent).toBeLessThanOrEqual(128);
    expect(world.outbox.spans()).toMatchObject([{ left: 5_000 - world.rows().length }]);
    expect((await instance.engine.gauges.snapshot()).held).toBeLessThanOrEqual(20);
    await world.clock.advance(60_000);
    const later = world.rows().filter(({ state }) => state === 'pending').length;
    expect(later).toBeLessThanOrEqual(unsent);
  });

  it('is not overtaken, whichever instance commits', async () => {
    world.behave('alpha', answersIn(20));
    const one = await world.settled({ name: 'one', limits: ALL_SPANS, hasPeers: true });
    const other = await world.settled({ name: 'other', hasPeers: true });
    world.commit(
      one,
      world.many(300, (index) => `user-${index % 60}`),
    );
    for (const by of [one, other, one]) {
      await world.clock.advance(30);
      world.commit(
        by,
        world.many(60, (index) => `user-${index}`),
      );
    }
    await world.clock.advance(60_000);
    expect(world.states()).toEqual({ delivered: 480 });
    expect(world.seen).toHaveLength(480);
    for (const subject of new Set(world.seen.map((seen) => seen.subject))) {
      const seqs = world.seen.filter((seen) => seen.subject === subject).map(({ seq }) => seq);
      expect(seqs).toEqual([...seqs].sort((before, after) => before - after));
    }
  });

  it('is not overtaken if a look-up happened between its plan and its commit', async () => {
    const alone = await world.settled({ limits: ALL_SPANS });
    const events = world.many(20, () => 'ada');
    const rows = world.plan(alone, events);
    await world.clock.advance(2_500);
    world.outbox.insert(rows, events);
    alone.engine.committed(rows, events);
    world.commit(alone, world.events('ada'));
    await world.clock.advance(5_000);
    expect(world.seqs()).toEqual(numbers(1, 21));
  });

  it('delays no other key', async () => {
    world.keys = ['slow', 'quick'];
    world.behave('slow', answersIn(9_000));
    const instance = await world.settled({ limits: ALL_SPANS });
    world.commit(instance, world.many(400));
    await world.clock.advance(2_000);
    expect(world.seen.filter(({ key }) => key === 'quick')).toHaveLength(400);
    world.commit(instance, world.events('late'));
    const at = world.clock.now();
    await world.clock.advance(100);
    expect(world.seen.filter((seen) => seen.subject === 'late')).toMatchObject([
      { key: 'quick', at },
    ]);
  });

  it('ends with its key, and its events are counted as dropped', async () => {
    world.behave('alpha', answersIn(2_000));
    const instance = await world.settled({ limits: ALL_SPANS });
    world.commit(instance, world.many(400));
    await world.clock.advance(1_000);
    world.disabled.add('alpha');
    await world.clock.advance(10_000);
    const sent = world.seen.length;
    expect(sent).toBeLessThanOrEqual(16);
    expect(world.states()).toEqual({ delivered: sent, dropped: 400 - sent });
    expect(world.outbox.spans()).toMatchObject([{ state: 'dropped', expires: true }]);
    const { endings } = await instance.engine.gauges.snapshot();
    expect(endings.get('tests')).toMatchObject({ delivered: sent, dropped: 400 - sent });
    world.disabled.delete('alpha');
    await world.clock.advance(60_000);
    expect(world.seen).toHaveLength(sent);
  });

  it('is dropped before any of its rows exists', async () => {
    const instance = await world.settled({ limits: ALL_SPANS });
    world.disabled.add('alpha');
    world.commit(instance, world.many(400));
    await world.clock.advance(5_000);
    expect(world.seen).toEqual([]);
    expect(world.states()).toEqual({ dropped: 400 });
  });

  it('counts each of its events as pending, and is as old as its commit', async () => {
    world.behave('alpha', answersIn(10, FAILED));
    const instance = await world.settled({ limits: ALL_SPANS });
    world.commit(instance, world.many(400));
    await world.clock.advance(200_000);
    const { pending, overdueSeconds } = await instance.engine.gauges.snapshot();
    expect(pending).toEqual(new Map([['tests', 400]]));
    expect(overdueSeconds?.get('tests')).toBeGreaterThanOrEqual(199);
  });

  it('of a key that never responds is given up', async () => {
    world.behave('alpha', answersIn(10, FAILED));
    const instance = await world.settled({ limits: { ...ALL_SPANS, sweepMs: 5_000 } });
    world.commit(instance, world.many(300));
    await world.clock.advance(3_500_000);
    expect(world.states()['failed'] ?? 0).toBeLessThan(20);
    await world.clock.advance(4 * 3_600_000);
    expect(world.states()).toEqual({ failed: 300 });
  });

  it('skips events that the log no longer has, and counts them as failed', async () => {
    const instance = world.instance({ limits: ALL_SPANS });
    world.commit(instance, world.many(30));
    world.outbox.forgetEvents();
    world.commit(instance, world.events('ada', 'ada'));
    instance.engine.start();
    await world.clock.advance(10_000);
    expect(world.seqs()).toEqual([31, 32]);
    expect(world.outbox.spans()).toEqual([]);
    const { endings } = await instance.engine.gauges.snapshot();
    expect(endings.get('tests')).toMatchObject({ delivered: 2, failed: 30 });
    expect(instance.log).toContainEqual({
      level: 'warn',
      fields: { plugin: 'tests', target: 'alpha', events: expect.any(Number) as number },
      message: 'Events with pending deliveries are past their retention.',
    });
  });
});

describe('an expansion', () => {
  it('returns only the rows that it created: others belong to other instances', async () => {
    const events = world.many(3);
    const outbox = createMemoryOutbox(world.clock.now);
    const [first, ...rest] = events.map((event) => aRow(event));
    outbox.insert([first!], events);
    const expander = createSpanExpander({
      store: outbox,
      owner: 'me',
      log: console,
      counters: createEngineCounters(['tests']),
    });
    const span = {
      ...{ id: aSpan([events[0]!]).id, tenantId: TENANT_ID, plugin: 'tests', key: 'alpha' },
      ...{ claim: 'claim-1', seqs: [1, 2, 3], rest: null, leasedUntil: new Date(60_000) },
    };
    const expanded = await expander.expand([span], 0);
    expect(expanded.flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual(
      rest.map(({ id }) => id),
    );
  });
});

describe('an expansion that is interrupted', () => {
  const LIMITS = { maxRowsPerBatch: 1 };

  it.each(['readLog', 'expand'] as const)(
    'by a database that does not answer "%s" is taken up as soon as it does',
    async (question) => {
      const instance = await world.settled({ limits: LIMITS });
      world.unanswered.add(question);
      world.commit(instance, world.many(100));
      await world.clock.advance(3_000);
      expect(world.seen).toEqual([]);
      expect(world.outbox.spans()).toMatchObject([{ left: 100 }]);
      world.unanswered.clear();
      await world.clock.advance(10_000);
      expect(world.states()).toEqual({ delivered: 100 });
      expect(world.seen).toHaveLength(100);
    },
  );

  it.each([0, 5, 15, 25, 35, 45, 55, 65, 75, 85, 95, 105, 115])(
    'by a kill after %i ms loses nothing and changes no id',
    async (ms) => {
      const dying = await world.settled({ name: 'dying', limits: LIMITS, databaseMs: () => 10 });
      world.commit(dying, world.many(200));
      await world.clock.advance(ms);
      dying.kill();
      const heir = world.instance({ name: 'heir', limits: LIMITS });
      heir.engine.start();
      await world.clock.advance(130_000);
      expect(world.states()).toEqual({ delivered: 200 });
      expect(new Set(world.seen.map(({ id }) => id)).size).toBe(200);
    },
  );

  it('by a stop releases the rest to another instance at once', async () => {
    world.behave('alpha', answersIn(100));
    const leaving = await world.settled({ name: 'leaving', limits: LIMITS });
    world.commit(leaving, world.many(400));
    await world.clock.advance(500);
    const stopped = leaving.engine.stop(10_000);
    await world.clock.advance(500);
    await stopped;
    world.instance({ name: 'staying', limits: LIMITS }).engine.start();
    await world.clock.advance(15_000);
    expect(world.states()).toEqual({ delivered: 400 });
    expect(world.seen).toHaveLength(400);
  });

  it('by a suspension repeats nothing that other instances have done', async () => {
    let isAsleep = false;
    const sleeper = await world.settled({
      name: 'sleeper',
      limits: LIMITS,
      databaseMs: () => (isAsleep ? 100_000 : 0),
    });
    world.behave('alpha', () => ({ ms: 1, outcome: DELIVERED }));
    const events = world.many(100);
    const rows = world.plan(sleeper, events);
    world.outbox.insert(rows, events);
    isAsleep = true;
    sleeper.engine.committed(rows, events);
    world.instance({ name: 'other', limits: LIMITS }).engine.start();
    await world.clock.advance(600_000);
    expect(world.states()).toEqual({ delivered: 100 });
    expect(world.seen).toHaveLength(100);
  });
});
