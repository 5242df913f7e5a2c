import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../../src/domain/kernel/names.js';
import type { RoomId } from '../../src/domain/kernel/ids.js';
import { runSync } from '../../src/domain/kernel/chunked.js';
import type { Change, Lookup } from '../../src/domain/tables.js';
import type { User } from '../../src/domain/user/user.js';
import { MissingLookups, netOf, Workspace } from '../../src/pipeline/workspace.js';
import { aMember, aTenant, aUser, idOf, NOW } from '../support/builders.js';
import { expectQuick } from '../support/expect-quick.js';

const byId = (number: number): Lookup => ({ table: 'users', index: 'id', key: aUser(number).id });
const byName = (name: string): Lookup => ({ table: 'users', index: 'userName', key: fold(name) });

const overAtOnce: (...given: Parameters<typeof Workspace.over>) => Workspace = (...given) =>
  runSync(Workspace.over(...given));

const over = (users: readonly User[], needs: readonly Lookup[]) =>
  overAtOnce(
    { tenant: aTenant(), version: { v: 1, seq: 0, nextOrdinal: 0 }, now: NOW, entities: { users } },
    needs,
  );

const LOADED = {
  tenant: aTenant(),
  version: { v: 1, seq: 0, nextOrdinal: 0 },
  now: NOW,
};

const change = (before: User | null, after: User | null): Change => ({
  table: 'users',
  before,
  after,
});

describe('a workspace', () => {
  it('returns an entity or undefined, and throws for what was not loaded', () => {
    const workspace = over([aUser(1)], [byId(1), byId(2)]);
    expect(workspace.find('users', 'id', aUser(1).id)).toEqual(aUser(1));
    expect(workspace.find('users', 'id', aUser(2).id)).toBeUndefined();
    expect(() => workspace.find('users', 'id', aUser(3).id)).toThrow(MissingLookups);
  });

  it('finds a loaded entity by each of its unique keys', () => {
    const workspace = over([aUser(1)], [byId(1)]);
    expect(workspace.find('users', 'userName', 'user1@example.com')?.id).toBe(aUser(1).id);
    expect(workspace.find('users', 'email', 'user1@example.com')?.id).toBe(aUser(1).id);
  });

  it('shows applied changes, keys included', () => {
    const workspace = over([aUser(1)], [byId(1), byName('new')]);
    const renamed = { ...aUser(1), profile: { ...aUser(1).profile, userName: 'New' } };
    workspace.apply([change(aUser(1), renamed)]);
    expect(workspace.find('users', 'userName', 'user1@example.com')).toBeUndefined();
    expect(workspace.find('users', 'userName', 'new')).toEqual(renamed);
    workspace.apply([change(renamed, null)]);
    expect(workspace.find('users', 'userName', 'new')).toBeUndefined();
    expect(workspace.find('users', 'id', aUser(1).id)).toBeUndefined();
  });

  it('is not changed by a layer with further changes', () => {
    const workspace = over([], [byId(1)]);
    const then = workspace.after([change(null, aUser(1))]);
    expect(then.find('users', 'id', aUser(1).id)).toEqual(aUser(1));
    expect(workspace.find('users', 'id', aUser(1).id)).toBeUndefined();
    expect([workspace.changeCount, then.changeCount]).toEqual([0, 1]);
    workspace.apply([change(null, aUser(1))]);
    expect(workspace.find('users', 'id', aUser(1).id)).toEqual(aUser(1));
    expect(workspace.changes).toHaveLength(1);
  });

  it('lists entities by id, in whatever order they were loaded', () => {
    const need: Lookup = { table: 'memberships', index: 'roster', key: aMember(1).rosterId };
    const entities = { memberships: [aMember(2), aMember(3), aMember(1)] };
    const list = overAtOnce({ ...LOADED, entities }, [need]).list(
      'memberships',
      'roster',
      need.key,
    );
    expect(list).toEqual([aMember(1), aMember(2), aMember(3)]);
  });

  it('keeps lists unchanged when a layer changes them', () => {
    const need: Lookup = { table: 'memberships', index: 'user', key: aMember(1).userId };
    const loaded = { ...LOADED, entities: { memberships: [aMember(1)] } };
    const workspace = overAtOnce(loaded, [need]);
    const list = (facts: Pick<Workspace, 'list'>) => facts.list('memberships', 'user', need.key);
    const other = aMember(1, { rosterId: idOf<RoomId>(0xa002) });
    const then = workspace.after([
      { table: 'memberships', before: null, after: other },
      { table: 'memberships', before: aMember(1), after: null },
    ]);
    expect([list(then), list(workspace)]).toEqual([[other], [aMember(1)]]);
    expect(list(then.after([{ table: 'memberships', before: other, after: null }]))).toEqual([]);
    expect(list(then)).toEqual([other]);
  });

  it('applies 1,000 changes to a roster of 20,000 without copying it each time', async () => {
    const memberships = Array.from({ length: 20_000 }, (_, number) => aMember(number));
    const need: Lookup = { table: 'memberships', index: 'roster', key: aMember(1).rosterId };
    const load = () => overAtOnce({ ...LOADED, entities: { memberships } }, [need]);
    const removals = memberships
      .slice(0, 1_000)
      .map((before) => ({ table: 'memberships', before, after: null }) as const);
    const change = () => {
      const workspace = load();
      workspace.apply(removals);
      expect(workspace.list('memberships', 'roster', need.key)).toHaveLength(19_000);
    };
    await expectQuick(change, load);
  });

  it('reports all missing lookups at once', () => {
    const workspace = over([], [byId(1)]);
    expect(workspace.isLoaded(byId(1))).toBe(true);
    expect(() => workspace.require([byId(1), byId(2), byName('a')])).toThrow(
      expect.objectContaining({ lookups: [byId(2), byName('a')] }) as Error,
    );
  });

  it('keeps the order of entities under a shared key', () => {
    const record = (number: number, plugin = 'webhooks') => ({
      id: aUser(number).id as never,
      tenantId: aTenant().id,
      plugin,
      data: {},
      version: 1,
      createdAt: NOW,
    });
    const workspace = overAtOnce(
      {
        tenant: aTenant(),
        version: { v: 1, seq: 0, nextOrdinal: 0 },
        now: NOW,
        entities: { pluginRecords: [record(1), record(2)] },
      },
      [{ table: 'pluginRecords', index: 'plugin', key: 'webhooks' }],
    );
    const changed = { ...record(1), version: 2 };
    workspace.apply([
      { table: 'pluginRecords', before: record(1), after: changed },
      { table: 'pluginRecords', before: null, after: record(3) },
      { table: 'pluginRecords', before: record(2), after: null },
    ]);
    expect(workspace.list('pluginRecords', 'plugin', 'webhooks')).toEqual([changed, record(3)]);
  });

  it('finds by key what a linear search would find, after any history', () => {
    const NAMES = ['a', 'b', 'c'];
    const step = fc.record({
      user: fc.nat(3),
      name: fc.constantFrom(...NAMES),
      gone: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.boolean(), (steps, forked) => {
        const needs = [0, 1, 2, 3].map(byId).concat(NAMES.map(byName));
        const root = over([], needs);
        const workspace = forked ? root.after([]) : root;
        const model = new Map<number, User>();
        for (const { user, name, gone } of steps) {
          const before = model.get(user) ?? null;
          const holder = [...model].find(([, other]) => other.profile.userName === name);
          if (holder && holder[0] !== user) continue;
          const after = gone ? null : aUser(user, { userName: name });
          if (!before && !after) continue;
          workspace.apply([change(before, after)]);
          if (after) model.set(user, after);
          else model.delete(user);
        }
        if (forked) root.apply(workspace.changes);
        for (const name of NAMES)
          expect(root.find('users', 'userName', name)).toEqual(
            [...model.values()].find(({ profile }) => profile.userName === name),
          );
        const net = runSync(netOf(root.changes)).flatMap(({ after }) => (after ? [after] : []));
        expect(new Set(net)).toEqual(new Set(model.values()));
      }),
    );
  });
});

describe('netOf', () => {
  it('returns one change per entity, from its first state to its last', () => {
    const [one, two] = [aUser(1), { ...aUser(1), version: 2 }];
    expect(runSync(netOf([change(one, two), change(two, null)]))).toEqual([change(one, null)]);
    expect(runSync(netOf([change(null, one), change(one, two)]))).toEqual([change(null, two)]);
    expect(runSync(netOf([change(null, one), change(one, null)]))).toEqual([]);
  });
});
