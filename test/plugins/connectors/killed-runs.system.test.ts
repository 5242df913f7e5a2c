import { describe, expect, it } from 'vitest';
import type { RunMode, RunRecord } from '../../../plugins/connectors/run/run-record.js';
import type { User } from '../../../src/plugin/connectors-api.js';
import { ConnectorWorld, person } from '../../support/connector-world.js';

/** The same world each time: 7 people, three of them with groups and managers, and a day later changes. */
const changedWorld = async (lifecycle: object = {}) => {
  const world = new ConnectorWorld(
    { groups: [{ path: 'team' }], lifecycle },
    {},
    { roomProvisioning: 'automatic' },
  );
  world.fill(7, (at) => (at < 4 ? { team: 'Red', boss: 'p7' } : {}));
  await world.run();
  world.pass(25 * 3_600_000);
  world.put('p1', person('p1', { job: 'Driver', team: 'Blue', boss: 'p2' }));
  world.put('p2', person('p2', { end: '2026-11-01' }));
  world.put('p8', person('p8', { team: 'Blue', boss: 'p9' }));
  world.put('p9', person('p9'));
  world.leave('p7');
  world.effects.length = 0;
  return world;
};

/** Managers by name: ids differ between worlds. */
const named = (world: ConnectorWorld, profile: User['profile']) => {
  const { manager } = (profile.enterprise ?? {}) as {
    readonly manager?: { readonly value: string };
  };
  const of = world.users().find(({ id }) => id === manager?.value);
  return { ...profile, enterprise: of?.profile.userName };
};

const stateOf = (world: ConnectorWorld) => ({
  users: world
    .users()
    .map(({ profile, version }) => ({ profile: named(world, profile), version }))
    .sort((one, other) => (one.profile.userName < other.profile.userName ? -1 : 1)),
  groups: world.commits
    .all('groups')
    .map(({ displayName, memberCount }) => [displayName, memberCount]),
  events: world.commits.events.map(({ name }) => name).sort(),
});

/** Starts it on an instance that dies at this operation; false: it lived to the end. */
const runUntilKilled = async (world: ConnectorWorld, mode: RunMode, killAt: number) => {
  const { service, isDead } = world.instance(killAt);
  const started = await service
    .start({ mode, trigger: 'operator', requestedBy: 'test' })
    .catch(() => undefined);
  await service.idle();
  return { started, isDead: isDead() };
};

const lastRun = async (world: ConnectorWorld): Promise<RunRecord | undefined> =>
  (await (await world.instance().service.store()).runs(1))[0];

describe.each(['full', 'delta'] as const)('a %s run', (mode) => {
  it('that is killed at any page, write or command ends as if it had not been', async () => {
    const expected = await changedWorld();
    const undisturbed = await expected.run(mode);
    expect(undisturbed).toMatchObject({ state: 'done' });
    let kills = 0;
    for (let killAt = 1; ; killAt += 1) {
      const world = await changedWorld();
      const { isDead } = await runUntilKilled(world, mode, killAt);
      if (!isDead) break;
      kills += 1;
      // A run that was not stored yet is simply started again.
      await world.recover();
      const run = await lastRun(world);
      if (run?.createdAt !== undefined && run.state !== 'done') await world.run(mode);
      if ((await lastRun(world))?.mode !== mode || world.effects.length === 0)
        await world.run(mode);
      expect({ killAt, ...stateOf(world) }).toEqual({ killAt, ...stateOf(expected) });
      expect(new Set(world.effects.map(({ key }) => key)).size).toBe(world.effects.length);
    }
    expect(kills).toBeGreaterThan(50);
  });
});

it('a run that is killed at different places still ends', async () => {
  const expected = await changedWorld();
  await expected.run();
  const world = await changedWorld();
  await runUntilKilled(world, 'full', 60);
  for (let killAt = 40; ; killAt += 60) {
    if (!(await world.recover(killAt)).isDead()) break;
  }
  expect(await lastRun(world)).toMatchObject({ state: 'done' });
  expect(stateOf(world)).toEqual(stateOf(expected));
});

it('a run that is killed and continued on the next day applies the dates of that day', async () => {
  for (let killAt = 1; ; killAt += 1) {
    const world = new ConnectorWorld({ lifecycle: {} });
    world.fill(7, (at) => (at === 4 ? { end: '2026-11-23' } : {}));
    await world.run();
    world.pass(25 * 3_600_000);
    const { started, isDead } = await runUntilKilled(world, 'full', killAt);
    if (!isDead) break;
    const isPlanned = started === undefined || (await world.runOf(started.id)).plan !== null;
    world.pass(14 * 3_600_000);
    await world.recover();
    // A plan of the day before is applied as it is.
    if (isPlanned) await world.run('dates');
    const stay = ['p1', 'p2', 'p3', 'p5', 'p6', 'p7'].map((id) => `${id}@example.com`);
    expect({ killAt, active: world.active() }).toEqual({ killAt, active: stay });
  }
});

it('a membership that a killed attempt has made is removed by a later run', async () => {
  for (let killAt = 1; ; killAt += 1) {
    const world = new ConnectorWorld(
      { groups: [{ path: 'team' }] },
      {},
      { roomProvisioning: 'automatic' },
    );
    world.fill(2, () => ({ team: 'Red' }));
    const { isDead } = await runUntilKilled(world, 'full', killAt);
    if (!isDead) break;
    await world.recover();
    world.pass(60_000);
    world.fill(2, () => ({ team: 'Blue' }));
    await world.run();
    const members = world.commits
      .all('groups')
      .filter(({ memberCount }) => memberCount > 0)
      .map(({ displayName, memberCount }) => [displayName, memberCount]);
    expect({ killAt, members }).toEqual({ killAt, members: [['Blue', 2]] });
  }
});

it('two instances never run at once', async () => {
  const world = await changedWorld();
  const [one, other] = [world.instance(), world.instance()];
  await one.service.start({ mode: 'full', trigger: 'operator', requestedBy: 'a' });
  await expect(
    other.service.start({ mode: 'full', trigger: 'operator', requestedBy: 'b' }),
  ).rejects.toThrow('in progress');
  await other.service.tick();
  await Promise.all([one.service.idle(), other.service.idle()]);
  const expected = await changedWorld();
  await expected.run();
  expect(stateOf(world)).toEqual(stateOf(expected));
});

describe('a run that ends gateways', () => {
  it('twice at the same place is not continued, and pauses its connector', async () => {
    const world = new ConnectorWorld();
    // Without a checkpoint; each instance dies before it has read everybody.
    world.pageSize = 1_000;
    world.fill(200);
    await runUntilKilled(world, 'full', 100);
    expect(await lastRun(world)).toMatchObject({ state: 'reading' });
    await world.recover(100);
    expect(await lastRun(world)).toMatchObject({ state: 'reading' });
    await world.recover();
    const run = await lastRun(world);
    expect(run).toMatchObject({ state: 'failed', counts: { read: 0 } });
    expect(run?.message).toContain('The gateway ended 2 times while this run was reading after');
    const { service } = world.instance();
    expect(await (await service.store()).control()).toMatchObject({
      isPaused: true,
      pausedBy: 'rollgate',
    });
    world.passDays(2);
    await service.tick();
    await service.idle();
    expect((await lastRun(world))?.id).toBe(run?.id);
    await service.pause(false, 'test');
    expect(await world.run()).toMatchObject({ state: 'done' });
  });
});

describe('a run that is killed anywhere', () => {
  /** Follows one run for each operation at which it can die. */
  const atEachOperation = async (
    prepare: () => Promise<ConnectorWorld>,
    check: (world: ConnectorWorld, killAt: number) => Promise<void>,
  ): Promise<void> => {
    for (let killAt = 1; ; killAt += 1) {
      const world = await prepare();
      if (!(await runUntilKilled(world, 'full', killAt)).isDead) return;
      await check(world, killAt);
    }
  };

  it('reactivates the user that it deactivated', async () => {
    const prepare = async (): Promise<ConnectorWorld> => {
      const world = new ConnectorWorld();
      world.fill(3);
      await world.run();
      world.put('p2', person('p2', { end: '2026-11-01' }));
      return world;
    };
    await atEachOperation(prepare, async (world, killAt) => {
      await world.recover();
      if (world.active().length === 3) await world.run();
      expect({ killAt, active: world.active().length }).toEqual({ killAt, active: 2 });
      world.put('p2', person('p2'));
      await world.run();
      expect({ killAt, active: world.active().length }).toEqual({ killAt, active: 3 });
    });
  });

  it('ends, although another interface has deleted the users of the run', async () => {
    const prepare = (): Promise<ConnectorWorld> => {
      const world = new ConnectorWorld();
      world.fill(2);
      return Promise.resolve(world);
    };
    await atEachOperation(prepare, async (world) => {
      for (const { id } of world.users()) await world.act({ type: 'user.delete', userId: id });
      await world.recover();
      const run = await lastRun(world);
      expect(['done', 'failed', undefined]).toContain(run?.state);
    });
  });

  it('lets two people swap their addresses, and a third one take over a record', async () => {
    const prepare = async (): Promise<ConnectorWorld> => {
      const world = new ConnectorWorld();
      world.fill(4);
      await world.run();
      world.put('p1', person('p2', { first: 'One' }));
      world.put('p2', person('p1', { first: 'Two' }));
      world.leave('p3');
      world.put('n3', person('p3'));
      return world;
    };
    await atEachOperation(prepare, async (world, killAt) => {
      await world.recover();
      if ((await lastRun(world))?.state !== 'done') await world.run();
      if (world.user('p1@example.com')?.profile.name?.givenName === 'P1') await world.run();
      const names = world.users().map(({ profile }) => [profile.userName, profile.name?.givenName]);
      expect({ killAt, names: names.map(String).sort() }).toEqual({
        killAt,
        names: [
          'p1@example.com,Two',
          'p2@example.com,One',
          'p3@example.com,P3',
          'p4@example.com,P4',
        ],
      });
      expect(world.active()).toHaveLength(4);
      expect(world.users()).toHaveLength(4);
    });
  });
});

it('deactivated by an administrator before the plan was approved: they stay so', async () => {
  const world = new ConnectorWorld({ safety: { maxDeactivateCount: 0 } });
  world.fill(3);
  await world.run();
  world.put('p1', person('p1', { end: '2026-11-01' }));
  const held = await world.run();
  expect(held).toMatchObject({ state: 'held' });
  await world.act({ type: 'user.deactivate', userId: world.user('p1@example.com')!.id });
  const { service } = world.instance();
  await service.approve(held.id, held.plan?.digest ?? '', 'ada');
  await service.idle();
  expect(await world.runOf(held.id)).toMatchObject({ state: 'done', counts: { applied: 0 } });
  world.put('p1', person('p1'));
  await world.run();
  expect(world.active()).toHaveLength(2);
});
