import { beforeEach, describe, expect, it } from 'vitest';
import type { TenantId } from '../../src/domain/kernel/ids.js';
import { createLogger } from '../../src/process/logger.js';
import { StoreUnavailable } from '../../src/pipeline/commit-store.js';
import { aTenant, idOf } from '../support/builders.js';
import { answersIn, DELIVERED, EngineWorld, FAILED } from './engine-world.js';

let world: EngineWorld;
beforeEach(() => {
  world = new EngineWorld();
});

/** A sweep comes each second, ±20 %, so a retry is up to so much later than the schedule says. */
const SWEEP_MS = 1_250;

describe('an attempt that fails', () => {
  /** Seconds between the attempts. */
  const gaps = (): readonly number[] =>
    world.seen.slice(1).map(({ at }, index) => at - world.seen[index]!.at);

  it('is repeated by the schedule under the same id, then given up', async () => {
    world.behave('alpha', answersIn(10, FAILED));
    const instance = await world.settled();
    const [row] = world.commit(instance, world.events('ada'));
    await world.clock.advance(3_600_000);
    expect(world.seen.map(({ id, attempt }) => [id, attempt])).toEqual(
      [1, 2, 3, 4].map((attempt) => [row!.id, attempt]),
    );
    for (const [index, step] of [5_000, 30_000, 120_000].entries()) {
      expect(gaps()[index]).toBeGreaterThanOrEqual(step);
      expect(gaps()[index]).toBeLessThan(step + SWEEP_MS + 100);
    }
    expect(world.rows()).toMatchObject([
      { state: 'failed', attempts: 4, lastReason: 'status 500' },
    ]);
  });

  it('is logged with its cause once, and again when the cause changes or lasts', async () => {
    let reason = 'The certificate has expired. See https://user:pw@example.com/hook?token=secret';
    world.behave('alpha', () => ({ ms: 1, outcome: { ...FAILED, reason } }));
    const instance = await world.settled({ limits: { breakerFailures: 1_000 } });
    const causes = () =>
      instance.log
        .filter(({ message }) => message === 'Deliveries fail.')
        .map(({ fields }) => (fields as { reason: string }).reason);
    const fail = async (): Promise<void> => {
      world.commit(instance, world.many(3));
      await world.clock.advance(3_000);
    };
    await fail();
    await fail();
    const expired = 'The certificate has expired. See https://example.com';
    expect(causes()).toEqual([expired]);
    await world.clock.advance(20_000);
    reason = 'status 503';
    await fail();
    expect(causes()).toEqual([expired, 'status 503']);
    const { lastFailures } = await instance.engine.gauges.snapshot();
    expect(lastFailures.get('tests')).toMatchObject({ reason: 'status 503' });
    // Success and failure in turns are not a line each
    world.behave('alpha', (_delivery, at) => ({
      ms: 1,
      outcome: at % 2 === 0 ? DELIVERED : { ...FAILED, reason },
    }));
    for (let round = 0; round < 10; round += 1) {
      world.commit(instance, world.many(2));
      await world.clock.advance(101);
    }
    expect(causes()).toHaveLength(2);
  });

  it('is not repeated if the schedule is empty', async () => {
    world.behave('alpha', answersIn(10, FAILED));
    const instance = await world.settled({ subscriber: { retrySchedule: [] } });
    world.commit(instance, world.events('ada'));
    await world.clock.advance(3_600_000);
    expect(world.seen).toHaveLength(1);
    expect(world.states()).toEqual({ failed: 1 });
  });

  it('ends the delivery at once if a retry cannot succeed', async () => {
    world.behave('alpha', answersIn(10, { ...FAILED, retry: false, reason: 'status 410' }));
    const instance = await world.settled();
    world.commit(instance, world.events('ada'));
    await world.clock.advance(3_600_000);
    expect(world.seen).toHaveLength(1);
    expect(world.rows()).toMatchObject([{ state: 'failed', lastReason: 'status 410' }]);
    expect(instance.log.map(({ message }) => message)).toContain('Delivery failed.');
  });

  it('counts if the subscriber throws, and the cause is logged', async () => {
    world.behave('alpha', ({ attempt }) =>
      attempt === 1 ? new Error('a fault in the plugin') : { ms: 0, outcome: DELIVERED },
    );
    const instance = await world.settled();
    world.commit(instance, world.events('ada'));
    await world.clock.advance(100);
    expect(world.rows()).toMatchObject([
      { state: 'pending', lastReason: 'The subscriber failed.' },
    ]);
    expect(instance.log).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'A subscriber threw during a delivery.' }),
    );
    await world.clock.advance(10_000);
    expect(world.states()).toEqual({ delivered: 1 });
  });

  it.each([[undefined], [null], ['delivered'], [{}], [{ kind: 'sent' }], [{ kind: 'failed' }]])(
    'counts if the subscriber resolves with %j, which is no outcome',
    async (nonsense) => {
      const deliver = () => Promise.resolve(nonsense as never);
      const instance = await world.settled({ subscriber: { deliver } });
      world.commit(instance, world.events('ada'));
      await world.clock.advance(100);
      expect(world.rows()).toMatchObject([
        { state: 'pending', lastReason: 'The subscriber failed.' },
      ]);
    },
  );

  it('is kept with no more than the beginning of a long reason', async () => {
    world.behave('alpha', answersIn(0, { ...FAILED, reason: 'why '.repeat(100_000) }));
    const instance = await world.settled();
    world.commit(instance, world.events('ada'));
    await world.clock.advance(100);
    expect(world.rows()[0]!.lastReason).toHaveLength(500);
  });

  it('counts if it hangs: it is aborted before its lease ends', async () => {
    world.behave('alpha', ({ attempt }) =>
      attempt === 1 ? 'hangs' : { ms: 0, outcome: DELIVERED },
    );
    const instance = await world.settled();
    world.commit(instance, world.events('ada'));
    await world.clock.advance(55_900);
    expect(world.rows()[0]!.lastReason).toBeUndefined();
    await world.clock.advance(500);
    expect(world.rows()).toMatchObject([{ lastReason: 'The attempt did not end in time.' }]);
    await world.clock.advance(10_000);
    expect(world.states()).toEqual({ delivered: 1 });
    expect((await instance.engine.gauges.snapshot()).inFlight).toBe(0);
  });

  it('is aborted by its signal before its lease ends', async () => {
    world.behave('alpha', answersIn(300_000));
    const instance = await world.settled();
    world.commit(instance, world.events('ada'));
    await world.clock.advance(56_000);
    expect(world.rows()).toMatchObject([{ state: 'pending', lastReason: 'aborted' }]);
  });

  it('ends as failed if the log no longer has the event', async () => {
    world.behave('alpha', answersIn(0, FAILED));
    const instance = await world.settled();
    world.commit(instance, world.events('ada'));
    await world.clock.advance(1_000);
    world.outbox.forgetEvents();
    await world.clock.advance(10_000);
    expect(world.seen).toHaveLength(1);
    expect(world.rows()).toMatchObject([
      { state: 'failed', lastReason: 'The event is past its retention.' },
    ]);
  });
});

describe('a key that keeps failing', () => {
  it('is paused for 30 s after five consecutive failures, without using up attempts', async () => {
    world.behave('alpha', answersIn(10, FAILED));
    const instance = await world.settled();
    world.commit(instance, world.many(100));
    await world.clock.advance(100);
    // Those under way when it opened still end.
    const first = world.seen.length;
    expect(first).toBeLessThanOrEqual(16);
    await world.clock.advance(28_000);
    expect(world.seen).toHaveLength(first);
    expect((await instance.engine.gauges.snapshot()).openBreakers).toBe(1);
    const untried = world.rows().filter(({ attempts }) => attempts === 0);
    expect(untried).toHaveLength(100 - first);
    expect(instance.log.map(({ message }) => message)).toContain(
      'Consecutive deliveries failed; deliveries are paused.',
    );
  });

  it('is named in the log, and so is a delivery that failed', async () => {
    world.behave('alpha', answersIn(10, FAILED));
    const instance = await world.settled();
    world.commit(instance, world.many(20));
    await world.clock.advance(1_000);
    world.behave('alpha', answersIn(10, { ...FAILED, retry: false }));
    await world.clock.advance(60_000);
    const written: string[] = [];
    const logger = createLogger('info', { write: (line) => void written.push(line) });
    for (const { fields, message } of instance.log) logger.warn(fields, message);
    for (const message of [
      'Delivery failed.',
      'Consecutive deliveries failed; deliveries are paused.',
    ])
      expect(written.find((line) => line.includes(message))).toContain('"target":"alpha"');
  });

  it('is probed by one attempt every 30 s', async () => {
    world.behave('alpha', answersIn(10, FAILED));
    const instance = await world.settled();
    world.commit(instance, world.many(100));
    await world.clock.advance(1_000);
    const first = world.seen.length;
    await world.clock.advance(96_000);
    expect(world.seen).toHaveLength(first + 3);
  });

  it('gets all pending and later events as soon as a probe succeeds', async () => {
    let isUp = false;
    world.behave('alpha', () => ({ ms: 10, outcome: isUp ? DELIVERED : FAILED }));
    const instance = await world.settled();
    world.commit(instance, world.many(60));
    await world.clock.advance(10_000);
    isUp = true;
    world.commit(
      instance,
      world.many(60, (index) => `later-${index}`),
    );
    await world.clock.advance(15_000);
    const before = world.states()['delivered'] ?? 0;
    await world.clock.advance(10_000);
    expect(before).toBe(0);
    // Those that failed twice before wait for their step of the schedule.
    await world.clock.advance(40_000);
    expect(world.states()).toEqual({ delivered: 120 });
    expect(instance.log.map(({ message }) => message)).toContain('Deliveries succeed again.');
  });

  it('does not delay other keys', async () => {
    world.keys = ['dead', 'alive'];
    world.behave('dead', answersIn(9_000, FAILED));
    const instance = await world.settled();
    for (let round = 0; round < 20; round += 1) {
      world.commit(
        instance,
        world.many(20, (index) => `round-${round}-${index}`),
      );
      await world.clock.advance(1_000);
    }
    const alive = world.seen.filter(({ key }) => key === 'alive');
    expect(alive).toHaveLength(400);
    const committedAt = (seq: number) => 70_000 + Math.floor((seq - 1) / 20) * 1_000;
    expect(Math.max(...alive.map(({ at, seq }) => at - committedAt(seq)))).toBeLessThan(100);
  });

  it('is closed by a response that ends a delivery: the receiver works', async () => {
    world.behave('alpha', answersIn(10, { ...FAILED, retry: false, reason: 'status 410' }));
    const instance = await world.settled();
    world.commit(instance, world.many(100));
    await world.clock.advance(10_000);
    expect(world.states()).toEqual({ failed: 100 });
  });

  it('is given up: rows that waited as long as the schedule fail', async () => {
    world.behave('alpha', answersIn(10, FAILED));
    const instance = await world.settled({ limits: { sweepMs: 5_000 } });
    world.commit(instance, world.many(300));
    await world.clock.advance(3_590_000);
    expect(world.states()).toEqual({ pending: 300 });
    await world.clock.advance(120_000);
    // A probe counts as an attempt of its row, whose wait then begins anew.
    const tried = new Set(world.seen.map(({ id }) => id));
    const waiting = world.rows().filter(({ state }) => state === 'pending');
    expect(waiting.length).toBeLessThan(150);
    expect(waiting.every(({ id }) => tried.has(id))).toBe(true);
    const reasons = world
      .rows()
      .flatMap(({ state, lastReason }) => (state === 'failed' ? [lastReason] : []));
    expect(new Set(reasons)).toEqual(new Set(['No response for too long.']));
    await world.clock.advance(4 * 3_600_000);
    expect(world.states()).toEqual({ failed: 300 });
  });
});

describe('a key that is no longer served', () => {
  it('gets no attempt that starts later than 1 s after it was disabled', async () => {
    world.behave('alpha', answersIn(300));
    const instance = await world.settled();
    world.commit(instance, world.many(200));
    await world.clock.advance(2_000);
    const disabledAt = world.clock.now();
    world.disabled.add('alpha');
    await world.clock.advance(120_000);
    expect(world.seen.length).toBeGreaterThan(40);
    expect(Math.max(...world.seen.map(({ at }) => at))).toBeLessThanOrEqual(disabledAt + 1_000);
    expect(world.states()['pending']).toBeUndefined();
    expect(world.states()['dropped']).toBeGreaterThan(100);
  });

  it('loses its retries, including those due in an hour', async () => {
    world.behave('alpha', answersIn(10, FAILED));
    const instance = await world.settled({ subscriber: { retrySchedule: [3_600_000] } });
    world.commit(instance, world.events('ada'));
    await world.clock.advance(1_000);
    world.disabled.add('alpha');
    world.commit(instance, world.events('bob'));
    await world.clock.advance(5_000);
    world.commit(instance, world.events('eve'));
    await world.clock.advance(3_600_000 * 2);
    // Events that were routed within the trusted second may still be sent; none later.
    expect(world.seen.every(({ at }) => at < 73_000 + 5_000)).toBe(true);
    expect(world.states()['pending']).toBeUndefined();
  });

  it('with 10,000 rows pending gets none of them, nor when it is served again', async () => {
    world.behave('alpha', answersIn(10, FAILED));
    const instance = await world.settled();
    for (let batch = 0; batch < 10; batch += 1) {
      world.commit(
        instance,
        world.many(1_000, (index) => `batch-${batch}-${index}`),
      );
    }
    await world.clock.advance(10_000);
    const before = world.seen.length;
    world.disabled.add('alpha');
    await world.clock.advance(60_000);
    world.disabled.delete('alpha');
    await world.clock.advance(300_000);
    expect(world.seen).toHaveLength(before);
    expect(world.states()['pending']).toBeUndefined();
  });

  it('waits while the subscriber cannot list the keys it serves', async () => {
    let isAway = true;
    const serving = (_tenant: string, keys: readonly string[]) =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve(new Set(keys));
    world.behave('alpha', answersIn(600));
    const instance = await world.settled({ subscriber: { serving } });
    world.commit(instance, world.many(30));
    await world.clock.advance(10_000);
    const sentOnTrust = world.seen.length;
    expect(sentOnTrust).toBe(16);
    isAway = false;
    await world.clock.advance(10_000);
    expect(world.states()).toEqual({ delivered: 30 });
    const messages = instance.log.map(({ message }) => message);
    expect(messages.filter((message) => message.includes('could not list'))).toHaveLength(1);
    expect(messages.filter((message) => message.includes('serves again'))).toHaveLength(1);
  });
});

describe('a key that several tenants share', () => {
  const tenants = [0xa, 0xb].map((number) => idOf<TenantId>(number));
  const [one, other] = tenants as [TenantId, TenantId];

  it('is dropped for the tenant that it no longer serves, and for no other', async () => {
    const served = new Set(tenants);
    const serving = (tenantId: TenantId, keys: readonly string[]) =>
      Promise.resolve(new Set(served.has(tenantId) ? keys : []));
    world.behave('alpha', answersIn(600));
    const instance = await world.settled({ subscriber: { serving } });
    const events = Array.from({ length: 40 }, (_, index) => ({
      subject: `user-${index}`,
      tenantId: index % 2 === 0 ? one : other,
    }));
    world.commit(instance, world.events(...events));
    served.delete(other);
    await world.clock.advance(60_000);
    const ofOther = world.seen.filter(({ seq }) => seq % 2 === 0);
    expect(world.states()).toEqual({
      delivered: 20 + ofOther.length,
      dropped: 20 - ofOther.length,
    });
    expect(ofOther.every(({ at }) => at < 71_000)).toBe(true);
  });
});

describe('preparing', () => {
  it('passes the version of its own records to each subscriber, 0 without records', async () => {
    const versions: number[] = [];
    const prepare = (_tenant: unknown, version: number) => void versions.push(version);
    const instance = world.instance({ subscriber: { prepare } });
    await instance.engine.prepare(aTenant());
    await instance.engine.prepare(aTenant({ pluginVersions: { tests: 7, others: 9 } }));
    expect(versions).toEqual([0, 7]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('away');
      },
    ],
    ['rejects', () => Promise.reject(new Error('away'))],
  ])('prevents the commit of the batch if a subscriber %s', async (_how, prepare) => {
    const instance = world.instance({ subscriber: { prepare } });
    await expect(instance.engine.prepare(aTenant())).rejects.toThrow(StoreUnavailable);
  });
});
