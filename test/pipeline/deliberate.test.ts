import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../src/domain/commands.js';
import type { CommandId, UserId } from '../../src/domain/ids.js';
import type { Need } from '../../src/domain/tables.js';
import { isRefused, type Rules } from '../../src/domain/decide/decider.js';
import { commit } from '../../src/pipeline/commit.js';
import { deliberate } from '../../src/pipeline/deliberate.js';
import { aUser, GROUP_ID, idOf, ROOM_ID, TENANT_ID } from '../support/builders.js';
import { NO_SUBSCRIBERS } from '../support/core.js';
import { MemoryCore } from '../support/memory-core.js';

const LOG = { warn: () => undefined, error: () => undefined };
const RULES: Rules = { applyPatch: (profile) => profile, pluginRule: () => undefined };
const userId = idOf<UserId>(1);

/** One user, and one group with its room; the group's member is to be the user. */
const givenGroup = async () => {
  const core = new MemoryCore();
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
  const arrival = { envelope, weight: 1, bytes: 0, receivedAt: 0, answer: () => undefined };
  const batch = { tenantId: TENANT_ID, arrivals: [arrival], conflicts: 0, replays: 0 };
  return { core, batch };
};

/** A store that tells what it was asked for, a list for each time. */
const watched = ({ store }: MemoryCore, meanwhile: () => Promise<unknown>) => {
  const asked: (readonly Need[])[] = [];
  const load: typeof store.load = async (tenantId, needs) => {
    const loaded = await store.load(tenantId, needs);
    asked.push(needs);
    if (asked.length === 1) await meanwhile();
    return loaded;
  };
  return { asked, store: Object.assign(Object.create(store) as typeof store, { load }) };
};

const nameOf = ({ table, index, key }: Need): string => `${table}.${index}=${key}`;

describe('deliberating', () => {
  it('asks the database only for what is not known yet, each thing once', async () => {
    const { core, batch } = await givenGroup();
    const { asked, store } = watched(core, () => Promise.resolve());
    const { judged } = await deliberate({ store, rules: RULES, log: LOG })(batch);
    expect(judged.map(({ verdict }) => isRefused(verdict))).toEqual([false]);
    expect(asked.map((needs) => needs.map(({ table }) => table).sort())).toEqual([
      ['groups', 'users'],
      ['memberships', 'rooms'],
    ]);
  });

  it('takes nothing of what it knew where another commit came in between', async () => {
    const { core, batch } = await givenGroup();
    const { asked, store } = watched(core, () => core.one({ type: 'user.delete', userId }));
    const decided = await deliberate({ store, rules: RULES, log: LOG })(batch);
    const [first, more, again] = asked.map((needs) => needs.map(nameOf));
    expect(again).toEqual([...(first ?? []), ...(more ?? [])]);
    expect(decided.judged.map(({ verdict }) => isRefused(verdict))).toEqual([true]);
    expect(decided.loaded.version).toEqual(core.store.version);
  });

  it('decides anew from what was loaded, not from what was decided without knowing', async () => {
    const { core, batch } = await givenGroup();
    const decided = await deliberate({ store: core.store, rules: RULES, log: LOG })(batch);
    await commit(core.store, NO_SUBSCRIBERS)(decided);
    expect(core.store.all('memberships')).toHaveLength(1);
    expect(core.store.all('groups')[0]).toMatchObject({ memberCount: 1 });
  });
});
