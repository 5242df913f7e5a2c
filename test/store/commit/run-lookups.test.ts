import type { mongo } from 'mongoose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { GroupId, RoomId, TenantId, UserId } from '../../../src/domain/kernel/ids.js';
import { rosterPageKey } from '../../../src/domain/room/room.js';
import type { Lookup } from '../../../src/domain/tables.js';
import { newId } from '../../../src/pipeline/submit.js';
import { aProfile } from '../../support/builders.js';
import { PipelineInstance, useDatabase } from '../../support/core.js';

const database = useDatabase();
let core: PipelineInstance;
let tenantId: TenantId;
const sent: mongo.CommandStartedEvent[] = [];
const [userIds, roomId, groupId] = [
  Array.from({ length: 5 }, () => newId<UserId>()).sort(),
  newId<RoomId>(),
  newId<GroupId>(),
];

beforeAll(async () => {
  core = new PipelineInstance(await database.open({ monitorCommands: true }));
  ({ id: tenantId } = await core.createTenant());
  for (const [at, userId] of userIds.entries())
    await core.submit(tenantId, {
      type: 'user.create',
      userId,
      profile: aProfile({ userName: `user${at}@example.com` }),
    });
  await core.submit(tenantId, { type: 'room.create', roomId, name: 'Dispatch' });
  await core.submit(tenantId, { type: 'room.map', roomId, groupId });
  const steps = [{ op: 'add', userIds }] as const;
  await core.submit(tenantId, { type: 'group.change', groupId, steps });
  core.collections.client.on('commandStarted', (event: mongo.CommandStartedEvent) => {
    if (['find', 'aggregate'].includes(event.commandName)) sent.push(event);
  });
});

const userNeed = (index: 'id' | 'userName' | 'email', key: string): Lookup => ({
  table: 'users',
  index,
  key,
});

const load = async (...needs: readonly Lookup[]) => {
  sent.length = 0;
  const { entities } = await core.store.load(tenantId, needs);
  return { entities, commands: sent.length };
};

describe('a lookup', () => {
  it('is one command for any tables and fields', async () => {
    const { entities, commands } = await load(
      userNeed('id', userIds[0]!),
      userNeed('userName', 'user1@example.com'),
      userNeed('userName', 'user2@example.com'),
      userNeed('email', 'unknown@example.com'),
      { table: 'groups', index: 'roster', key: roomId },
      { table: 'rooms', index: 'name', key: 'dispatch' },
      { table: 'roleMappings', index: 'displayName', key: 'none' },
    );
    expect(commands).toBe(1);
    expect(entities.users?.map(({ id }) => id).sort()).toEqual(userIds.slice(0, 3));
    expect(entities.groups).toMatchObject([{ id: groupId, memberCount: 5, tenantId }]);
    expect(entities.rooms).toMatchObject([{ id: roomId, name: 'Dispatch' }]);
    expect(entities.roleMappings).toEqual([]);
  });

  it('leaves no cursor open on the server if a document cannot be decoded', async () => {
    const { rememberedAnswers, memberships, client } = core.collections;
    const [answer, roster] = [newId(), newId()];
    const at = new Date();
    await rememberedAnswers.insertOne({
      _id: answer,
      tenant: tenantId,
      fingerprint: 'any',
      sealed: 'with another key',
      at,
      expireAt: new Date(at.getTime() + 60_000),
    });
    // More than one response of the server, so that its cursor stays open.
    await memberships.insertMany(
      Array.from({ length: 2_100 }, () => {
        return { _id: newId(), tenant: tenantId, roster, user: newId(), tx: true, addedAt: at };
      }),
    );
    const closed: string[] = [];
    const note = ({ commandName }: mongo.CommandStartedEvent) => void closed.push(commandName);
    client.on('commandStarted', note);
    const needs: Lookup[] = [
      { table: 'rememberedAnswers', index: 'id', key: answer },
      { table: 'memberships', index: 'roster', key: roster },
    ];
    await expect(core.store.load(tenantId, needs)).rejects.toThrow();
    client.off('commandStarted', note);
    expect(closed).toContain('killCursors');
  });

  it('finds nothing of another tenant', async () => {
    const other = await core.createTenant();
    const { entities } = await core.store.load(other.id, [
      userNeed('id', userIds[0]!),
      userNeed('userName', 'user1@example.com'),
      { table: 'groups', index: 'id', key: groupId },
      { table: 'memberships', index: 'roster', key: roomId },
    ]);
    expect(entities).toEqual({ users: [], groups: [], memberships: [] });
  });

  it('returns an entity once for several keys, and pages in their order', async () => {
    const { entities, commands } = await load(
      userNeed('id', userIds[3]!),
      userNeed('userName', 'user3@example.com'),
      {
        table: 'memberships',
        index: 'page',
        key: rosterPageKey({ rosterId: roomId, after: userIds[1]!, limit: 2 }),
      },
      { table: 'memberships', index: 'user', key: userIds[2]! },
    );
    expect(commands).toBe(1);
    expect(entities.users).toHaveLength(1);
    expect(entities.memberships?.map(({ userId }) => userId)).toEqual(userIds.slice(2, 4));
  });

  it('splits more than 2,000 keys into several commands', async () => {
    const unknown = Array.from({ length: 4_500 }, () => userNeed('id', newId<UserId>()));
    const known = userIds.map((id) => userNeed('id', id));
    const names = [0, 4].map((at) => userNeed('userName', `user${at}@example.com`));
    const { entities, commands } = await load(...unknown, ...known, ...names);
    expect(commands).toBe(3);
    expect(entities.users?.map(({ id }) => id).sort()).toEqual(userIds);
  });
});
