import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../plugins/connectors/run/run-record.js';
import type { JsonObject } from '../../../src/plugin/api.js';
import { ConnectorWorld, person } from '../../support/connector-world.js';

const OPTIONS = {
  groups: [{ path: 'team' }],
  lifecycle: { status: { path: 'status', inactive: ['left'] } },
};

const staff = (id: string, more: JsonObject = {}) =>
  person(id, { last: 'Doe', job: 'Driver', team: 'Red', status: 'active', ...more });

/** 30 linked people; 10 have left, and a day has passed since. */
const employed = async (options: object = {}) => {
  const world = new ConnectorWorld(
    { ...OPTIONS, map: { 'name.familyName': 'last' }, ...options },
    {},
    { roomProvisioning: 'automatic' },
  );
  for (let at = 1; at <= 30; at += 1) world.put(`p${at}`, staff(`p${at}`));
  await world.run();
  world.pass(1_000);
  for (let at = 21; at <= 30; at += 1) world.put(`p${at}`, staff(`p${at}`, { status: 'left' }));
  await finish(world, await world.run());
  world.pass(25 * 3_600_000);
  return world;
};

const finish = async (
  world: ConnectorWorld,
  { id, plan, state }: RunRecord,
): Promise<RunRecord> => {
  if (state === 'held') {
    const { service } = world.instance();
    await service.approve(id, plan?.digest ?? '', 'ada');
    await service.idle();
  }
  const ended = await world.runOf(id);
  expect(ended.state).toBe('done');
  return ended;
};

/** The same records, each changed. */
const change = (world: ConnectorWorld, count: number, to: (data: JsonObject) => JsonObject) => {
  for (const [id, data] of [...world.source].slice(0, count)) world.put(id, to(data));
};

const without =
  (field: string) =>
  ({ [field]: _lost, ...data }: JsonObject): JsonObject =>
    data;

const findingsOf = ({ plan }: RunRecord) =>
  Object.fromEntries(plan?.findings.map(({ guard, message }) => [guard, message]) ?? []);

describe('a column that vanishes', () => {
  it.each(['status', 'team', 'last', 'job'])('holds the run and is named: %s', async (field) => {
    const world = await employed();
    const events = world.commits.events.length;
    change(world, 30, without(field));
    const run = await world.run();
    expect(run.state).toBe('held');
    expect(findingsOf(run).fields).toContain(`"${field}" has no value in any record; 30 had one`);
    expect(world.commits.events).toHaveLength(events);
  });

  it.each(['full', 'delta'] as const)('holds a %s if some records lose it', async (mode) => {
    const world = await employed();
    change(world, 4, without('job'));
    const run = await world.run(mode);
    expect(run.state).toBe('held');
    expect(findingsOf(run).fields).toContain('"job" has lost its value in 4 of 30 linked records');
  });

  it('is nothing unusual if few records lose it', async () => {
    const world = await employed();
    change(world, 2, without('job'));
    expect(await world.run()).toMatchObject({ state: 'done', counts: { applied: 2 } });
  });

  it('does not hold the next run once it is approved', async () => {
    const world = await employed();
    change(world, 30, without('job'));
    await finish(world, await world.run());
    world.pass(25 * 3_600_000);
    change(world, 1, (data) => ({ ...data, first: 'New' }));
    expect(await world.run()).toMatchObject({ state: 'done' });
  });
});

describe('a run is held that would', () => {
  it('reactivate many', async () => {
    const world = await employed();
    change(world, 30, (data) => ({ ...data, status: 'active' }));
    const run = await world.run();
    expect(run.state).toBe('held');
    expect(findingsOf(run).reactivations).toBe(
      '10 users would be reactivated; allowed without approval: 10 % and 50.',
    );
  });

  it('take many out of their groups', async () => {
    const world = await employed();
    change(world, 5, (data) => ({ ...data, team: 'Blue' }));
    expect(findingsOf(await world.run())).toEqual({
      removals: '5 of 20 users would leave groups; allowed without approval: 10 % and 50.',
    });
  });

  it('clear an attribute of many, at once or within a day', async () => {
    const world = await employed({ safety: { maxFieldLossPercent: 100 } });
    change(world, 2, without('last'));
    expect(await world.run()).toMatchObject({ state: 'done' });
    change(world, 4, without('last'));
    expect(findingsOf(await world.run())).toEqual({
      cleared:
        '2 of 20 users would lose their name.familyName (4 with the last 24 hours); ' +
        'allowed without approval: 10 % and 50.',
    });
  });

  it('change an attribute of many', async () => {
    const world = await employed();
    change(world, 6, (data) => ({ ...data, job: 'Medic' }));
    expect(findingsOf(await world.run())).toEqual({
      changed: '6 of 20 users would get another title; allowed without approval: 25 % and 500.',
    });
    change(world, 6, (data) => ({ ...data, job: 'Driver' }));
    change(world, 5, (data) => ({ ...data, job: 'Medic' }));
    expect(await world.run()).toMatchObject({ state: 'done' });
  });

  it('double a tenant of 20 users or more', async () => {
    const world = await employed();
    for (let at = 31; at <= 51; at += 1) world.put(`p${at}`, staff(`p${at}`));
    expect(findingsOf(await world.run())).toEqual({
      joiners: '21 users would join a tenant of 20.',
    });
    world.source.delete('p51');
    expect(await world.run()).toMatchObject({ state: 'done' });
  });

  it('create more users than there are seats', async () => {
    const world = await employed();
    await world.act({ type: 'tenant.update', seatCapacity: 22 });
    for (let at = 31; at <= 36; at += 1) world.put(`p${at}`, staff(`p${at}`));
    const held = await world.run();
    expect(findingsOf(held)).toEqual({
      seats: '6 users would join, but only 2 of 22 seats are free.',
    });
    // One leaver more than the seats that are missing: their seats count.
    world.put('p1', staff('p1', { status: 'left' }));
    world.put('p2', staff('p2', { status: 'left' }));
    expect((await world.run()).state).toBe('done');
  });
});

it('joiners who wait for a seat hold no further run', async () => {
  const world = await employed();
  await world.act({ type: 'tenant.update', seatCapacity: 20 });
  for (let at = 31; at <= 35; at += 1) world.put(`p${at}`, staff(`p${at}`));
  expect(await finish(world, await world.run())).toMatchObject({ counts: { failed: 5 } });
  world.pass(25 * 3_600_000);
  change(world, 1, (data) => ({ ...data, job: 'Medic' }));
  expect(await world.run()).toMatchObject({ state: 'done', counts: { applied: 1, failed: 5 } });
});
