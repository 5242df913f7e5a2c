import { describe, expect, it, vi } from 'vitest';
import type { RunMode, RunRecord } from '../../../plugins/connectors/run/run-record.js';
import { NO_PROGRESS } from '../../../plugins/connectors/run/plan-store.js';
import { appliedIn } from '../../../plugins/connectors/uploads/upload-cursor.js';
import type { JsonObject, UserId } from '../../../src/plugin/api.js';
import { ConnectorWorld } from '../../support/connector-world.js';
import { Company, type LifeEvent } from './lives.js';

/** Ada, Bob, Cid, Dan and Eli are records 1 to 5; Eve joins as record 6. */
const NAMES: Readonly<Record<string, readonly [first: string, last: string]>> = {
  1: ['Ada', 'Lovelace'],
  2: ['Bob', 'Miller'],
  3: ['Cid', 'Adams'],
  4: ['Dan', 'Brown'],
  5: ['Eli', 'Clark'],
  6: ['Eve', 'Evans'],
};

const mailOf = (id: string): string => `${(NAMES[id]?.[0] ?? id).toLowerCase()}@example.com`;

const line = (id: string, more: JsonObject = {}): JsonObject => ({
  mail: mailOf(id),
  first: NAMES[id]?.[0] ?? `First${id}`,
  last: NAMES[id]?.[1] ?? `Last${id}`,
  team: 'Red',
  status: 'active',
  ...more,
});

const CONNECTOR = {
  mapping: {
    userName: { path: 'login | mail', required: true },
    email: 'mail',
    'emails.home': 'home',
    'name.givenName': 'first',
    'name.familyName': 'last',
    'enterprise.department': 'team',
    manager: 'boss',
  },
  lifecycle: {
    start: 'start',
    end: 'end',
    status: { path: 'status', active: ['active'], inactive: ['left'] },
  },
};

const UPLOADS = {
  ...CONNECTOR,
  receivesUploads: true as const,
  deltas: { reportsDeletions: false },
};

/** Dates that contradict each other. */
const UNCLEAR = { status: '', start: '2026-12-03', end: '2026-12-01' };

const BOB = mailOf('2');

type World = ConnectorWorld;

const worldOf = (options: object = {}, tenant: object = {}): World =>
  new ConnectorWorld({ ...options }, CONNECTOR, tenant);

/** The five are linked, and a day has passed. */
const five = async (options: object = {}, tenant: object = {}): Promise<World> => {
  const world = worldOf(options, tenant);
  for (const id of ['1', '2', '3', '4', '5']) world.put(id, line(id));
  await world.run();
  world.pass(25 * 3_600_000);
  return world;
};

/** So many people, linked, with a manager each; a day has passed. */
const many = async (count: number, more: (at: number) => JsonObject = () => ({})) => {
  const world = worldOf();
  world.pageSize = 500;
  for (let at = 1; at <= count; at += 1)
    world.put(`p${at}`, line(`p${at}`, { boss: at === 1 ? null : 'p1', ...more(at) }));
  await world.run();
  world.pass(25 * 3_600_000);
  return world;
};

const approve = async (world: World, { id, plan }: RunRecord): Promise<RunRecord> => {
  const { service } = world.instance();
  await service.approve(id, plan?.digest ?? '', 'ada');
  await service.idle();
  return world.runOf(id);
};

const storeOf = async (world: World) => world.instance().service.store();
const waiting = async (world: World): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    (await (await storeOf(world)).quarantine.list(100)).map(({ sourceId, code }) => [
      sourceId,
      code,
    ]),
  );
const deferred = async (world: World): Promise<readonly string[]> =>
  (await world.instance().service.condition()).deferred.map(({ sourceId }) => sourceId);

const tickOf = async (world: World): Promise<void> => {
  const { service } = world.instance();
  await service.tick();
  await service.idle();
};

const isActive = (world: World, userName: string): boolean | undefined =>
  world.user(userName)?.profile.active;

const findings = ({ plan }: RunRecord): readonly string[] =>
  plan?.findings.map(({ guard }) => guard) ?? [];

const act = async (world: World, userName: string, isOn: boolean): Promise<void> => {
  const userId = world.user(userName)?.id as UserId;
  await world.act({ type: 'user.update', userId, active: isOn });
};

describe.each(['full', 'delta'] as const)('in one %s,', (mode) => {
  it('someone who gives an address away and leaves keeps the account; the next one gets a new one', async () => {
    const world = await five();
    const bob = world.user(BOB)?.id;
    // when Bob gets another address and leaves, and Eve joins with his
    world.put('2', line('2', { mail: 'bob2@example.com', status: 'left' }));
    world.put('6', line('6', { mail: BOB }));
    expect(await world.run(mode)).toMatchObject({ state: 'done' });
    // then each has an own account
    expect(world.user('bob2@example.com')).toMatchObject({ id: bob, profile: { active: false } });
    expect(world.user(BOB)?.id).not.toBe(bob);
    expect(isActive(world, BOB)).toBe(true);
  });

  it('the same in two exports: who has left with another address gives up the old one', async () => {
    const world = await five();
    const bob = world.user(BOB)?.id;
    world.put('2', line('2', { mail: 'bob2@example.com', status: 'left' }));
    await world.run(mode);
    // when Eve joins with Bob's address only in the next one
    world.put('6', line('6', { mail: BOB }));
    expect(await world.run(mode)).toMatchObject({ state: 'done' });
    expect(world.user('bob2@example.com')).toMatchObject({ id: bob, profile: { active: false } });
    expect(world.user(BOB)?.id).not.toBe(bob);
    expect(isActive(world, BOB)).toBe(true);
  });

  it('a leaver with another address keeps the old one until someone else has it', async () => {
    const world = await five();
    const bob = world.user(BOB)?.id;
    world.put('2', line('2', { status: 'left' }));
    await world.run(mode);
    world.put('2', line('2', { mail: 'bob2@example.com', status: 'left' }));
    await world.run(mode);
    expect(world.user(BOB)?.id).toBe(bob);
    // when Eve joins with it, and Bob's record is read again
    world.put('6', line('6', { mail: BOB }));
    world.put('2', line('2', { mail: 'bob3@example.com', status: 'left' }));
    await world.run(mode);
    expect(world.user('bob3@example.com')).toMatchObject({ id: bob, profile: { active: false } });
    expect(isActive(world, BOB)).toBe(true);
  });

  it('an address of a leaver that someone with another name has waits for a decision', async () => {
    const world = await five();
    const bob = world.user(BOB)?.id;
    world.put('2', line('2', { status: 'left' }));
    world.put('6', line('6', { mail: BOB }));
    expect(await world.run(mode)).toMatchObject({ state: 'done' });
    expect(isActive(world, BOB)).toBe(false);
    expect(await waiting(world)).toEqual({ 6: 'TAKEOVER' });
    // when an operator says that they are one person
    await world.instance().service.retry('6');
    await world.run();
    // then the record takes over the account
    expect(world.user(BOB)).toMatchObject({
      id: bob,
      profile: { active: true, name: { givenName: 'Eve' } },
    });
    expect(await waiting(world)).toEqual({});
  });

  it.each([
    ['marries', { last: 'Baker' }],
    ['has another spelling of the first name', { first: 'Bop' }],
    ['changes nothing else', {}],
  ])('a rehire under another id who %s keeps the account', async (_what, more) => {
    const world = await five();
    const bob = world.user(BOB)?.id;
    world.leave('2');
    world.put('6', line('2', more));
    expect(await world.run(mode)).toMatchObject({ state: 'done' });
    expect(world.user(BOB)).toMatchObject({ id: bob, profile: { active: true } });
    expect(await waiting(world)).toEqual({});
  });
});

describe('a whole file with new ids is held:', () => {
  const renumbered = async (
    change: (at: number, count: number) => JsonObject,
    { share = 1, count = 100 } = {},
  ): Promise<RunRecord> => {
    const world = await many(count);
    const events = world.commits.events.length;
    const lines = [...world.source.values()];
    world.source.clear();
    lines.forEach((data, index) => {
      const at = index + 1;
      const id = index < count * share ? `N${at}` : `p${at}`;
      world.put(id, { ...data, ...change(at, count) });
    });
    const run = await world.run();
    expect(['held', 'failed']).toContain(run.state);
    expect(world.commits.events).toHaveLength(events);
    return run;
  };

  it.each<[string, (at: number, count: number) => JsonObject, object?]>([
    ['as it was', () => ({})],
    ['without a column', () => ({ team: undefined })],
    ['with the addresses one row off', (at, count) => ({ mail: mailOf(`p${(at % count) + 1}`) })],
    ['first and last names swapped', (at) => ({ first: `Lastp${at}`, last: `Firstp${at}` })],
    ['only half of it', () => ({}), { share: 0.5 }],
    ['without the managers', () => ({ boss: null })],
    ['of 1,000 people', () => ({ team: undefined }), { count: 1_000 }],
  ])('%s', async (_what, change, how = {}) => {
    await renumbered(change, how);
  });

  it('and names the column that is gone', async () => {
    const run = await renumbered(() => ({ team: undefined }));
    expect(findings(run)).toEqual(expect.arrayContaining(['takeovers', 'fields', 'cleared']));
  });
});

describe('a limit counts the users who were linked and active before:', () => {
  it('new ids do not make more of them', async () => {
    const world = await many(100);
    for (let at = 1; at <= 50; at += 1) {
      const data = world.source.get(`p${at}`) ?? {};
      world.source.delete(`p${at}`);
      world.put(`N${at}`, data);
    }
    for (let at = 86; at <= 100; at += 1) world.put(`p${at}`, line(`p${at}`, { status: 'left' }));
    const run = await world.run();
    expect(run.state).toBe('held');
    expect(findings(run)).toEqual(expect.arrayContaining(['deactivations', 'takeovers']));
  });

  it('nor do those that an administrator has deactivated', async () => {
    const world = await many(40);
    for (let at = 21; at <= 40; at += 1) await act(world, mailOf(`p${at}`), false);
    for (let at = 1; at <= 4; at += 1) world.put(`p${at}`, line(`p${at}`, { status: 'left' }));
    expect(findings(await world.run())).toEqual(['deactivations']);
  });

  it('nor do those who have left, and are active again by an administrator', async () => {
    const world = await many(40);
    for (let at = 21; at <= 40; at += 1) world.put(`p${at}`, line(`p${at}`, { status: 'left' }));
    await approve(world, await world.run());
    world.pass(25 * 3_600_000);
    for (let at = 21; at <= 40; at += 1) await act(world, mailOf(`p${at}`), true);
    for (let at = 1; at <= 4; at += 1) world.put(`p${at}`, line(`p${at}`, { status: 'left' }));
    expect(findings(await world.run())).toEqual(['deactivations']);
  });

  it('nor do users who are linked for the first time', async () => {
    const world = await many(40);
    for (let at = 41; at <= 80; at += 1) {
      const userId = world.newRecordId() as unknown as UserId;
      const profile = { userName: mailOf(`p${at}`), active: true };
      await world.act({ type: 'user.create', userId, profile });
      world.put(`p${at}`, line(`p${at}`));
    }
    for (let at = 1; at <= 5; at += 1) world.put(`p${at}`, line(`p${at}`, { status: 'left' }));
    expect(findings(await world.run())).toEqual(['deactivations']);
  });

  it.each([
    [9, 19, 'held'],
    [4, 19, 'held'],
    [3, 19, 'done'],
    [2, 5, 'done'],
    [3, 5, 'held'],
  ] as const)('%d of %d may leave: %s', async (leavers, count, state) => {
    const world = await many(count);
    for (let at = 1; at <= leavers; at += 1)
      world.put(`p${at}`, line(`p${at}`, { status: 'left' }));
    expect((await world.run()).state).toBe(state);
  });

  it('each user once a day', async () => {
    const world = await many(60);
    const rename = async (to: string, percent: number) => {
      for (const [id, data] of world.source) world.put(id, { ...data, team: to });
      const run = await world.run();
      expect(findings(run)).toEqual(percent < 100 ? ['changed'] : []);
      return run;
    };
    await approve(world, await rename('Blue', 25));
    (world.options as { safety?: object }).safety = { maxChangePercent: 100 };
    expect(await rename('Green', 100)).toMatchObject({ state: 'done' });
  });

  it('not who is missing once and there again', async () => {
    const world = await many(40);
    const people = [...world.source];
    for (const first of [2, 6]) {
      for (const [id, data] of people) world.source.set(id, data);
      for (let at = first; at < first + 4; at += 1) world.source.delete(`p${at}`);
      expect(await world.run()).toMatchObject({ state: 'done' });
    }
  });

  it('a record that fails again and again counts once', async () => {
    const world = await many(40);
    await world.act({
      type: 'user.create',
      userId: world.newRecordId() as unknown as UserId,
      profile: { userName: 'taken@example.com', active: true },
    });
    world.put('p7', line('p7', { mail: 'taken@example.com' }));
    for (let time = 0; time < 7; time += 1) {
      expect(await world.run()).toMatchObject({ state: 'done' });
      await world.instance().service.retry('p7');
    }
  });
});

describe('a guard counts', () => {
  it.each([
    ['p2', ['changed']],
    [null, ['fields', 'cleared']],
  ] as const)('changes of managers, to %s', async (boss, guards) => {
    const world = await many(30);
    for (let at = 3; at <= 30; at += 1) world.put(`p${at}`, line(`p${at}`, { boss }));
    expect(findings(await world.run())).toEqual(guards);
  });

  it('what a takeover changes', async () => {
    const world = await many(30, (at) => ({ home: `home${at}@example.com` }));
    const safety = { maxTakeoverPercent: 100, maxTakeoverCount: 100 };
    (world.options as { safety?: object }).safety = safety;
    const lines = [...world.source];
    world.source.clear();
    for (const [id, data] of lines)
      world.put(`N${id}`, { ...data, home: `new-${id}@example.com`, boss: 'Np2' });
    expect(findings(await world.run())).toEqual(['changed', 'emails']);
  });

  it('every e-mail address', async () => {
    const world = await many(40, (at) => ({ home: `home${at}@example.com` }));
    for (const [id, data] of world.source) {
      const at = (Number(id.slice(1)) % 40) + 1;
      world.put(id, { ...data, home: `home${at}@example.com` });
    }
    expect(findings(await world.run())).toEqual(['emails']);
  });

  it('deactivations that wait', async () => {
    const world = await many(40);
    for (let at = 1; at <= 5; at += 1) {
      world.put(`N${at}`, line(`p${at}`, { status: '', start: '2026-12-24' }));
      world.leave(`p${at}`);
    }
    expect(findings(await world.run('delta'))).toEqual(['deactivations']);
  });
});

describe('a leaver whose account another record claims', () => {
  /** Record 6 is Bob again, and cannot be used yet; then record 2 ends. */
  const claimed = async (how: JsonObject, mode: RunMode = 'delta') => {
    const world = await five({ lifecycle: { missingRuns: 1 } });
    world.put('6', line('2', how));
    await world.run(mode);
    world.pass(60_000);
    world.leave('2');
    return world;
  };
  /** Of which the dates contradict each other; of a future hire; and of two that want the account. */
  const WAITS: readonly [string, JsonObject][] = [
    ['cannot be read', UNCLEAR],
    ['joins later', { status: '', start: '2026-12-24' }],
  ];
  const ENDS: readonly [string, (world: World) => unknown][] = [
    ['is deleted', (world) => world.leave('6')],
    ['is corrected', (world) => world.put('6', line('6'))],
    ['leaves', (world) => world.put('6', line('2', { status: 'left' }))],
    ['turns out to be someone else', (world) => world.put('6', line('6', { mail: BOB }))],
    ['is not read for a day', (world) => world.pass(25 * 3_600_000)],
  ];

  describe.each(WAITS)('that %s', (_what, how) => {
    it.each(['full', 'delta'] as const)(
      'is listed and keeps the account for now, in a %s',
      async (mode) => {
        const world = await claimed(how, mode);
        const run = await world.run(mode);
        expect(run).toMatchObject({ state: 'done', counts: { planned: { deferred: 1 } } });
        expect(run.warnings.join()).toContain('2');
        expect(isActive(world, BOB)).toBe(true);
        expect(await deferred(world)).toEqual(['2']);
        // and in the next run, too
        world.pass(60_000);
        await world.run(mode);
        expect(isActive(world, BOB)).toBe(true);
        expect(await deferred(world)).toEqual(['2']);
      },
    );

    it.each(ENDS)('loses it once the other record %s', async (_end, end) => {
      const world = await claimed(how);
      await world.run('delta');
      world.pass(60_000);
      end(world);
      await world.run('delta');
      expect(isActive(world, BOB)).toBe(false);
      expect(await deferred(world)).toEqual([]);
    });

    it('passes it on once the other record can be used', async () => {
      const world = await claimed(how);
      const bob = world.user(BOB)?.id;
      await world.run('delta');
      world.put('6', line('2'));
      await world.run('delta');
      expect(world.user(BOB)).toMatchObject({ id: bob, profile: { active: true } });
      expect(await deferred(world)).toEqual([]);
      world.pass(26 * 3_600_000);
      await world.run('dates');
      expect(isActive(world, BOB)).toBe(true);
    });

    it('keeps it if the record comes back', async () => {
      const world = await claimed(how);
      await world.run('delta');
      world.put('2', line('2'));
      await world.run('full');
      expect(await deferred(world)).toEqual([]);
      world.pass(26 * 3_600_000);
      await world.run('dates');
      expect(isActive(world, BOB)).toBe(true);
    });
  });

  it.each(['full', 'delta'] as const)(
    'keeps it for a day only, also if its record is read again in a %s',
    async (mode) => {
      const world = await five();
      world.put('6', line('2', UNCLEAR));
      await world.run(mode);
      for (let time = 0; time < 3; time += 1) {
        world.put('2', line('2', { status: 'left' }));
        await world.run(mode);
        expect(isActive(world, BOB)).toBe(true);
        expect(await deferred(world)).toEqual(['2']);
        world.pass(7 * 3_600_000);
      }
      world.pass(4 * 3_600_000);
      await world.run(mode === 'full' ? 'full' : 'dates');
      expect(isActive(world, BOB)).toBe(false);
    },
  );

  it('loses it once the other record is ignored', async () => {
    const world = await claimed(UNCLEAR);
    await world.run('delta');
    await world.instance().service.ignore('6');
    await world.run('delta');
    expect(isActive(world, BOB)).toBe(false);
  });

  it('loses it a day later without a run by the schedule', async () => {
    const world = await claimed({ status: '', start: '2026-12-24' });
    await world.run('delta');
    world.pass(24 * 3_600_000 + 60_000);
    for (let tick = 0; tick < 3; tick += 1) await tickOf(world);
    expect(isActive(world, BOB)).toBe(false);
  });

  it('stays listed after a run that fails, and loses it without another one', async () => {
    const world = await claimed({ status: '', start: '2026-12-24' });
    await world.run('delta');
    world.put('1', line('1'));
    world.faults = { failAfter: 0 };
    expect(await world.run('delta')).toMatchObject({ state: 'failed' });
    await (await storeOf(world)).remember(() => ({ retryAt: null }));
    expect(await deferred(world)).toEqual(['2']);
    world.pass(24 * 3_600_000 + 60_000);
    for (let tick = 0; tick < 3; tick += 1) await tickOf(world);
    expect(isActive(world, BOB)).toBe(false);
  });

  it('loses it a day later, also on its last day while its newer record waits', async () => {
    const world = await five({ lifecycle: { missingRuns: 1 } });
    world.put('2', line('2', { status: '', end: '2026-11-23' }));
    await world.run();
    world.put('2', line('2', { mail: 'no address' }));
    world.put('6', line('2', UNCLEAR));
    await world.run();
    world.source.delete('2');
    await world.run();
    expect(await deferred(world)).toEqual(['2']);
    world.pass(25 * 3_600_000);
    await world.run('dates');
    expect(isActive(world, BOB)).toBe(false);
  });

  it('that cannot be carried out is tried again once an hour', async () => {
    const world = await five();
    const store = await storeOf(world);
    const bob = await store.links.get('2');
    if (!bob) throw new Error('Bob has no link.');
    const at = world.now.toISOString();
    const deferral = { run: 'run-x', at, until: at, record: '6', why: '' };
    await store.putLinks('run-x', [{ ...bob, state: 'left', deferred: deferral }], NO_PROGRESS);
    await store.remember(() => ({ deferredUntil: at }));
    for (let tick = 0; tick < 3; tick += 1) await tickOf(world);
    const since = async () => (await store.runs(10)).filter(({ mode }) => mode === 'dates').length;
    expect(await since()).toBe(1);
    world.pass(3_600_000);
    await tickOf(world);
    expect(await since()).toBe(2);
  });

  it('loses it in a full read, if the record that waited is not there any more', async () => {
    const world = await claimed(UNCLEAR, 'full');
    for (let day = 0; day < 9; day += 1) {
      await world.run();
      world.pass(25 * 3_600_000);
    }
    expect(isActive(world, BOB)).toBe(false);
  });

  it('passes it on at once if a record waits for nothing but that', async () => {
    const world = await five();
    // given a record that waits because Bob works here
    world.put('6', line('2'));
    await world.run('delta');
    expect(await waiting(world)).toEqual({ 6: 'AMBIGUOUS' });
    world.pass(60_000);
    // when Bob's first record is deleted
    world.leave('2');
    const bob = world.user(BOB)?.id;
    await world.run('delta');
    expect(world.user(BOB)).toMatchObject({ id: bob, profile: { active: true } });
    expect(await waiting(world)).toEqual({});
  });

  it.each(['full', 'delta'] as const)(
    'that joins later has no seat until then, if their own record says so, in a %s',
    async (mode) => {
      const world = await claimed({ status: '', start: '2026-12-24' }, mode);
      const bob = world.user(BOB)?.id;
      world.put('2', line('2', { status: 'left' }));
      await world.run(mode);
      expect(isActive(world, BOB)).toBe(false);
      expect(await deferred(world)).toEqual([]);
      // when the new contract begins, then they have it again
      world.passDays(40);
      await world.run();
      expect(world.user(BOB)).toMatchObject({ id: bob, profile: { active: true } });
    },
  );

  it('loses it, though a namesake with an own account has the address by now', async () => {
    const world = await five();
    // when Dan Brown takes Bob's name and address, and Bob leaves
    world.put('4', line('4', { last: 'Miller', mail: BOB }));
    world.leave('2');
    await world.run('delta');
    expect(isActive(world, BOB)).toBe(false);
    expect(isActive(world, mailOf('4'))).toBe(true);
    expect(Object.keys(await waiting(world))).toEqual(['4']);
  });

  it('of someone else is deactivated', async () => {
    const world = await five();
    world.put('6', line('6', { mail: BOB }));
    await world.run('delta');
    world.leave('2');
    expect(await world.run('delta')).toMatchObject({ state: 'done', counts: { applied: 1 } });
    expect(isActive(world, BOB)).toBe(false);
    expect(Object.keys(await waiting(world))).toEqual(['6']);
  });

  it('keeps it if the takeover is refused, and is listed', async () => {
    const world = await five({ match: ['email'] });
    const bob = world.user(BOB)?.id;
    await world.act({
      type: 'user.create',
      userId: world.newRecordId() as unknown as UserId,
      profile: { userName: 'taken@example.com', active: false },
    });
    world.leave('2');
    world.put('6', line('2', { login: 'taken@example.com' }));
    await world.run('delta');
    expect(Object.keys(await waiting(world))).toEqual(['6']);
    expect(await deferred(world)).toEqual(['2']);
    world.pass(25 * 3_600_000);
    await world.run('dates');
    expect(world.users().find(({ id }) => id === bob)).toMatchObject({
      profile: { active: false },
    });
  });
});

it('an external id says who someone with another name and address is', async () => {
  const world = worldOf({ map: { externalId: 'number' } });
  world.put('2', line('2', { number: 'E2' }));
  await world.run();
  const bob = world.user(BOB)?.id;
  world.leave('2');
  world.put('6', line('6', { number: 'E2' }));
  await world.run('delta');
  expect(world.user(mailOf('6'))).toMatchObject({ id: bob, profile: { active: true } });
  expect(await waiting(world)).toEqual({});
});

it('a key of the same kind as another one decides if it is the one that matches', async () => {
  const world = await five({ match: ['email', { target: 'email', source: 'old' }] });
  const bob = world.user(BOB)?.id;
  world.leave('2');
  world.put('6', line('2', { mail: 'bob.miller@example.com', old: BOB }));
  await world.run('delta');
  expect(world.user('bob.miller@example.com')).toMatchObject({ id: bob });
});

describe('an upload', () => {
  /** Ada to Eli are uploaded; Bob's manager is not there yet. */
  const uploaded = async () => {
    const world = new ConnectorWorld({ lifecycle: { missingRuns: 2 } }, UPLOADS);
    const upload = async (...people: readonly JsonObject[]): Promise<RunRecord> => {
      world.pass(60_000);
      const store = await storeOf(world);
      await store.uploads.add(people, undefined, appliedIn((await store.memory()).cursor));
      return world.run('delta');
    };
    const run = await upload(
      ...['1', '2', '3', '4', '5'].map((id) => uploadOf(id, id === '2' ? { boss: 'M' } : {})),
    );
    expect(run).toMatchObject({ state: 'done', counts: { applied: 5 } });
    return { world, upload };
  };
  const uploadOf = (id: string, more: JsonObject = {}): JsonObject => ({
    externalId: id,
    ...line(id, more),
  });

  describe('of a part of a person who has left does not bring them back', () => {
    it('while another record claims their account', async () => {
      const { world, upload } = await uploaded();
      await upload(uploadOf('6', { ...line('2'), ...UNCLEAR }));
      await upload({ externalId: '2', status: 'left' });
      await upload({ externalId: '2', team: 'Blue' });
      expect(await deferred(world)).toEqual(['2']);
      world.pass(25 * 3_600_000);
      await world.run('dates');
      expect(isActive(world, BOB)).toBe(false);
    });

    it('after another record was refused their account', async () => {
      const { world, upload } = await uploaded();
      const bob = world.user(BOB)?.id;
      await world.act({
        type: 'user.create',
        userId: world.newRecordId() as unknown as UserId,
        profile: { userName: 'taken@example.com', active: false },
      });
      (world.options as { match?: object }).match = ['email'];
      await upload(
        { externalId: '2', status: 'left' },
        uploadOf('6', { ...line('2'), login: 'taken@example.com' }),
      );
      await upload({ externalId: '2', team: 'Blue' });
      expect(await deferred(world)).toEqual(['2']);
      world.pass(25 * 3_600_000);
      await world.run('dates');
      const profile = { active: false };
      expect(world.users().find(({ id }) => id === bob)).toMatchObject({ profile });
    });
  });

  it('of a manager sets them for who waits, without a look at everybody', async () => {
    const { world, upload } = await uploaded();
    const listed: (string | undefined)[] = [];
    const { collectionOf } = world.storage;
    vi.spyOn(world.storage, 'collectionOf').mockImplementation((plugin, name) => {
      const collection = collectionOf(plugin, name);
      const list: typeof collection.list = (owner, query) => {
        if (name === 'links') listed.push(query?.prefix);
        return collection.list(owner, query);
      };
      return { ...collection, list };
    });
    await upload(uploadOf('M'));
    expect(world.user(BOB)?.profile.enterprise).toMatchObject({
      manager: { value: world.user(mailOf('M'))?.id },
    });
    expect(listed).not.toContain('l:hr:');
  });

  describe('of a manager does not undo that a person', () => {
    it('has another address, which is taken', async () => {
      const { world, upload } = await uploaded();
      await upload({ externalId: '2', mail: mailOf('1') });
      expect(await waiting(world)).toEqual({ 2: 'EMAIL_TAKEN' });
      await upload(uploadOf('M'));
      expect(await waiting(world)).toEqual({ 2: 'EMAIL_TAKEN' });
    });

    it('leaves once another record does not wait any more', async () => {
      const { world, upload } = await uploaded();
      await upload(uploadOf('6', { ...line('2'), ...UNCLEAR }));
      await upload({ externalId: '2', status: 'left' });
      expect(await deferred(world)).toEqual(['2']);
      await upload(uploadOf('M'));
      expect(await deferred(world)).toEqual(['2']);
    });

    it('is missing', async () => {
      const { world, upload } = await uploaded();
      const store = await storeOf(world);
      const bob = await store.links.get('2');
      if (!bob) throw new Error('Bob has no link.');
      await store.links.put([{ ...bob, missing: 1, missingIn: ['list'] }]);
      await upload(uploadOf('M'));
      expect(await store.links.get('2')).toMatchObject({ missing: 1, missingIn: ['list'] });
    });
  });
});

describe('people who swap', () => {
  it('keep their addresses if one of the changes is refused', async () => {
    const world = await five({}, { seatCapacity: 5 });
    const [ada, bob] = [world.user(mailOf('1'))?.id, world.user(BOB)?.id];
    world.put('1', line('1', { status: 'left' }));
    await world.run();
    world.put('7', line('7'));
    await world.run();
    world.pass(25 * 3_600_000);
    // when all seats are taken, and Ada returns with Bob's address
    world.put('1', line('1', { mail: BOB }));
    world.put('2', line('2', { mail: mailOf('1') }));
    await world.run();
    const byId = new Map(world.users().map((user) => [user.id, user]));
    expect(byId.get(bob as UserId)).toMatchObject({ email: BOB, profile: { userName: BOB } });
    expect(byId.get(ada as UserId)).toMatchObject({ email: mailOf('1') });
    expect(Object.keys(await waiting(world)).sort()).toEqual(['1', '2']);
    // and swap them once there is a seat
    world.put('7', line('7', { status: 'left' }));
    await world.instance().service.retry('1');
    await world.instance().service.retry('2');
    await world.run();
    expect(world.user(BOB)?.id).toBe(ada);
    expect(world.user(mailOf('1'))?.id).toBe(bob);
    expect(await waiting(world)).toEqual({});
  });

  it('keep their addresses if the gateway ends in between', async () => {
    let isStranded = false;
    for (let killAt = 100; !isStranded; killAt += 2) {
      const world = await five({}, { seatCapacity: 5 });
      world.put('1', line('1', { status: 'left' }));
      await world.run();
      world.put('7', line('7'));
      await world.run();
      world.pass(25 * 3_600_000);
      // given a swap that will be refused, and a gateway that ends while one of them has no address
      const [ada, bob] = [world.user(mailOf('1'))?.id, world.user(BOB)?.id];
      world.put('1', line('1', { mail: BOB }));
      world.put('2', line('2', { mail: mailOf('1') }));
      const { service, isDead } = world.instance(killAt);
      await service.start({ mode: 'full', trigger: 'operator', requestedBy: 'test' });
      await service.idle();
      await world.settle();
      const stranded = () => world.users().filter(({ id, profile }) => profile.userName === id);
      isStranded = isDead() && stranded().length > 0;
      if (!isStranded) {
        expect(isDead()).toBe(true);
        continue;
      }
      // when the run continues, then each has their own
      await world.recover();
      expect(stranded()).toEqual([]);
      expect([world.user(mailOf('1'))?.id, world.user(BOB)?.id]).toEqual([ada, bob]);
    }
  });

  it('their e-mail addresses alone have them afterwards', async () => {
    const world = worldOf();
    for (const id of ['1', '2', '3'])
      world.put(id, line(id, { login: `login${id}`, home: `home${id}@example.com` }));
    await world.run();
    world.pass(25 * 3_600_000);
    world.put('1', line('1', { login: 'login1', mail: BOB, home: 'home1@example.com' }));
    world.put('2', line('2', { login: 'login2', mail: mailOf('1'), home: 'home2@example.com' }));
    expect(await world.run()).toMatchObject({ state: 'done', counts: { failed: 0 } });
    expect(world.user('login1')).toMatchObject({
      email: BOB,
      profile: { emails: [{ value: BOB }, { value: 'home1@example.com' }] },
    });
    expect(world.user('login2')).toMatchObject({
      email: mailOf('1'),
      profile: { emails: [{ value: mailOf('1') }, { value: 'home2@example.com' }] },
    });
  });
});

describe('an export', () => {
  const at = (world: World, hours: number): string =>
    new Date(world.now.getTime() + hours * 3_600_000).toISOString();

  it('of a time to come fails, and does not count', async () => {
    const world = await five();
    world.faults = { takenAt: at(world, 365 * 24) };
    expect(await world.run()).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('ahead of the clock') as string,
    });
    world.faults = { takenAt: at(world, 0) };
    expect(await world.run()).toMatchObject({ state: 'done' });
  });

  it('that was rejected is not the last one', async () => {
    const world = await many(40);
    const before = [...world.source];
    for (let at = 1; at <= 20; at += 1) world.put(`p${at}`, line(`p${at}`, { status: 'left' }));
    world.faults = { takenAt: at(world, -1) };
    const held = await world.run();
    expect(held.state).toBe('held');
    await world.instance().service.reject(held.id, 'ada');
    world.faults = { takenAt: at(world, -2) };
    for (const [id, data] of before) world.put(id, data);
    expect(await world.run()).toMatchObject({ state: 'done' });
  });

  it('that is older and allowed becomes the last one', async () => {
    const world = await five();
    world.faults = { takenAt: at(world, -1) };
    await world.run();
    (world.options as { safety?: object }).safety = { allowOlderExports: true };
    world.faults = { takenAt: at(world, -5) };
    expect(await world.run()).toMatchObject({ state: 'done' });
    (world.options as { safety?: object }).safety = {};
    world.faults = { takenAt: at(world, -4) };
    expect(await world.run()).toMatchObject({ state: 'done' });
  });

  it('that was rejected leaves nothing in quarantine', async () => {
    const world = await many(40);
    for (let at = 1; at <= 20; at += 1) world.put(`p${at}`, line(`p${at}`, { status: 'left' }));
    world.put('6', line('6', { mail: 'no address' }));
    const held = await world.run();
    expect(held.state).toBe('held');
    await world.instance().service.reject(held.id, 'ada');
    expect(await waiting(world)).toEqual({});
  });
});

describe('an approval', () => {
  it('stays possible while deltas go on; what they have read is left out', async () => {
    const world = await many(40);
    for (let at = 11; at <= 20; at += 1) world.put(`p${at}`, line(`p${at}`, { status: 'left' }));
    const held = await world.run();
    expect(held.state).toBe('held');
    // given a delta that has read two of them, one unchanged, and one back
    world.pass(60_000);
    world.changes.length = 0;
    world.put('p1', line('p1', { boss: null, team: 'Blue' }));
    world.put('p11', line('p11', { boss: 'p1' }));
    const store = await storeOf(world);
    await store.remember(() => ({ cursor: 0 }));
    expect(await world.run('delta')).toMatchObject({ state: 'done' });
    // when a full run finds the same plan, then the first one can be approved
    world.pass(60_000);
    const run = await approve(world, held);
    expect(run).toMatchObject({ state: 'done', counts: { applied: 9 } });
    expect(isActive(world, mailOf('p11'))).toBe(true);
    expect(isActive(world, mailOf('p12'))).toBe(false);
  });

  it('does not undo what was deferred since, because a takeover was refused', async () => {
    const world = await five({ match: ['email'] });
    await world.act({
      type: 'user.create',
      userId: world.newRecordId() as unknown as UserId,
      profile: { userName: 'taken@example.com', active: false },
    });
    world.source.set('2', line('2', { team: 'Blue' }));
    for (const id of ['3', '4', '5']) world.source.set(id, line(id, { status: 'left' }));
    const held = await world.run();
    expect(held.state).toBe('held');
    world.pass(60_000);
    world.leave('2');
    world.put('6', line('2', { login: 'taken@example.com' }));
    await world.run('delta');
    expect(await deferred(world)).toEqual(['2']);
    await approve(world, held);
    expect(await deferred(world)).toEqual(['2']);
  });

  it('defers with what the plan has read of a leaver whose account another record is refused', async () => {
    const world = await five({ match: ['email'] });
    await world.act({
      type: 'user.create',
      userId: world.newRecordId() as unknown as UserId,
      profile: { userName: 'taken@example.com', active: false },
    });
    // given a held plan, in which record 6 takes Bob's account over
    world.source.set('2', line('2', { team: 'Blue', status: 'left' }));
    for (const id of ['3', '4', '5']) world.source.set(id, line(id, { status: 'left' }));
    world.put('6', line('2', { login: 'taken@example.com' }));
    const held = await world.run();
    expect(held.state).toBe('held');
    // when it is approved
    await approve(world, held);
    // then what is read next is merged with the newest that is known of Bob
    expect(await deferred(world)).toEqual(['2']);
    expect(await (await storeOf(world)).links.get('2')).toMatchObject({
      data: { team: 'Blue', status: 'left' },
    });
  });

  it('that comes late does not report what another run wrote as applied', async () => {
    const world = await many(40);
    for (let at = 11; at <= 20; at += 1) world.put(`p${at}`, line(`p${at}`, { status: 'left' }));
    const held = await world.run();
    world.pass(60_000);
    await world.run('ids', { ids: ['p11'] });
    expect(isActive(world, mailOf('p11'))).toBe(false);
    await approve(world, held);
    const items = (await (await storeOf(world)).items(held.id, 0)).filter(
      ({ item }) => item.sourceId === 'p11',
    );
    const outcomes = await (
      await storeOf(world)
    ).outcomesAt(
      held.id,
      items.map(({ index }) => index),
    );
    expect([...outcomes.values()]).toMatchObject([{ outcome: 'stale' }]);
  });
});

it('two sources: a person who leaves one of them works on for the other one', async () => {
  const world = await five();
  const everybody = [...world.source];
  const bob = world.user(BOB)?.id;
  const read = async (name: string, lines: readonly (readonly [string, JsonObject])[]) => {
    world.name = name;
    world.source.clear();
    for (const [id, data] of lines) world.source.set(id, data);
    world.pass(60_000);
    return world.run();
  };
  await read('payroll', [['b', line('2')]]);
  expect(await waiting(world)).toEqual({ b: 'USER_TAKEN' });
  // when the first source says that Bob has left
  await read(
    'hr',
    everybody.map(([id, data]) => [id, id === '2' ? { ...data, status: 'left' } : data]),
  );
  expect(isActive(world, BOB)).toBe(false);
  await read('payroll', [['b', line('2')]]);
  expect(world.user(BOB)).toMatchObject({ id: bob, profile: { active: true } });
  expect(await waiting(world)).toEqual({});
  // and the first one waits in turn, should it have Bob again
  await read('hr', everybody);
  expect(await waiting(world)).toEqual({ 2: 'USER_TAKEN' });
  // and then the second one, too
  await read('payroll', [['b', line('2', { status: 'left' })]]);
  expect(isActive(world, BOB)).toBe(false);
});

it('a database of an earlier version, with held and quarantined records, continues', async () => {
  const world = await many(40);
  const store = await storeOf(world);
  // given a record that waits because p1 has its address, as it was stored then
  await store.quarantine.put([
    {
      ...{ sourceId: 'n1', label: 'n1', code: 'AMBIGUOUS', message: 'The record p1 …' },
      ...{ hash: 'of then', data: line('n1', { mail: mailOf('p1') }), failures: 1 },
      ...{ firstAt: world.now.toISOString(), lastAt: world.now.toISOString(), runId: 'run-old' },
      ...{ nextAt: new Date(world.now.getTime() + 3_600_000).toISOString(), isIgnored: false },
    },
  ]);
  // and a held run, which a newer delta had made impossible to approve
  for (let at = 11; at <= 20; at += 1) world.put(`p${at}`, line(`p${at}`, { status: 'left' }));
  const held = await world.run();
  const runs = world.storage.collectionOf('connectors', 'runs');
  const owner = world.commits.tenant?.id ?? null;
  const index = { open: [], held: [held.id], outdated: { [held.id]: 'run-newer' } };
  await runs.put(owner, [{ key: 'state/hr', value: index }]);
  expect(world.active()).toHaveLength(40);
  // when a delta finds nothing, nothing happens, and the plan can be approved
  await world.run('delta');
  expect(world.active()).toHaveLength(40);
  await approve(world, held);
  expect(world.active()).toHaveLength(30);
  expect(isActive(world, mailOf('p1'))).toBe(true);
});

/** Found by lives.property.test.ts. */
describe('in the lives of people', () => {
  const full: LifeEvent = ['export', 'full', Infinity];

  it.each<[string, readonly LifeEvent[]]>([
    [
      'the last one of a second source leaves, which is empty then',
      [['transfer', 21], full, full, ['leave', 21, 'gone'], full],
    ],
    [
      'a leaver gives their address away, and who gets it moves to the other source',
      [['mix-up', 0, 5, 'gives it away and leaves'], ['transfer', 5], full],
    ],
    [
      'someone leaves until a later day, and is not read again before a day is over',
      [
        ['rehire', 10, 4],
        ['export', 'delta'],
        ['days', 2],
      ],
    ],
  ])('%s', async (_what, events) => {
    await Company.live(22, events);
  });
});
