import { describe, expect, it } from 'vitest';
import { dueRun, jitterOf, nextOccurrence } from '../../../plugins/connectors/schedule.js';
import { type ConnectorMemory, NO_MEMORY } from '../../../plugins/connectors/run/run-record.js';
import { ConnectorWorld, person } from '../../support/connector-world.js';

const NOW = new Date('2026-11-22T10:07:00.000Z');

const due = (
  memory: Partial<ConnectorMemory>,
  { now = NOW, isQuarantined = false, jitter = 0 } = {},
) =>
  dueRun({
    name: 'hr',
    schedule: { full: '0 3 * * *', delta: '*/15 * * * *', timezone: 'UTC', jitter },
    memory: { ...NO_MEMORY, lastDatesOn: '2026-11-22', ...memory },
    seenAt: new Date('2026-11-22T09:50:00.000Z'),
    canDelta: true,
    isQuarantined,
    today: '2026-11-22',
    now,
  });

describe('what is due', () => {
  it.each<[string, Partial<ConnectorMemory>, object | undefined]>([
    ['the first start since it was seen', {}, { mode: 'delta', trigger: 'catch-up' }],
    [
      'nothing, shortly after a delta',
      { lastFullAt: '2026-11-22T03:00:01Z', lastDeltaAt: '2026-11-22T10:00:01Z' },
      undefined,
    ],
    [
      'a delta',
      { lastFullAt: '2026-11-22T03:00:01Z', lastDeltaAt: '2026-11-22T09:45:01Z' },
      { mode: 'delta', trigger: 'catch-up' },
    ],
    [
      'one full read for all that were missed',
      { lastFullAt: '2026-11-12T03:00:01Z', lastDeltaAt: '2026-11-12T10:00:01Z' },
      { mode: 'full', trigger: 'catch-up' },
    ],
    [
      'the dates of a new day',
      {
        lastFullAt: '2026-11-22T03:00:01Z',
        lastDeltaAt: '2026-11-22T10:00:01Z',
        lastDatesOn: '2026-11-21',
      },
      { mode: 'dates' },
    ],
    [
      'another try',
      { lastFullAt: '2026-11-22T10:01:00Z', retryAt: '2026-11-22T10:06:00Z' },
      { mode: 'full' },
    ],
  ])('%s', (_name, memory, expected) => {
    if (expected) expect(due(memory)).toMatchObject(expected);
    else expect(due(memory)).toBeUndefined();
  });

  it('a connector in quarantine runs daily, and no more after four weeks', () => {
    const memory = { lastFullAt: '2026-11-22T02:00:00Z', quarantinedAt: '2026-11-22T02:00:00Z' };
    expect(due(memory, { isQuarantined: true })).toBeUndefined();
    const later = new Date('2026-11-23T03:10:00Z');
    expect(due(memory, { isQuarantined: true, now: later })).toMatchObject({ mode: 'full' });
    const muchLater = new Date('2026-12-25T03:10:00Z');
    expect(due(memory, { isQuarantined: true, now: muchLater })).toBeUndefined();
  });

  it('starts later by the same jitter each time', () => {
    const schedule = { full: '0 3 * * *', timezone: 'Europe/Berlin', jitter: 600_000 };
    const jitter = jitterOf('hr', schedule);
    expect(jitter).toBeGreaterThan(0);
    expect(jitter).toBeLessThan(600_000);
    expect(nextOccurrence('hr', schedule, 'full', NOW)?.getTime()).toBe(
      Date.parse('2026-11-23T02:00:00Z') + jitter,
    );
  });

  it('follows the time zone over the change to summer time', () => {
    const schedule = { full: '30 2 * * *', timezone: 'Europe/Berlin', jitter: 0 };
    const next = nextOccurrence('hr', schedule, 'full', new Date('2026-03-28T12:00:00Z'));
    expect(next?.toISOString()).toBe('2026-03-29T01:00:00.000Z');
  });
});

describe('the schedule', () => {
  const scheduled = () => new ConnectorWorld({ schedule: { full: '0 12 * * *', jitter: '0s' } });
  const tick = async (world: ConnectorWorld) => {
    const { service } = world.instance();
    await service.tick();
    await service.idle();
    return (await (await service.store()).runs(10)).filter(({ mode }) => mode === 'full');
  };

  it('starts one run at its time, and none again', async () => {
    const world = scheduled();
    world.put('p1', person('p1'));
    expect(await tick(world)).toEqual([]);
    expect(await tick(world)).toEqual([]);
    world.pass(2 * 3_600_000 + 60_000);
    expect(await tick(world)).toMatchObject([{ state: 'done', trigger: 'schedule' }]);
    expect(await tick(world)).toHaveLength(1);
  });

  it('catches up once after a downtime', async () => {
    const world = scheduled();
    world.put('p1', person('p1'));
    await tick(world);
    world.passDays(5);
    expect(await tick(world)).toMatchObject([{ state: 'done', trigger: 'catch-up' }]);
    expect(await tick(world)).toHaveLength(1);
  });

  it('starts nothing while it is paused', async () => {
    const world = scheduled();
    await tick(world);
    await world.instance().service.pause(true, 'ada');
    world.passDays(2);
    expect(await tick(world)).toEqual([]);
    await world.instance().service.pause(false, 'ada');
    expect(await tick(world)).toHaveLength(1);
  });

  it('waits longer and longer after a run that could not begin, such as with a wrong clock', async () => {
    const world = new ConnectorWorld();
    world.put('p1', person('p1', { start: '2026-11-24' }));
    await tick(world);
    await world.run();
    world.passDays(2);
    world.machineOffsetMs = -3 * 86_400_000;
    const runsIn = async (ticks: number, everyMs: number): Promise<number> => {
      const store = await world.instance().service.store();
      const before = (await store.runs(100)).length;
      for (let at = 0; at < ticks; at += 1) {
        world.pass(everyMs);
        await tick(world);
      }
      return (await store.runs(100)).length - before;
    };
    expect(await runsIn(60, 5_000)).toBe(1);
    expect(await runsIn(60, 60_000)).toBeLessThan(5);
    expect(await runsIn(48, 1_800_000)).toBeLessThan(8);
    expect(world.users()).toEqual([]);
    // when the clock is right, and an operator resumes the connector
    world.machineOffsetMs = 0;
    await world.instance().service.pause(false, 'ada');
    await tick(world);
    expect(world.active()).toEqual(['p1@example.com']);
  });

  it('evaluates dates daily without a read', async () => {
    const world = new ConnectorWorld();
    world.put('p1', person('p1', { start: '2026-11-24' }));
    await tick(world);
    await world.run();
    const { reads } = world;
    world.passDays(1);
    await tick(world);
    expect(world.users()).toEqual([]);
    world.passDays(1);
    await tick(world);
    expect(world.active()).toEqual(['p1@example.com']);
    expect(world.reads).toBe(reads);
  });
});
