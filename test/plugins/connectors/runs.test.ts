import { describe, expect, it } from 'vitest';
import { rosterOf } from '../../../src/domain/group/group.js';
import { ConnectorWorld, person } from '../../support/connector-world.js';

const mails = (...ids: readonly string[]) => ids.map((id) => `${id}@example.com`);

/** A tenant whose users came from the source, past the first run. */
const employed = async (count: number, options: Record<string, unknown> = {}) => {
  const world = new ConnectorWorld(options);
  world.fill(count);
  expect(await world.run()).toMatchObject({ state: 'done' });
  world.pass(25 * 3_600_000);
  return world;
};

describe('a full run', () => {
  it('creates users, and changes nothing the second time', async () => {
    const world = new ConnectorWorld();
    world.fill(7);
    const run = await world.run();
    expect(run).toMatchObject({
      state: 'done',
      counts: { read: 7, applied: 7, failed: 0, planned: { create: 7 } },
    });
    expect(world.active()).toEqual(mails('p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7'));
    const before = world.submitted;
    expect(await world.run()).toMatchObject({
      state: 'done',
      counts: { unchanged: 7, applied: 0 },
    });
    expect(world.submitted).toBe(before);
  });

  it('updates what changed in the source, and clears what it no longer has', async () => {
    const world = await employed(3, {});
    world.put('p1', person('p1', { first: 'Ada', job: 'Driver' }));
    world.put('p2', { mail: 'p2@example.com' });
    expect(await world.run()).toMatchObject({ counts: { planned: { update: 2 }, applied: 2 } });
    expect(world.user('p1@example.com')?.profile).toMatchObject({
      name: { givenName: 'Ada' },
      title: 'Driver',
    });
    expect(world.user('p2@example.com')?.profile.name?.givenName).toBeUndefined();
  });

  it('links existing users instead of creating them again', async () => {
    const world = new ConnectorWorld();
    const userId = '00000000-0000-4000-8000-00000000aaaa' as never;
    await world.act({
      type: 'user.create',
      userId,
      profile: { userName: 'P1@Example.com', active: true },
    });
    world.fill(2);
    expect(await world.run()).toMatchObject({ counts: { planned: { link: 1, create: 1 } } });
    expect(world.users()).toHaveLength(2);
    expect(world.user('p1@example.com')?.id).toBe(userId);
  });

  it('deactivates who is missing from two complete reads in a row', async () => {
    const world = await employed(5);
    world.source.delete('p5');
    expect(await world.run()).toMatchObject({ state: 'done', counts: { planned: { missing: 1 } } });
    expect(world.active()).toHaveLength(5);
    expect(await world.run()).toMatchObject({
      state: 'done',
      counts: { planned: { deactivate: 1 } },
    });
    expect(world.active()).toEqual(mails('p1', 'p2', 'p3', 'p4'));
  });

  it('takes nothing from a missing user who is inactive, now or later', async () => {
    const world = await employed(5);
    world.source.delete('p5');
    await world.act({ type: 'user.deactivate', userId: world.user('p5@example.com')!.id });
    expect(await world.run()).toMatchObject({
      state: 'done',
      counts: { planned: { touch: 1 } },
      plan: { outlook: { classes: {}, absences: {} }, tallies: {} },
    });
  });

  it('counts an absence once for each snapshot, however often that is read', async () => {
    const world = await employed(5);
    world.source.delete('p5');
    world.faults = { snapshot: 'people.csv of Monday' };
    expect(await world.run()).toMatchObject({ state: 'done', counts: { planned: { missing: 1 } } });
    for (let read = 0; read < 3; read += 1)
      expect(await world.run()).toMatchObject({
        state: 'done',
        counts: { planned: {}, applied: 0, unchanged: 4 },
      });
    expect(world.active()).toHaveLength(5);
    world.faults = { snapshot: 'people.csv of Tuesday' };
    expect(await world.run()).toMatchObject({ counts: { planned: { deactivate: 1 } } });
    expect(world.active()).toHaveLength(4);
  });

  it('counts a snapshot that comes back after another one only once', async () => {
    const world = await employed(5, { lifecycle: { missingRuns: 3 } });
    world.source.delete('p5');
    for (const snapshot of ['Monday', 'Tuesday', 'Monday', 'Tuesday']) {
      world.faults = { snapshot };
      await world.run();
    }
    expect(world.active()).toHaveLength(5);
    world.faults = { snapshot: 'Wednesday' };
    await world.run();
    expect(world.active()).toHaveLength(4);
  });

  it('fails if the export is older than the last one, unless that is allowed', async () => {
    for (const allowOlderExports of [false, true]) {
      const world = await employed(5, { safety: { allowOlderExports } });
      world.faults = { takenAt: '2026-11-22T08:00:00Z' };
      expect(await world.run()).toMatchObject({ state: 'done' });
      world.put('p1', person('p1', { job: 'Driver' }));
      world.faults = { takenAt: '2026-11-22T07:00:00Z' };
      expect(await world.run()).toMatchObject(
        allowOlderExports
          ? { state: 'done', counts: { applied: 1 } }
          : { state: 'failed', message: expect.stringContaining('Export again') as string },
      );
      world.faults = { takenAt: '2026-11-22T08:00:00Z' };
      expect(await world.run()).toMatchObject({ state: 'done' });
    }
  });

  it('counts only what a command has changed', async () => {
    const world = await employed(3);
    const { id } = world.user('p1@example.com')!;
    await world.act({ type: 'user.deactivate', userId: id });
    world.put('p1', person('p1', { end: '2026-11-01' }));
    world.source.delete('p2');
    expect(await world.run()).toMatchObject({
      counts: { planned: { touch: 1, missing: 1 }, applied: 0 },
    });
  });

  it('sets a manager who has a user with the command that creates their people', async () => {
    const world = await employed(1);
    world.put('p2', person('p2', { boss: 'p1' }));
    const before = world.submitted;
    await world.run();
    expect(world.submitted).toBe(before + 1);
    expect(world.user('p2@example.com')?.profile.enterprise?.manager).toEqual({
      value: world.user('p1@example.com')?.id,
    });
    await world.run();
    expect(world.submitted).toBe(before + 1);
  });

  it('names a person who left and cannot be mapped by the id of the record, in each run', async () => {
    const world = new ConnectorWorld();
    world.put('p1', { first: 'Ada', end: '2020-01-31' });
    await world.run();
    await world.run('ids', { ids: ['p1'] });
    const link = (await (await world.instance().service.store()).links.many(['p1'])).get('p1');
    expect(link).toMatchObject({ state: 'left', label: 'p1' });
  });

  it('sets managers whose records come later, or later still', async () => {
    const world = new ConnectorWorld();
    world.put('p1', person('p1', { boss: 'p2' }));
    world.put('p2', person('p2', { boss: 'p3' }));
    await world.run();
    const managerOf = (id: string) => world.user(`${id}@example.com`)?.profile.enterprise?.manager;
    expect(managerOf('p1')).toMatchObject({ value: world.user('p2@example.com')?.id });
    expect(managerOf('p2')).toBeUndefined();
    world.put('p3', person('p3'));
    await world.run();
    expect(managerOf('p2')).toMatchObject({ value: world.user('p3@example.com')?.id });
    const before = world.submitted;
    await world.run();
    expect(world.submitted).toBe(before);
  });

  it('sets managers who are created later in the run with the command that creates their people', async () => {
    const world = new ConnectorWorld();
    world.put('p1', person('p1', { boss: 'p2' }));
    world.put('p2', person('p2', { boss: 'p1' }));
    await world.run();
    expect(world.submitted).toBe(2);
    const managerOf = (id: string) => world.user(`${id}@example.com`)?.profile.enterprise?.manager;
    expect(managerOf('p1')).toEqual({ value: world.user('p2@example.com')?.id });
    expect(managerOf('p2')).toEqual({ value: world.user('p1@example.com')?.id });
    await world.run();
    expect(world.submitted).toBe(2);
  });

  it('says in words who is left out, waits in quarantine, or has no manager yet', async () => {
    const world = new ConnectorWorld();
    world.put('p1', person('p1', { boss: 'p9' }));
    world.put('p2', person('p2', { boss: 'p9' }));
    world.put('p3', { first: 'Eve', end: '2020-01-31' });
    world.put('p4', { first: 'Dan' });
    const { warnings } = await world.run();
    expect(warnings.slice(0, 2)).toEqual([
      '2 users have no manager yet: the manager has no user.',
      '1 person left before they had a user: left out.',
    ]);
    expect(await world.run()).toMatchObject({
      counts: { failed: 0 },
      warnings: ['1 record waits in quarantine.'],
    });
  });

  it('removes a manager whose user could not be created after all', async () => {
    // given a manager whose user name a group of people already has, as another user
    const world = new ConnectorWorld({ match: ['externalId'] });
    world.put('p2', person('p2'));
    await world.run();
    world.put('p1', person('p1', { boss: 'p3' }));
    world.put('p3', person('p3', { mail: 'p2@example.com' }));
    await world.run();
    // then nobody has a manager who does not exist
    const managerOf = () => world.user('p1@example.com')?.profile.enterprise?.manager;
    expect(world.user('p1@example.com')).toBeDefined();
    expect(managerOf()).toBeUndefined();
    // and as soon as the manager has a user, it is set
    world.put('p3', person('p3'));
    await world.run();
    await world.run();
    expect(managerOf()).toEqual({ value: world.user('p3@example.com')?.id });
  });

  it('sets a manager by address as soon as another interface has created the user', async () => {
    const world = new ConnectorWorld();
    world.put('p1', person('p1', { boss: 'boss@example.com' }));
    await world.run();
    await world.act({
      type: 'user.create',
      userId: '00000000-0000-4000-8000-00000000aaaa' as never,
      profile: { userName: 'boss', active: true, emails: [{ value: 'boss@example.com' }] },
    });
    await world.run();
    expect(world.user('p1@example.com')?.profile.enterprise?.manager).toEqual({
      value: world.user('boss')?.id,
    });
  });

  it('keeps the value that was applied, as long as it is among several', async () => {
    const world = new ConnectorWorld();
    const read = (...mail: readonly string[]) => {
      const data = { mail: mail[0]!, first: 'Ada' };
      world.faults = { more: [{ type: 'record', id: 'a', data, alternatives: { mail } }] };
      return world.run();
    };
    await read('b@example.com');
    expect(await read('b@example.com', 'c@example.com')).toMatchObject({
      counts: { unchanged: 1 },
    });
    expect(await read('a@example.com', 'b@example.com')).toMatchObject({
      counts: { unchanged: 1 },
    });
    expect(world.active()).toEqual(['b@example.com']);
    expect(await read('c@example.com', 'a@example.com')).toMatchObject({
      counts: { planned: { update: 1 } },
    });
    expect(world.active()).toEqual(['c@example.com']);
  });

  it('maps groups whatever their case is, and names keys that no person has', async () => {
    const map = { dispatch: 'Desk', Garage: 'Fleet', Medics: 'Medics' };
    const world = new ConnectorWorld(
      { groups: [{ path: 'teams', map }] },
      {},
      { roomProvisioning: 'automatic' },
    );
    world.put('p1', person('p1', { teams: ['DISPATCH', 'garage'] }));
    const warnings = ['No person has Medics in "teams": check the keys of `groups`.'];
    expect(await world.run()).toMatchObject({ state: 'done', warnings });
    const names = world.commits.all('groups').map(({ displayName }) => displayName);
    expect(names.sort()).toEqual(['Desk', 'Fleet']);
    world.put('p1', person('p1', { teams: ['Dispatch', 'Garage'] }));
    expect(await world.run()).toMatchObject({ counts: { applied: 0 }, warnings });
  });

  it('creates groups by attributes, and removes only members that it added', async () => {
    const world = new ConnectorWorld(
      { groups: [{ path: 'job' }] },
      {},
      { roomProvisioning: 'automatic' },
    );
    world.put('p1', person('p1', { job: 'Dispatch' }));
    world.put('p2', person('p2', { job: 'Dispatch' }));
    expect(await world.run()).toMatchObject({ state: 'done', warnings: [] });
    const [group] = world.commits.all('groups');
    expect(group).toMatchObject({ displayName: 'Dispatch', memberCount: 2 });
    world.put('p1', person('p1', { job: 'Medic' }));
    await world.run();
    expect(
      world.commits.all('groups').map(({ displayName, memberCount }) => [displayName, memberCount]),
    ).toEqual([
      ['Dispatch', 1],
      ['Medic', 1],
    ]);
  });

  it('a member who was removed and added again by an administrator stays', async () => {
    const world = new ConnectorWorld(
      { groups: [{ path: 'job' }] },
      {},
      { roomProvisioning: 'automatic' },
    );
    for (const id of ['p1', 'p2']) world.put(id, person(id, { job: 'Dispatch' }));
    await world.run();
    const [group] = world.commits.all('groups');
    if (!group) throw new Error('There is no group.');
    // given a membership of p1 that is not the one that the connector has made
    const userIds = [world.user('p1@example.com')!.id];
    for (const op of ['remove', 'add'] as const)
      await world.act({ type: 'group.change', groupId: group.id, steps: [{ op, userIds }] });
    // when both leave the group, says the source
    for (const id of ['p1', 'p2']) world.put(id, person(id, { job: 'Medic' }));
    await world.run();
    // then the administrator's decision stays
    const members = world.commits.all('memberships');
    const staying = members.filter(({ rosterId }) => rosterId === rosterOf(group));
    expect(staying.map(({ userId }) => userId)).toEqual(userIds);
  });

  it('says which group does not exist, and adds members once it does', async () => {
    const world = new ConnectorWorld({ groups: [{ path: 'job' }] });
    world.put('p1', person('p1', { job: 'Dispatch' }));
    const run = await world.run();
    expect(run.warnings.join()).toContain('Group "Dispatch"');
    await world.act({
      type: 'room.create',
      roomId: '00000000-0000-4000-8000-00000000bbbb' as never,
      name: 'Dispatch',
    });
    await world.run();
    expect(world.commits.all('groups')).toMatchObject([
      { displayName: 'Dispatch', memberCount: 1 },
    ]);
  });
});

describe('dates', () => {
  it('create a future hire on the day, without reading the source', async () => {
    const world = new ConnectorWorld({ lifecycle: { createAheadDays: 1 } });
    world.put('p1', person('p1', { start: '2026-11-25' }));
    expect(await world.run()).toMatchObject({ counts: { planned: { future: 1 } } });
    expect(world.users()).toEqual([]);
    world.passDays(1);
    expect(await world.run('dates')).toMatchObject({ state: 'done', counts: { applied: 0 } });
    world.passDays(1);
    const { reads } = world;
    expect(await world.run('dates')).toMatchObject({
      state: 'done',
      counts: { planned: { create: 1 } },
    });
    expect(world.reads).toBe(reads);
    expect(world.active()).toEqual(mails('p1'));
  });

  it('deactivate after the last day in the configured time zone', async () => {
    const world = new ConnectorWorld({ lifecycle: { timezone: 'America/New_York' } });
    world.put('p1', person('p1', { end: '2026-11-22' }));
    await world.run();
    world.now = new Date('2026-11-23T04:00:00Z');
    await world.run('dates');
    expect(world.active()).toEqual(mails('p1'));
    world.now = new Date('2026-11-23T05:30:00Z');
    await world.run('dates');
    expect(world.active()).toEqual([]);
  });

  it('reactivate a rehire who was deactivated by the connector', async () => {
    const world = await employed(1);
    world.put('p1', person('p1', { end: '2026-11-20' }));
    expect(await world.run()).toMatchObject({ counts: { planned: { deactivate: 1 } } });
    expect(world.active()).toEqual([]);
    world.put('p1', person('p1', { start: '2026-11-22' }));
    expect(await world.run()).toMatchObject({ counts: { planned: { reactivate: 1 } } });
    expect(world.active()).toEqual(mails('p1'));
  });

  it('relink a rehire who comes with another record id', async () => {
    const world = await employed(3);
    world.put('p3', person('p3', { end: '2026-11-20' }));
    await world.run();
    world.source.delete('p3');
    world.put('n3', person('p3', { job: 'Back' }));
    expect(await world.run()).toMatchObject({ counts: { planned: { relink: 1 } } });
    expect(world.users()).toHaveLength(3);
    expect(world.user('p3@example.com')?.profile).toMatchObject({
      active: true,
      title: 'Back',
    });
    await world.run();
    await world.run();
    expect(world.active()).toHaveLength(3);
  });
});

describe('other interfaces', () => {
  it('keep attributes for which the source is not authoritative', async () => {
    const world = await employed(1, { authoritativeFor: ['title'] });
    world.put('p1', person('p1', { first: 'Other', job: 'Driver' }));
    await world.run();
    expect(world.user('p1@example.com')?.profile).toMatchObject({
      title: 'Driver',
      name: { givenName: 'P1' },
    });
  });

  it.each([
    ['fill-empty', 'Mine', 'P1'],
    ['report', 'Mine', 'Source'],
    ['source-wins', 'Source', 'Source'],
  ])('%s', async (conflicts, title, first) => {
    const world = await employed(1, { conflicts });
    const { id } = world.user('p1@example.com')!;
    await world.act({
      type: 'user.patch',
      userId: id,
      changes: [{ op: 'replace', path: ['title'], value: 'Mine' }],
    });
    world.put('p1', person('p1', { first: 'Source', job: 'Source' }));
    await world.run();
    expect(world.user('p1@example.com')?.profile).toMatchObject({
      title,
      name: { givenName: first },
    });
  });

  it.each([
    ['fill-empty', 'p3'],
    ['source-wins', 'p2'],
  ])('of a manager: %s', async (conflicts, manager) => {
    // Given p1, whose manager is p2
    const world = new ConnectorWorld({ conflicts });
    world.fill(3, (at) => (at === 1 ? { boss: 'p2' } : {}));
    await world.run();
    const idOf = (name: string) => world.user(`${name}@example.com`)!.id;
    const managerOf = () => world.user('p1@example.com')?.profile.enterprise?.manager;
    expect(managerOf()).toMatchObject({ value: idOf('p2') });
    // When another interface sets p3, and the record has not changed
    await world.act({
      type: 'user.patch',
      userId: idOf('p1'),
      changes: [{ op: 'replace', path: ['enterprise', 'manager'], value: { value: idOf('p3') } }],
    });
    await world.run();
    // Then
    expect(managerOf()).toMatchObject({ value: idOf(manager) });
    expect(await world.run()).toMatchObject({ counts: { applied: 0 } });
  });

  it('that delete a user get a record in quarantine, not the user back', async () => {
    const world = await employed(2);
    await world.act({ type: 'user.delete', userId: world.user('p1@example.com')!.id });
    world.put('p1', person('p1', { first: 'New' }));
    expect(await world.run()).toMatchObject({ counts: { failed: 1 } });
    expect(world.active()).toEqual(mails('p2'));
    const { service } = world.instance();
    await service.retry('p1');
    await world.run();
    expect(world.active()).toEqual(mails('p1', 'p2'));
  });
});

describe('quarantine', () => {
  it('takes ids without what no one sees at their ends, and no ids with it inside', async () => {
    const world = new ConnectorWorld();
    world.put('\u200bp1 ', person('p1'));
    world.put('p\u200b2', person('p2'));
    expect(await world.run()).toMatchObject({ state: 'done', counts: { applied: 1, failed: 1 } });
    const store = await world.instance().service.store();
    expect((await store.links.many(['p1'])).size).toBe(1);
    expect(await store.quarantine.list(10)).toMatchObject([
      {
        message: expect.stringContaining(
          'must not contain the invisible character U+200B',
        ) as string,
      },
    ]);
  });

  it('fails a run in which not one of a few records can be used, but no small delta', async () => {
    const world = new ConnectorWorld();
    world.put('p1', { first: 'no mail' });
    world.put('p2', { first: 'no mail' });
    expect(await world.run()).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('2 of 2 records cannot be used') as string,
    });
    world.put('p3', person('p3'));
    expect(await world.run()).toMatchObject({ state: 'done', counts: { applied: 1 } });
    world.put('p3', { first: 'no mail' });
    expect(await world.run('delta')).toMatchObject({ state: 'done' });
  });

  it('keeps a record that fails, tries it again with growing pauses, and takes it as soon as it changes', async () => {
    const world = new ConnectorWorld({}, {}, { seatCapacity: 2 });
    world.fill(3);
    expect(await world.run()).toMatchObject({ state: 'done', counts: { applied: 2, failed: 1 } });
    const [record] = await (await world.instance().service.store()).quarantine.list(10);
    expect(record).toMatchObject({
      code: 'SEAT_CAPACITY_REACHED',
      failures: 1,
      nextAt: '2026-11-22T12:00:00.000Z',
    });
    const before = world.submitted;
    await world.run();
    expect(world.submitted).toBe(before);
    world.pass(2 * 3_600_000);
    await world.run('delta');
    expect((await (await world.instance().service.store()).quarantine.list(10))[0]).toMatchObject({
      failures: 2,
      nextAt: '2026-11-22T18:00:00.000Z',
    });
    await world.act({ type: 'tenant.update', seatCapacity: 5 });
    world.put('p3', person('p3', { job: 'X' }));
    await world.run();
    expect(world.active()).toHaveLength(3);
    expect(await (await world.instance().service.store()).quarantine.list(10)).toEqual([]);
  });

  it('ignores a record until it changes', async () => {
    const world = new ConnectorWorld();
    world.put('p1', { first: 'no mail' });
    world.put('p2', person('p2'));
    await world.run();
    await world.instance().service.ignore('p1');
    world.passDays(30);
    expect(await world.run()).toMatchObject({ counts: { failed: 0 } });
    world.put('p1', person('p1'));
    await world.run();
    expect(world.active()).toEqual(mails('p1', 'p2'));
  });

  it('puts two records that match one user aside', async () => {
    const world = new ConnectorWorld({ match: ['email'] });
    await world.act({
      type: 'user.create',
      userId: '00000000-0000-4000-8000-00000000aaaa' as never,
      profile: { userName: 'x', active: true, emails: [{ value: 'same@example.com' }] },
    });
    world.put('p1', person('p1', { mail: 'same@example.com' }));
    world.put('p2', person('p2', { mail: 'SAME@example.com' }));
    expect(await world.run()).toMatchObject({ counts: { planned: {}, failed: 2 } });
  });
});

describe('a delta', () => {
  it('applies changes and deletions, and never infers absences', async () => {
    const world = await employed(5);
    world.put('p1', person('p1', { job: 'Driver' }));
    world.leave('p2');
    expect(await world.run('delta')).toMatchObject({
      state: 'done',
      counts: { read: 1, planned: { update: 1, deactivate: 1 } },
    });
    expect(world.active()).toEqual(mails('p1', 'p3', 'p4', 'p5'));
  });
});

describe('a run for one person', () => {
  it('changes no one else', async () => {
    const world = await employed(3);
    world.put('p1', person('p1', { job: 'A' }));
    world.put('p2', person('p2', { job: 'B' }));
    world.source.delete('p3');
    expect(await world.run('ids', { ids: ['p1', 'p3'] })).toMatchObject({
      state: 'done',
      counts: { planned: { update: 1 } },
    });
    expect(world.user('p2@example.com')?.profile.title).toBeUndefined();
    expect(world.active()).toHaveLength(3);
  });

  it('plans without changing anything', async () => {
    const world = await employed(1);
    world.put('p1', person('p1', { job: 'A' }));
    const before = world.submitted;
    expect(await world.run('full', { isPlanOnly: true })).toMatchObject({
      state: 'planned',
      plan: { items: 1 },
    });
    expect(world.submitted).toBe(before);
    expect(await world.run()).toMatchObject({ counts: { applied: 1 } });
  });
});
