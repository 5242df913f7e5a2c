import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../src/domain/commands.js';
import type { CommandId, RoomId, UserId } from '../../src/domain/kernel/ids.js';
import type { Lookup } from '../../src/domain/tables.js';
import { isRefused, type Rules } from '../../src/domain/kernel/decider.js';
import { commit } from '../../src/pipeline/commit.js';
import { gatherAndDecide } from '../../src/pipeline/gather-and-decide.js';
import { aUser, GROUP_ID, idOf, ROOM_ID, TENANT_ID } from '../support/builders.js';
import { MemoryPipeline } from '../support/memory-core.js';

const LOG = { warn: () => undefined, error: () => undefined };
const RULES: Rules = { pluginRule: () => undefined };
const userId = idOf<UserId>(1);

/** A user, a room-backed group, and a batch that adds the user to the group. */
const givenGroup = async () => {
  const core = new MemoryPipeline();
  await core.run(
    { type: 'user.create', userId, profile: aUser(1).profile },
    { type: 'room.create', roomId: ROOM_ID, name: 'Dispatch' },
    { type: 'room.map', roomId: ROOM_ID, groupId: GROUP_ID },
  );
  const envelope: Envelope = {
    id: idOf<CommandId>(0xc100_0000),
    tenantId: TENANT_ID,
    actor: { kind: 'operator', name: 'test' },
    source: 'admin',
    requestId: 'request-1',
    command: { type: 'group.change', groupId: GROUP_ID, steps: [{ op: 'add', userIds: [userId] }] },
  };
  const arrival = { envelope, weight: 1, bytes: 0, receivedAt: 0, resolve: () => undefined };
  const batch = { tenantId: TENANT_ID, arrivals: [arrival], conflicts: 0 };
  return { core, batch };
};

/** A store that records the lookups of each load and calls `afterFirst` after the first one. */
const watched = ({ store }: MemoryPipeline, afterFirst: () => Promise<unknown>) => {
  const loads: (readonly Lookup[])[] = [];
  const load: typeof store.load = async (tenantId, needs) => {
    const loaded = await store.load(tenantId, needs);
    loads.push(needs);
    if (loads.length === 1) await afterFirst();
    return loaded;
  };
  return { loads, store: Object.assign(Object.create(store) as typeof store, { load }) };
};

const nameOf = ({ table, index, key }: Lookup): string => `${table}.${index}=${key}`;

describe('gatherAndDecide', () => {
  it('loads only what is not loaded yet, each lookup once', async () => {
    const { core, batch } = await givenGroup();
    const { loads, store } = watched(core, () => Promise.resolve());
    const { decisions } = await gatherAndDecide({ store, rules: RULES, log: LOG })(batch);
    expect(decisions.map(({ decision }) => isRefused(decision))).toEqual([false]);
    expect(loads.map((lookups) => lookups.map(({ table }) => table).sort())).toEqual([
      ['groups', 'users'],
      ['memberships', 'rooms'],
    ]);
  });

  it('loads a group that it knows with its room and memberships in one query', async () => {
    const { core, batch } = await givenGroup();
    const { loads, store } = watched(core, () => Promise.resolve());
    const decideAgain = gatherAndDecide({ store, rules: RULES, log: LOG });
    await decideAgain(batch);
    loads.length = 0;
    const { decisions } = await decideAgain(batch);
    expect(decisions.map(({ decision }) => isRefused(decision))).toEqual([false]);
    expect(loads.map((lookups) => lookups.map(({ table }) => table).sort())).toEqual([
      ['groups', 'memberships', 'rooms', 'users'],
    ]);
  });

  it('does not look up the members of a known group one by one to replace them all', async () => {
    const { core, batch } = await givenGroup();
    const { loads, store } = watched(core, () => Promise.resolve());
    const decideAgain = gatherAndDecide({ store, rules: RULES, log: LOG });
    await decideAgain(batch);
    loads.length = 0;
    const arrivals = batch.arrivals.map(({ envelope, ...arrival }) => ({
      ...arrival,
      envelope: {
        ...envelope,
        command: {
          type: 'group.change',
          groupId: GROUP_ID,
          steps: [{ op: 'replace', userIds: [userId] }],
        },
      } satisfies Envelope,
    }));
    await decideAgain({ ...batch, arrivals });
    const [first, more] = loads.map((lookups) => lookups.map(({ table }) => table).sort());
    expect(first).toEqual(['groups', 'users']);
    expect(more).toEqual(['memberships', 'rooms']);
  });

  it('looks again where the room of a known group has changed', async () => {
    // Given a batch that saw the group with one room, and another gateway that deletes and maps it
    const { core, batch } = await givenGroup();
    const { loads, store } = watched(core, () => Promise.resolve());
    const decideAgain = gatherAndDecide({ store, rules: RULES, log: LOG });
    await decideAgain(batch);
    const other = idOf<RoomId>(0xd00);
    await core.run(
      { type: 'room.unmap', roomId: ROOM_ID },
      { type: 'room.create', roomId: other, name: 'Harbour' },
      { type: 'room.map', roomId: other, groupId: GROUP_ID },
    );
    loads.length = 0;
    // When
    const decided = await decideAgain(batch);
    await commit(core.store)(decided);
    // Then the user is a member of the new room only
    expect(core.store.all('memberships').map(({ rosterId }) => rosterId)).toEqual([other]);
    expect(loads).toHaveLength(2);
    // And the next batch needs one query again
    loads.length = 0;
    await decideAgain(batch);
    expect(loads).toHaveLength(1);
  });

  it('loads everything again if another commit came in between', async () => {
    const { core, batch } = await givenGroup();
    const { loads, store } = watched(core, () => core.runOne({ type: 'user.delete', userId }));
    const decided = await gatherAndDecide({ store, rules: RULES, log: LOG })(batch);
    const [first, more, again] = loads.map((lookups) => lookups.map(nameOf));
    expect(again).toEqual([...(first ?? []), ...(more ?? [])]);
    expect(decided.decisions.map(({ decision }) => isRefused(decision))).toEqual([true]);
    expect(decided.loaded.version).toEqual(core.store.version);
  });

  it('decides again from the loaded state, without the changes of the first attempt', async () => {
    const { core, batch } = await givenGroup();
    const decided = await gatherAndDecide({ store: core.store, rules: RULES, log: LOG })(batch);
    await commit(core.store)(decided);
    expect(core.store.all('memberships')).toHaveLength(1);
    expect(core.store.all('groups')[0]).toMatchObject({ memberCount: 1 });
  });
});
