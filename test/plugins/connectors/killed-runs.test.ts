import { describe, expect, it } from 'vitest';
import type { RunMode, RunRecord } from '../../../plugins/connectors/run/run-record.js';
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

const stateOf = (world: ConnectorWorld) => ({
  users: world
    .users()
    .map(({ profile, version }) => ({ profile, version }))
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

it('a run that is killed again and again still ends', async () => {
  const expected = await changedWorld();
  await expected.run();
  const world = await changedWorld();
  await runUntilKilled(world, 'full', 40);
  for (let killAt = 3; ; killAt += 9) {
    if (!(await world.recover(killAt)).isDead()) break;
  }
  expect(await lastRun(world)).toMatchObject({ state: 'done' });
  expect(stateOf(world)).toEqual(stateOf(expected));
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
