import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../plugins/connectors/run/run-record.js';
import type { OpenConnector } from '../../../src/plugin/api.js';
import { ConnectorWorld, person } from '../../support/connector-world.js';
import { createGate } from '../../support/gate.js';

const start = async (world: ConnectorWorld, killAt?: number) => {
  const instance = world.instance(killAt);
  const run = await instance.service.start({
    mode: 'full',
    trigger: 'operator',
    requestedBy: 'test',
  });
  return { ...instance, id: run.id };
};

/** Two people who stay, one who leaves, one who changes, one who joins. */
const changedWorld = async () => {
  const world = new ConnectorWorld({ lifecycle: { missingRuns: 1 } });
  world.fill(4);
  await world.run();
  world.pass(25 * 3_600_000);
  world.leave('p4');
  world.put('p1', person('p1', { job: 'Driver' }));
  world.put('p5', person('p5'));
  return world;
};

const usersOf = (world: ConnectorWorld) =>
  world
    .users()
    .map(({ profile }) => profile)
    .sort((one, other) => (one.userName < other.userName ? -1 : 1));

describe('a run that is cancelled', () => {
  it('by the instance that applies it ends between two people, and says what it did', async () => {
    // given a run that creates many people
    const world = new ConnectorWorld();
    world.fill(350);
    const { service, id } = await start(world);
    while (world.effects.length === 0) await nextTurn();
    // when it is cancelled
    await service.cancel(id, 'ada');
    await service.idle();
    // then what had begun is done, and the rest is not
    const run = await world.runOf(id);
    const { applied } = run.counts;
    expect(run).toMatchObject({
      state: 'cancelled',
      message: `Cancelled by ada. Of 350 planned changes, ${applied} were applied and 0 failed.`,
    });
    expect(applied).toBeGreaterThan(0);
    expect(applied).toBeLessThan(350);
    expect(world.users()).toHaveLength(applied);
    const outcomes = await (await service.store()).outcomesAt(id, [...Array(350).keys()]);
    expect([...outcomes.values()].every(({ outcome }) => outcome === 'skipped')).toBe(true);
    // and the next run does the rest, once
    expect(await world.run()).toMatchObject({
      state: 'done',
      counts: { planned: { create: 350 - applied }, unchanged: applied },
    });
    expect(world.users()).toHaveLength(350);
    expect(new Set(world.effects.map(({ key }) => key)).size).toBe(world.effects.length);
  });

  it('by another instance ends its read', async () => {
    // given a read that lasts until it is aborted
    const world = new ConnectorWorld();
    const reading = createGate();
    world.opened = {
      check: () => Promise.resolve({ ok: true, message: 'fine' }),
      read: async function* ({ signal }) {
        reading.open();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        signal.throwIfAborted();
        yield { type: 'complete', cursor: null };
      },
    } satisfies OpenConnector;
    const { service, id } = await start(world);
    await reading.opened;
    // when an operator cancels it elsewhere
    await world.instance().service.cancel(id, 'ada');
    // then it ends
    await service.idle();
    expect(await world.runOf(id)).toMatchObject({
      state: 'cancelled',
      message: 'Cancelled by ada. Nothing was changed.',
    });
  });

  it('at any point where its instance was killed does nothing more', async () => {
    const expected = await changedWorld();
    await expected.run();
    const states = new Set<string>();
    for (let killAt = 1; ; killAt += 1) {
      // given a run that its instance left
      const world = await changedWorld();
      const left = await start(world, killAt).catch(() => undefined);
      await left?.service.idle();
      if (left && !left.isDead()) break;
      world.pass(16_000);
      await world.settle();
      const [before] = await (await world.instance().service.store()).runs(1);
      const events = world.commits.events.length;
      if (left && before && before.finishedAt === null) {
        states.add(before.state);
        // when it is cancelled
        const { service } = world.instance();
        await service.cancel(left.id, 'ada');
        await service.idle();
        // then it has ended, unless all of it was done
        const run = await world.runOf(left.id);
        expect(['cancelled', 'done']).toContain(run.state);
        expect([killAt, world.commits.events.length]).toEqual([killAt, events]);
        // and does not claim that nothing was changed if its instance may have changed something
        if (run.state === 'cancelled')
          expect(run.message).toMatch(
            before.state === 'applying' ? /at least \d were applied/ : /Nothing was changed\./,
          );
        expect(await service.store().then((store) => store.memory())).toMatchObject(
          run.state === 'cancelled' ? { failures: 0, retryAt: null } : {},
        );
      }
      // and the next run comes to the same end as one that was not disturbed
      await world.recover();
      await world.run();
      expect({ killAt, users: usersOf(world) }).toEqual({ killAt, users: usersOf(expected) });
    }
    expect([...states].sort()).toEqual(['applying', 'planning', 'queued', 'reading']);
  });

  it('by an operator whose instance is killed is cancelled, or continues', async () => {
    const expected = await changedWorld();
    await expected.run();
    for (let killAt = 1; ; killAt += 1) {
      const world = await changedWorld();
      const { service, id } = await start(world, 60);
      await service.idle();
      world.pass(16_000);
      const operator = world.instance(killAt);
      await operator.service.cancel(id, 'ada').catch(() => undefined);
      await operator.service.idle();
      const { cancel } = await world.runOf(id);
      await world.recover();
      expect({ killAt, state: (await world.runOf(id)).state }).toEqual({
        killAt,
        state: cancel ? 'cancelled' : 'done',
      });
      if (!operator.isDead()) break;
      await world.run();
      expect({ killAt, users: usersOf(world) }).toEqual({ killAt, users: usersOf(expected) });
    }
  });

  it('must be in progress', async () => {
    const world = new ConnectorWorld();
    world.fill(1);
    const { id } = await world.run();
    await expect(world.instance().service.cancel(id, 'ada')).rejects.toThrow('The run is done');
  });
});

describe('a pause', () => {
  it('after an approval stops the run', async () => {
    // given an approved run that no instance has taken up
    const world = new ConnectorWorld();
    world.fill(30);
    await world.run();
    world.pass(25 * 3_600_000);
    for (let at = 11; at <= 30; at += 1) world.source.delete(`p${at}`);
    const held: RunRecord = await world.run();
    const approving = world.instance(14);
    await approving.service.approve(held.id, held.plan?.digest ?? '', 'bob').catch(() => undefined);
    await approving.service.idle();
    expect(await world.runOf(held.id)).toMatchObject({ state: 'approved' });
    world.pass(16_000);
    // when the connector is paused
    const { service } = world.instance();
    await service.pause(true, 'ada');
    await service.idle();
    await world.recover();
    // then the run is over
    expect(await world.runOf(held.id)).toMatchObject({
      state: 'cancelled',
      message: 'Stopped, because ada paused the connector. Nothing was changed.',
    });
    // and an operator can still run it
    expect(await world.run()).toMatchObject({ state: 'held' });
  });
});
