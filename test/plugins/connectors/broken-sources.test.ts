import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject, ReadMessage } from '../../../src/plugin/api.js';
import { ConnectorWorld, FAST_CLOCK, person } from '../../support/connector-world.js';

const HOUR_MS = 3_600_000;

/** 60 users from the source, a day after the first run. */
const company = async (options: Record<string, unknown> = {}, connector = {}, count = 60) => {
  const world = new ConnectorWorld(options, connector);
  world.pageSize = 10;
  world.fill(count);
  expect(await world.run()).toMatchObject({ state: 'done' });
  world.pass(25 * HOUR_MS);
  return world;
};

const deactivations = (world: ConnectorWorld) =>
  world.effects.filter(({ type }) => type === 'user.deactivate').length;

/** No one is deactivated, by this run or the runs that follow. */
const expectNobodyLeft = async (world: ConnectorWorld, states: readonly string[]) => {
  for (let run = 0; run < 3; run += 1) {
    const { state } = await world.run();
    expect(states).toContain(state);
    expect(deactivations(world)).toBe(0);
    expect(world.active()).toHaveLength(60);
  }
};

describe('a broken source deactivates no user', () => {
  it('an empty source', async () => {
    const world = await company();
    world.source.clear();
    expect(await world.run()).toMatchObject({
      state: 'held',
      plan: { findings: [{ guard: 'empty' }, { guard: 'deactivations' }] },
    });
    await expectNobodyLeft(world, ['held', 'superseded']);
  });

  it('an empty source, with one link', async () => {
    const world = await company({}, {}, 1);
    world.source.clear();
    expect(await world.run()).toMatchObject({ state: 'held' });
    expect(await world.run()).toMatchObject({ state: 'superseded' });
    expect(world.active()).toHaveLength(1);
  });

  it('half of the file', async () => {
    const world = await company();
    for (const id of [...world.source.keys()].slice(0, 30)) world.source.delete(id);
    expect(await world.run()).toMatchObject({
      state: 'held',
      plan: { findings: [{ guard: 'deactivations' }] },
    });
    await expectNobodyLeft(world, ['held', 'superseded']);
  });

  it('duplicate ids: some page came twice, so another may be missing', async () => {
    const world = await company();
    for (const id of ['p58', 'p59', 'p60']) world.source.delete(id);
    world.faults = { repeats: true };
    expect(await world.run()).toMatchObject({
      state: 'held',
      plan: { findings: [{ guard: 'duplicates' }], deactivations: 0 },
    });
    await expectNobodyLeft(world, ['held', 'superseded']);
  });

  const left = { end: '2026-01-01' };
  const twice: Readonly<Record<string, readonly [JsonObject, ReadMessage]>> = {
    'a leaver and an employee': [left, { type: 'record', id: 'p1', data: person('p1') }],
    'an employee and a leaver': [{}, { type: 'record', id: 'p1', data: person('p1', left) }],
    'an employee and a deleted record': [{}, { type: 'tombstone', id: 'p1' }],
    'an unreadable record and a leaver': [
      { mail: null },
      { type: 'record', id: 'p1', data: person('p1', left) },
    ],
  };
  it.each(Object.keys(twice))('one id for two: %s', async (what) => {
    const [first, second] = twice[what]!;
    const world = await company({}, { record: z.looseObject({ mail: z.string() }) as never });
    world.put('p1', person('p1', first));
    world.faults = { more: [second] };
    const run = await world.run();
    expect(run).toMatchObject({ state: 'held', plan: { findings: [{ guard: 'duplicates' }] } });
    const { service } = world.instance();
    await service.approve(run.id, run.plan?.digest ?? '', 'test');
    await service.idle();
    expect(await world.run('ids', { ids: ['p1'] })).toMatchObject({ state: 'done' });
    expect(deactivations(world)).toBe(0);
    expect(await (await service.store()).quarantine.list(10)).toMatchObject([{ sourceId: 'p1' }]);
    // Once it is clear who they are, they are no longer in quarantine.
    world.faults = {};
    world.put('p1', person('p1', { job: 'Driver' }));
    expect(await world.run()).toMatchObject({ state: 'done', counts: { failed: 0 } });
    expect(await (await service.store()).quarantine.list(10)).toEqual([]);
  });

  it('one id for two, and a crash at any time', async () => {
    for (let killAt = 1; ; killAt += 1) {
      const world = await company({}, {}, 12);
      world.faults = { more: [{ type: 'record', id: 'p1', data: person('p1', left) }] };
      const { service, isDead } = world.instance(killAt);
      const started = await service
        .start({ mode: 'full', trigger: 'operator', requestedBy: 'test' })
        .catch(() => undefined);
      await service.idle();
      await world.recover();
      if (started)
        expect(await world.runOf(started.id)).toMatchObject({
          state: 'held',
          message: expect.stringContaining('more than once') as string,
        });
      expect(deactivations(world)).toBe(0);
      if (!isDead()) return;
    }
  });

  it('an error 500 in the middle', async () => {
    const world = await company();
    world.faults = { failAfter: 25 };
    expect(await world.run()).toMatchObject({ state: 'failed', message: 'HTTP 500' });
    await expectNobodyLeft(world, ['failed']);
  });

  it('a read that ends without "complete"', async () => {
    const world = await company();
    world.faults = { cutAfter: 25 };
    await expectNobodyLeft(world, ['failed']);
  });

  it('another number of records than the source claims', async () => {
    const world = await company();
    world.source.delete('p1');
    world.faults = { total: 60 };
    await expectNobodyLeft(world, ['failed']);
  });

  it('a slow page', async () => {
    const world = await company();
    world.faults = { hangAfter: 25 };
    expect(await world.run()).toMatchObject({ state: 'failed' });
    await expectNobodyLeft(world, ['failed']);
  });

  it('a read that never ends', async () => {
    const world = await company({ safety: { maxRecords: 100 } });
    world.faults = {
      more: {
        *[Symbol.iterator]() {
          for (let at = 0; ; at += 1) yield { type: 'tombstone', id: `endless${at}` };
        },
      },
    };
    expect(await world.run()).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('more than 100 records') as string,
    });
    await expectNobodyLeft(world, ['failed']);
  });

  it('a source that drips', async () => {
    const world = await company({ safety: { maxReadTime: '1m' } });
    world.clock = FAST_CLOCK;
    world.faults = {
      more: {
        async *[Symbol.asyncIterator]() {
          for (;;) {
            await new Promise(setImmediate);
            yield { type: 'recordError', message: 'a drop' };
          }
        },
      },
    };
    expect(await world.run()).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('took longer than 1 min') as string,
    });
  });

  it('a schema that changed', async () => {
    const world = await company({}, { record: z.looseObject({ mail: z.string() }) });
    for (const [id, { mail, ...data }] of world.source)
      world.source.set(id, { ...data, e_mail: mail! });
    expect(await world.run()).toMatchObject({ state: 'failed' });
    expect(await (await world.instance().service.store()).memory()).toMatchObject({
      quarantineReason: expect.stringMatching(
        /^60 of 60 records cannot be used; .* The first: .*mail/,
      ) as string,
    });
    await expectNobodyLeft(world, ['failed']);
  });

  it('a column that is missing', async () => {
    const world = await company();
    for (const [id, { mail: _mail, ...data }] of world.source) world.source.set(id, data);
    await expectNobodyLeft(world, ['failed']);
  });

  it('records without an id that cannot be read: any user may be one of them', async () => {
    const world = await company(
      { lifecycle: { missingRuns: 1 } },
      {
        mapping: { userName: { path: 'mail', required: true } },
      },
    );
    world.source.delete('p1');
    world.faults = { anonymousErrors: 1 };
    expect(await world.run()).toMatchObject({
      state: 'done',
      counts: { planned: {} },
      warnings: ['Records without id that could not be read: 1. No user is treated as absent.'],
    });
    expect(world.active()).toHaveLength(60);
  });

  it.each(['blanks', 'changes'])('a mapping that %s e-mail addresses', async (how) => {
    const world = new ConnectorWorld(
      {},
      { mapping: { userName: { path: 'id', required: true }, email: 'mail' } },
    );
    world.fill(60, (at) => ({ id: `u${at}` }));
    await world.run();
    world.pass(25 * HOUR_MS);
    const broken = (data: JsonObject): JsonObject =>
      how === 'blanks' ? { ...data, mail: '' } : { ...data, mail: `x${data.mail as string}` };
    for (const [id, data] of world.source) world.source.set(id, broken(data));
    expect(await world.run()).toMatchObject({
      state: 'held',
      plan: {
        findings: [...(how === 'blanks' ? [{ guard: 'fields' }] : []), { guard: 'emails' }],
      },
    });
    expect(world.users().every(({ email }) => email?.startsWith('p'))).toBe(true);
  });

  it('dates that all lie in the past', async () => {
    const world = await company();
    for (const [id, data] of world.source) world.put(id, { ...data, end: '2020-01-01' });
    expect(await world.run()).toMatchObject({ state: 'held' });
    expect(await world.run('delta')).toMatchObject({ state: 'held' });
    expect(deactivations(world)).toBe(0);
  });

  it('a delta of tombstones', async () => {
    const world = await company();
    for (const id of [...world.source.keys()].slice(0, 20)) {
      world.leave(id);
    }
    expect(await world.run('delta')).toMatchObject({ state: 'held' });
    expect(deactivations(world)).toBe(0);
  });
});

describe('a clock that jumps', () => {
  const withContracts = async () => {
    const world = new ConnectorWorld();
    world.fill(60, (at) => (at <= 5 ? { end: '2027-06-30' } : {}));
    await world.run();
    return world;
  };

  it.each(['full', 'dates'] as const)(
    'ahead: a run (%s) that deactivates by date is held',
    async (mode) => {
      const world = await withContracts();
      world.passDays(365);
      expect(await world.run(mode)).toMatchObject({
        state: 'held',
        plan: { findings: [{ guard: 'clock' }] },
      });
      expect(world.active()).toHaveLength(60);
    },
  );

  it('ahead, on one machine only: the run fails', async () => {
    const world = await withContracts();
    world.passDays(3);
    world.machineOffsetMs = -3 * 86_400_000;
    expect(await world.run()).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('clocks') as string,
    });
    expect(world.active()).toHaveLength(60);
  });

  it('back: the run fails, until an operator says that the clock is right', async () => {
    const world = await withContracts();
    world.passDays(-2);
    expect(await world.run()).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('ahead of the clock') as string,
    });
    await world.instance().service.pause(false, 'ada');
    expect(await world.run()).toMatchObject({ state: 'done' });
    expect(world.active()).toHaveLength(60);
  });
});

describe('guards', () => {
  it('add up the deactivations of 24 hours, so that small deltas do not drip through', async () => {
    const world = await company();
    const leave = async (...ids: readonly string[]) => {
      for (const id of ids) {
        world.leave(id);
      }
      return (await world.run('delta')).state;
    };
    expect(await leave('p1', 'p2', 'p3')).toBe('done');
    world.pass(HOUR_MS);
    expect(await leave('p4', 'p5', 'p6')).toBe('done');
    world.pass(HOUR_MS);
    expect(await leave('p7')).toBe('held');
    world.pass(25 * HOUR_MS);
    world.changes.push('p7');
    expect((await world.run('delta')).state).toBe('done');
    expect(deactivations(world)).toBe(7);
  });

  it('count, whatever the percentage', async () => {
    const world = await company({ safety: { maxDeactivateCount: 2, maxDeactivatePercent: 100 } });
    for (const id of ['p1', 'p2', 'p3']) world.put(id, person(id, { end: '2026-01-01' }));
    expect(await world.run()).toMatchObject({ state: 'held' });
  });

  it('quarantine a connector most of whose records fail, and let an operator resume it', async () => {
    const world = await company();
    for (const id of [...world.source.keys()].slice(0, 30)) world.source.set(id, { mail: '' });
    expect(await world.run()).toMatchObject({ state: 'failed' });
    const { service } = world.instance();
    const memory = await (await service.store()).memory();
    expect(memory.quarantinedAt).not.toBeNull();
    expect(memory.lastFullAt).not.toBeNull();
  });
});

describe('approval', () => {
  const held = async () => {
    const world = await company({ lifecycle: { missingRuns: 1 } });
    for (const id of [...world.source.keys()].slice(0, 30)) world.source.delete(id);
    const run = await world.run();
    expect(run.state).toBe('held');
    return { world, run, digest: run.plan?.digest ?? '' };
  };

  it('applies the plan that was shown, once', async () => {
    const { world, run, digest } = await held();
    const { service } = world.instance();
    await service.approve(run.id, digest, 'ada');
    await service.idle();
    expect(await world.runOf(run.id)).toMatchObject({
      state: 'done',
      approvedBy: 'ada',
      counts: { applied: 30 },
    });
    expect(world.active()).toHaveLength(30);
    await expect(service.approve(run.id, digest, 'ada')).rejects.toThrow('only a held run');
  });

  it('needs the digest of the plan', async () => {
    const { world, run } = await held();
    await expect(world.instance().service.approve(run.id, 'other', 'ada')).rejects.toThrow(
      'digest',
    );
    expect(world.active()).toHaveLength(60);
  });

  it('expires', async () => {
    const { world, run, digest } = await held();
    world.pass(25 * HOUR_MS);
    await expect(world.instance().service.approve(run.id, digest, 'ada')).rejects.toThrow(
      '24 hours',
    );
    await world.instance().service.tick();
    expect(await world.runOf(run.id)).toMatchObject({ state: 'expired' });
  });

  it('can be refused', async () => {
    const { world, run, digest } = await held();
    const { service } = world.instance();
    await service.reject(run.id, 'ada');
    await expect(service.approve(run.id, digest, 'ada')).rejects.toThrow('rejected');
    expect(await world.run()).toMatchObject({ state: 'held' });
  });
});
