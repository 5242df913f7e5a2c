import { beforeEach, describe, expect, it } from 'vitest';
import { answersIn, DELIVERED, EngineWorld, FAILED } from './engine-world.js';

let world: EngineWorld;
beforeEach(() => {
  world = new EngineWorld();
});

describe('an instance that is killed', () => {
  it('after the commit and before the attempt: another sends the event, once', async () => {
    const dying = await world.settled({ name: 'dying' });
    const events = world.events('ada');
    const rows = world.plan(dying, events);
    world.outbox.insert(rows, events);
    dying.kill();
    const heir = world.instance({ name: 'heir' });
    heir.engine.start();
    await world.clock.advance(59_000);
    expect(world.seen).toEqual([]);
    await world.clock.advance(3_000);
    expect(world.seen).toMatchObject([{ instance: 'heir', id: rows[0]!.id }]);
    expect(world.states()).toEqual({ delivered: 1 });
  });

  it('before the commit: nothing is stored and nothing sent', async () => {
    const dying = await world.settled({ name: 'dying' });
    world.plan(dying, world.events('ada'));
    dying.kill();
    world.instance({ name: 'heir' }).engine.start();
    await world.clock.advance(120_000);
    expect(world.seen).toEqual([]);
    expect(world.rows()).toEqual([]);
  });
});

describe('an instance that was suspended for longer than its lease', () => {
  it('cannot end a row that another has taken over', async () => {
    let isAsleep = false;
    // As after SIGSTOP: its questions reach the database late.
    const sleeper = await world.settled({
      name: 'sleeper',
      databaseMs: () => (isAsleep ? 90_000 : 0),
    });
    world.behave('alpha', ({ attempt }) => ({
      ms: 10,
      outcome: attempt === 1 ? DELIVERED : FAILED,
    }));
    world.commit(sleeper, world.events('ada'));
    isAsleep = true;
    world.instance({ name: 'other' }).engine.start();
    await world.clock.advance(64_000);
    expect(world.seen.map(({ instance }) => instance)).toEqual(['sleeper', 'other']);
    expect(world.rows()).toMatchObject([{ state: 'pending', lastReason: 'status 500' }]);
    await world.clock.advance(28_000);
    expect(world.acknowledged.length).toBeGreaterThanOrEqual(2);
    expect(world.rows()[0]!.state).toBe('pending');
  });
});

describe('stopping', () => {
  it('releases pending deliveries, so that another instance sends them at once', async () => {
    world.behave('alpha', answersIn(4_000));
    const leaving = await world.settled({ name: 'leaving' });
    const staying = world.instance({ name: 'staying', hasPeers: true });
    staying.engine.start();
    world.commit(leaving, world.many(12));
    await world.clock.advance(1_000);
    const stopped = leaving.engine.stop(10_000);
    await world.clock.advance(2_000);
    expect(world.seen.filter(({ instance }) => instance === 'staying')).toHaveLength(4);
    await world.clock.advance(10_000);
    await stopped;
    expect(world.states()).toEqual({ delivered: 12 });
    expect(world.seen).toHaveLength(12);
  });

  it('lets attempts in flight end, and stores their results', async () => {
    world.behave('alpha', answersIn(8_000));
    const instance = await world.settled();
    world.commit(instance, world.events('ada'));
    let isStopped = false;
    const stopped = instance.engine.stop(10_000).then(() => {
      isStopped = true;
    });
    await world.clock.advance(7_000);
    expect(isStopped).toBe(false);
    await world.clock.advance(1_100);
    await stopped;
    expect(world.states()).toEqual({ delivered: 1 });
  });

  it('aborts attempts that do not end within the grace period, and releases them uncounted', async () => {
    world.keys = ['alpha', 'beta'];
    world.behave('alpha', answersIn(40_000));
    world.behave('beta', () => 'hangs');
    const instance = await world.settled();
    world.commit(instance, world.events('ada'));
    const stopped = instance.engine.stop(10_000);
    await world.clock.advance(11_100);
    await stopped;
    expect(world.rows()).toMatchObject([
      { state: 'pending', owner: null, attempts: 0 },
      { state: 'pending', owner: null, attempts: 0 },
    ]);
    expect(world.rows().every(({ dueIn }) => dueIn <= 0)).toBe(true);
  });

  it('does not send what is committed afterwards; other instances do', async () => {
    const instance = await world.settled();
    const before = world.plan(instance, world.events('ada'));
    const stopped = instance.engine.stop(10_000);
    await world.clock.advance(100);
    await stopped;
    world.outbox.insert(before, []);
    instance.engine.committed(before, world.events('ada'));
    const after = world.plan(instance, world.events('bob'));
    expect(before[0]!.owner).toBe('instance-1');
    expect(after[0]!.owner).toBeNull();
    await world.clock.advance(10_000);
    expect(world.seen).toEqual([]);
  });

  it('ends although the database is unavailable', async () => {
    const instance = await world.settled();
    world.commit(instance, world.many(5));
    await world.clock.advance(10);
    instance.isCutOff = true;
    const stopped = instance.engine.stop(10_000);
    await world.clock.advance(12_000);
    await expect(stopped).resolves.toBeUndefined();
  });

  it('starts no attempt while a look-up in progress ends', async () => {
    let askMs = 0;
    const instance = await world.settled({ databaseMs: () => askMs });
    world.behave('alpha', answersIn(3_000));
    world.commit(instance, world.many(20));
    askMs = 2_500;
    await world.clock.advance(1_300);
    const stopped = instance.engine.stop(10_000);
    await world.clock.advance(2_500);
    expect(world.seen.map(({ endedAt }) => endedAt !== undefined)).toEqual(Array(8).fill(true));
    await world.clock.advance(30_000);
    await stopped;
    expect(world.states()).toEqual({ delivered: 8, pending: 12 });
    expect(world.rows().every(({ owner }) => owner === null)).toBe(true);
  });

  it('does nothing if the engine was not started', async () => {
    await expect(world.instance().engine.stop(10_000)).resolves.toBeUndefined();
  });
});

describe('two instances', () => {
  it('share a backlog without sending anything twice', async () => {
    world.behave('alpha', answersIn(5));
    const one = await world.settled({ name: 'one', limits: { maxHeld: 50 }, hasPeers: true });
    const other = world.instance({ name: 'other', limits: { maxHeld: 50 }, hasPeers: true });
    other.engine.start();
    world.commit(one, world.many(1_500));
    await world.clock.advance(20_000);
    expect(world.states()).toEqual({ delivered: 1_500 });
    expect(world.seen).toHaveLength(1_500);
    const byOther = world.seen.filter(({ instance }) => instance === 'other');
    expect(byOther.length).toBeGreaterThan(100);
  });
});

describe('an unavailable database', () => {
  it('loses nothing: what was sent is acknowledged afterwards, and not sent again', async () => {
    world.behave('alpha', answersIn(100));
    const instance = await world.settled();
    world.commit(instance, world.many(20));
    await world.clock.advance(10);
    instance.isCutOff = true;
    await world.clock.advance(20_000);
    const sent = world.seen.length;
    instance.isCutOff = false;
    await world.clock.advance(30_000);
    expect(sent).toBe(20);
    expect(world.states()).toEqual({ delivered: 20 });
    expect(world.seen).toHaveLength(20);
  });

  it('causes no second delivery of rows whose lease expired during the outage', async () => {
    const instance = await world.settled();
    world.commit(instance, world.many(10));
    await world.clock.advance(10);
    instance.isCutOff = true;
    await world.clock.advance(180_000);
    instance.isCutOff = false;
    await world.clock.advance(60_000);
    expect(world.states()).toEqual({ delivered: 10 });
    expect(world.seen).toHaveLength(10);
  });

  it('limits what is sent to what a crash may repeat', async () => {
    world.keys = Array.from({ length: 20 }, (_, number) => `key-${number}`);
    const limits = { maxUnacknowledged: 64 };
    const instance = await world.settled({ limits });
    world.unanswered.add('acknowledge');
    world.commit(instance, world.many(10));
    await world.clock.advance(10_000);
    expect(world.seen).toHaveLength(64);
    expect(await instance.engine.gauges.snapshot()).toMatchObject({ inFlight: 0 });
    world.unanswered.clear();
    await world.clock.advance(30_000);
    expect(world.states()).toEqual({ delivered: 200 });
    expect(world.seen).toHaveLength(200);
  });

  it('is logged once when it fails and once when it recovers; retries slow down', async () => {
    const instance = await world.settled();
    instance.isCutOff = true;
    await world.clock.advance(300_000);
    instance.isCutOff = false;
    await world.clock.advance(60_000);
    const reports = instance.log.filter(({ message }) => message.startsWith('The database'));
    expect(reports.map(({ level }) => level)).toEqual(['warn', 'info']);
    const { failures } = reports[1]!.fields as { failures: number };
    expect(failures).toBeGreaterThan(5);
    expect(failures).toBeLessThan(20);
  });

  it('between claim and events releases the claimed rows at once, not after a lease', async () => {
    world.behave('alpha', ({ attempt }) => ({
      ms: 1,
      outcome: attempt === 1 ? FAILED : DELIVERED,
    }));
    const instance = await world.settled();
    world.commit(instance, world.events('ada'));
    world.unanswered.add('readEvents');
    await world.clock.advance(10_000);
    world.unanswered.clear();
    await world.clock.advance(5_000);
    expect(world.seen.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(world.states()).toEqual({ delivered: 1 });
  });

  it('does not delay deliveries that need no look-up of the order', async () => {
    const instance = await world.settled();
    world.unanswered.add('earliestUnsent').add('claimDue');
    world.commit(instance, world.events('ada'));
    await world.clock.settle();
    expect(world.seen).toHaveLength(1);
  });

  it('delays those that need one until it succeeds', async () => {
    const instance = world.instance({ hasPeers: true });
    instance.engine.start();
    world.unanswered.add('earliestUnsent');
    world.commit(instance, world.events('ada'));
    await world.clock.advance(5_000);
    expect(world.seen).toEqual([]);
    world.unanswered.clear();
    await world.clock.advance(1_000);
    expect(world.seen).toHaveLength(1);
  });
});

describe('an instance that counted as dead', () => {
  it('sends nothing that other instances have taken over', async () => {
    world.behave('alpha', answersIn(100));
    let times: number | undefined = 0;
    const frozen = await world.settled({
      name: 'frozen',
      hasPeers: true,
      timesExpired: () => times,
    });
    world.commit(frozen, world.many(40));
    await world.clock.settle();
    const underWay = world.seen.length;
    expect(underWay).toBe(8);
    times = undefined;
    await world.outbox.release('frozen', ['tests']);
    world.instance({ name: 'heir', hasPeers: true }).engine.start();
    await world.clock.advance(3_000);
    times = 1;
    await world.clock.advance(60_000);
    expect(world.states()).toEqual({ delivered: 40 });
    // What was under way is repeated, and nothing of what only waited.
    expect(world.seen).toHaveLength(40 + underWay);
  });

  it('continues with rows that it still owns', async () => {
    let times: number | undefined = undefined;
    const slow = await world.settled({ name: 'slow', timesExpired: () => times });
    const rows = world.commit(slow, world.many(5));
    await world.clock.advance(5_000);
    expect(rows.map(({ owner }) => owner)).toEqual(Array(5).fill(null));
    times = 1;
    await world.clock.advance(5_000);
    expect(world.states()).toEqual({ delivered: 5 });
    expect(world.seen).toHaveLength(5);
  });
});
