import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../plugins/connectors/run/run-record.js';
import type { JsonObject, UserId } from '../../../src/plugin/api.js';
import { ConnectorWorld, person } from '../../support/connector-world.js';

/** 30 linked people; 20 are missing for the second time, and the run waits because of it. */
const worldWithHeldRun = async () => {
  const world = new ConnectorWorld();
  world.fill(30);
  await world.run();
  world.pass(25 * 3_600_000);
  const missing = new Map<string, JsonObject>();
  for (let at = 11; at <= 30; at += 1) {
    missing.set(`p${at}`, world.source.get(`p${at}`) ?? {});
    world.source.delete(`p${at}`);
  }
  const first = await world.run();
  await approve(world, first);
  world.pass(60_000);
  const held = await world.run();
  expect(held).toMatchObject({ state: 'held', plan: { deactivations: 20 } });
  world.pass(60_000);
  const correct = () => {
    for (const [id, data] of missing) world.source.set(id, data);
  };
  return { world, held, correct };
};

const approve = async (world: ConnectorWorld, { id, plan }: RunRecord): Promise<RunRecord> => {
  const { service } = world.instance();
  await service.approve(id, plan?.digest ?? '', 'ada');
  await service.idle();
  return world.runOf(id);
};

/** A run whose instance died at this operation. */
const leave = async (world: ConnectorWorld, mode: 'full' | 'delta', killAt: number) => {
  const { service, isDead } = world.instance(killAt);
  const { id } = await service.start({ mode, trigger: 'operator', requestedBy: 'test' });
  await service.idle();
  expect(isDead()).toBe(true);
  return id;
};

describe('an approval', () => {
  it('is refused, naming the newer run, while that one reads the corrected export', async () => {
    // given a held run, and a newer one that has not ended
    const { world, held, correct } = await worldWithHeldRun();
    correct();
    const newer = await leave(world, 'full', 40);
    expect(await world.runOf(newer)).toMatchObject({ state: 'reading' });
    // when the old plan is approved, then it is refused
    await expect(approve(world, held)).rejects.toThrow(newer);
    expect(world.active()).toHaveLength(30);
    // and the newer plan replaces it
    await world.recover();
    expect(await world.runOf(newer)).toMatchObject({ state: 'done' });
    expect(await world.runOf(held.id)).toMatchObject({ state: 'superseded' });
    expect(world.active()).toHaveLength(30);
  });

  it('leaves out what a delta has read since, also without a change', async () => {
    const { world, held, correct } = await worldWithHeldRun();
    correct();
    world.changes.push('p30');
    world.put('p29', person('p29', { job: 'Driver' }));
    expect(await world.run('delta')).toMatchObject({ state: 'done' });
    expect(await approve(world, held)).toMatchObject({ state: 'done', counts: { applied: 18 } });
    expect(world.active()).toHaveLength(12);
  });

  it('is possible after another run with the same plan', async () => {
    const { world, held } = await worldWithHeldRun();
    world.put('p1', person('p1', { job: 'Driver' }));
    await world.run('delta');
    world.pass(60_000);
    expect(await world.run()).toMatchObject({ state: 'superseded' });
    expect(await approve(world, held)).toMatchObject({ state: 'done' });
    expect(world.active()).toHaveLength(10);
  });

  it.each([
    ['failed', 'delta', { failAfter: 0 }],
    ['found nothing new', 'delta', {}],
    ['only looked at dates', 'dates', {}],
  ] as const)('is accepted after a newer run that %s', async (_what, mode, faults) => {
    const { world, held } = await worldWithHeldRun();
    if ('failAfter' in faults) world.put('p1', person('p1'));
    world.faults = faults;
    await world.run(mode);
    expect(await approve(world, held)).toMatchObject({ state: 'done' });
    expect(world.active()).toHaveLength(10);
  });

  it('that an older version took while a newer run was open does not survive its plan', async () => {
    const { world, held, correct } = await worldWithHeldRun();
    correct();
    await leave(world, 'full', 40);
    // given an approval without a look at other runs
    const runs = world.storage.collectionOf('connectors', 'runs');
    const owner = world.commits.tenant?.id ?? null;
    const stored = await runs.get(owner, `hr:${held.id}`);
    const approvedAt = world.now.toISOString();
    await runs.put(owner, [
      { key: `hr:${held.id}`, value: { ...stored?.value, state: 'approved', approvedAt } },
    ]);
    // when the newer run continues
    await world.recover();
    await world.recover();
    // then its plan counts
    expect(await world.runOf(held.id)).toMatchObject({ state: 'superseded' });
    expect(world.active()).toHaveLength(30);
  });
});

describe('an approved plan leaves alone what a delta has put into quarantine since:', () => {
  const BAD = { mail: 'no address' };
  const states = async (world: ConnectorWorld) => {
    const { quarantine } = await world.instance().service.store();
    return (await quarantine.list(10)).map(({ sourceId, data }) => [sourceId, data?.job ?? null]);
  };
  const held = async (before: JsonObject, delta: JsonObject, id = 'p1') => {
    const { world, correct } = await worldWithHeldRun();
    correct();
    await world.run();
    world.pass(25 * 3_600_000);
    for (let at = 11; at <= 30; at += 1) world.source.delete(`p${at}`);
    await approve(world, await world.run());
    world.pass(60_000);
    world.source.set(id, person(id, before));
    const run = await world.run();
    expect(run.state).toBe('held');
    world.pass(60_000);
    world.put(id, person(id, delta));
    expect(await world.run('delta')).toMatchObject({ state: 'done' });
    const atFirst = await states(world);
    expect(await approve(world, run)).toMatchObject({ state: 'done' });
    expect(await states(world)).toEqual(atFirst);
    return { world, atFirst };
  };

  it('a record that it could not use either', async () => {
    const { atFirst } = await held({ ...BAD, job: 'Old' }, { ...BAD, job: 'New' });
    expect(atFirst).toEqual([['p1', 'New']]);
  });

  it('a record that the delta could use', async () => {
    const { atFirst, world } = await held({ ...BAD, job: 'Old' }, { job: 'New' });
    expect(atFirst).toEqual([]);
    expect(world.user('p1@example.com')?.profile).toMatchObject({ title: 'New' });
  });

  it('a record for which it has a user', async () => {
    const { atFirst, world } = await held({ job: 'Old' }, { ...BAD, job: 'New' }, 'new');
    expect(atFirst).toEqual([['new', 'New']]);
    expect(world.user('new@example.com')).toBeUndefined();
  });
});

describe('an approved plan gives no user to a record', () => {
  /** A held plan in which the record `new` gets this user. */
  const heldFor = async (mail: string, before: (world: ConnectorWorld) => unknown) => {
    const { world, correct } = await worldWithHeldRun();
    correct();
    await world.run();
    world.pass(25 * 3_600_000);
    await before(world);
    world.put('new', person('new', { mail, first: mail.slice(0, -12).toUpperCase() }));
    for (let at = 11; at <= 30; at += 1)
      world.source.set(`p${at}`, person(`p${at}`, { end: '2026-11-20' }));
    const held = await world.run();
    expect(held.state).toBe('held');
    world.pass(60_000);
    return { world, held };
  };
  const itemOf = async (world: ConnectorWorld, { id }: RunRecord) => {
    const store = await world.instance().service.store();
    const found = (await store.items(id, 0)).find(({ item }) => item.sourceId === 'new');
    const outcomes = await store.outcomesAt(id, [found?.index ?? -1]);
    return { kind: found?.item.kind, outcome: outcomes.get(found?.index ?? -1)?.outcome };
  };

  it('that another connector has linked since', async () => {
    const { world, held } = await heldFor('zoe@example.com', (at) =>
      at.act({
        type: 'user.create',
        userId: at.newRecordId() as unknown as UserId,
        profile: { userName: 'zoe@example.com', active: true },
      }),
    );
    const other = new ConnectorWorld({}, {}, {}, { world, name: 'payroll' });
    other.now = world.now;
    other.put('z', person('zoe', { job: 'Pilot' }));
    expect(await other.run()).toMatchObject({ state: 'done' });
    await approve(world, held);
    expect(await itemOf(world, held)).toEqual({ kind: 'link', outcome: 'stale' });
    expect(world.user('zoe@example.com')?.profile).toMatchObject({ title: 'Pilot' });
  });

  it('that another record of the source has taken over since', async () => {
    const { world, held } = await heldFor('p2@example.com', (at) => at.leave('p2'));
    world.source.delete('new');
    world.leave('p2');
    world.put('newer', person('p2', { job: 'Pilot' }));
    expect(await world.run('delta')).toMatchObject({ state: 'done' });
    await approve(world, held);
    expect(await itemOf(world, held)).toEqual({ kind: 'relink', outcome: 'stale' });
    expect(world.user('p2@example.com')?.profile).toMatchObject({ title: 'Pilot' });
  });
});

describe('a run that is left for weeks', () => {
  it('in any state does not continue', async () => {
    const states = new Set<string>();
    for (let killAt = 1; ; killAt += 1) {
      // given a run that its instance left, of a connector that is then switched off
      const world = new ConnectorWorld();
      world.fill(2);
      await world.run();
      world.put('p3', person('p3'));
      world.leave('p2');
      const { service, isDead } = world.instance(killAt);
      const started = await service
        .start({ mode: 'delta', trigger: 'operator', requestedBy: 'test' })
        .catch(() => undefined);
      await service.idle();
      if (!isDead()) break;
      const [left] = await (await world.instance().service.store()).runs(1);
      const { cursor } = await (await world.instance().service.store()).memory();
      await world.settle();
      const before = [world.commits.events.length, ...world.active()];
      // when it is switched on weeks later
      world.passDays(21);
      await world.recover();
      if (!started || !left || left.finishedAt !== null || left.mode !== 'delta') continue;
      states.add(left.state);
      // then the run is over, and has done nothing more
      expect({ killAt, state: (await world.runOf(left.id)).state }).toEqual({
        killAt,
        state: 'expired',
      });
      expect([killAt, world.commits.events.length, ...world.active()]).toEqual([killAt, ...before]);
      expect(await (await world.instance().service.store()).memory()).toMatchObject({ cursor });
    }
    expect([...states].sort()).toEqual(['applying', 'planning', 'queued', 'reading']);
  });
});
