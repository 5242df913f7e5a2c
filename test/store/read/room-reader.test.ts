import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RoomView } from '../../../src/domain/commands.js';
import type {
  GroupId,
  RoleMappingId,
  RoomId,
  TenantId,
  UserId,
} from '../../../src/domain/kernel/ids.js';
import { newId, resultOf } from '../../../src/pipeline/submit.js';
import type { RoomReader } from '../../../src/ports/rooms.js';
import { mongoJobReader } from '../../../src/store/read/tenant-readers.js';
import { mongoRoleMappingReader } from '../../../src/store/read/role-mapping-reader.js';
import { mongoRoomReader } from '../../../src/store/read/room-reader.js';
import { PipelineInstance, useDatabase } from '../../support/core.js';

const WAIT = { timeout: 20_000, interval: 20 };
const database = useDatabase();
let core: PipelineInstance;
let reader: RoomReader;
let tenantId: TenantId;
/** The commands that the driver sends. */
const sent: string[] = [];

beforeAll(async () => {
  const connection = await database.open({ monitorCommands: true });
  connection.on('commandStarted', ({ commandName }) => sent.push(commandName));
  core = new PipelineInstance(connection);
  reader = mongoRoomReader(core.collections);
});

beforeEach(async () => {
  tenantId = (await core.createTenant()).id;
});

const makeRoom = async (name: string): Promise<RoomId> => {
  const roomId = newId<RoomId>();
  resultOf(await core.submit<'room.create'>(tenantId, { type: 'room.create', roomId, name }));
  return roomId;
};

const map = async (roomId: RoomId, displayName: string, externalId: string | null = null) =>
  resultOf(
    await core.submit<'room.map'>(tenantId, {
      type: 'room.map',
      roomId,
      groupId: newId<GroupId>(),
      displayName,
      externalId,
    }),
  );

const mapRole = async (groupDisplayName: string, role: string, applies = true) =>
  resultOf(
    await core.submit<'role-mapping.create'>(tenantId, {
      type: 'role-mapping.create',
      mappingId: newId<RoleMappingId>(),
      groupDisplayName,
      role,
      applyOnScimProvisioning: applies,
      priority: 100,
    }),
  );

const makeUsers = (count: number): Promise<readonly UserId[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const userId = newId<UserId>();
      const profile = {
        userName: `user${at}@example.com`,
        displayName: `U${at}`,
        active: at !== 0,
      };
      resultOf(
        await core.submit<'user.create'>(tenantId, { type: 'user.create', userId, profile }),
      );
      return userId;
    }),
  );

const collect = async <Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> => {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
};

const summary = ({ room, group, role }: RoomView) => [room.name, group?.displayName ?? null, role];

describe('a room', () => {
  it('has its mapping and the role of a mapping that applies', async () => {
    const roomId = await makeRoom('Dispatch');
    expect(summary((await reader.find(tenantId, roomId))!)).toEqual(['Dispatch', null, null]);
    await map(roomId, 'Dispatchers', 'okta-1');
    await mapRole('DISPATCHERS', 'dispatcher');
    const view = await reader.find(tenantId, roomId);
    expect(view).toMatchObject({
      room: { id: roomId, tenantId, name: 'Dispatch', memberCount: 0 },
      group: { displayName: 'Dispatchers', externalId: 'okta-1', roomId },
      role: 'dispatcher',
    });
  });

  it('has no role from a mapping that does not apply', async () => {
    const roomId = await makeRoom('Dispatch');
    await map(roomId, 'Dispatch');
    await mapRole('Dispatch', 'dispatcher', false);
    expect((await reader.find(tenantId, roomId))?.role).toBeNull();
  });

  it('is visible to its own tenant only', async () => {
    const roomId = await makeRoom('Dispatch');
    const other = await core.createTenant();
    expect(await reader.find(other.id, roomId)).toBeUndefined();
    expect(await reader.memberPage(other.id, roomId, { offset: 0, limit: 1 })).toBeUndefined();
    expect(await reader.allMembers(other.id, roomId, { offset: 0 })).toBeUndefined();
    expect(await reader.page(other.id, { offset: 0, limit: 9 })).toEqual({ items: [], total: 0 });
  });
});

describe('rooms', () => {
  const page = async (query: Partial<Parameters<RoomReader['page']>[1]>) => {
    const { items, total } = await reader.page(tenantId, { offset: 0, limit: 100, ...query });
    return { names: items.map(({ room }) => room.name), total };
  };
  const whole = async (query: Partial<Parameters<RoomReader['all']>[1]>) => {
    const { items, total } = await reader.all(tenantId, { offset: 0, ...query });
    return { names: (await collect(items)).map(({ room }) => room.name), total };
  };

  beforeEach(async () => {
    for (const name of ['One', 'Two', 'Three', 'Four']) await makeRoom(name);
    const { items: rooms } = await reader.page(tenantId, { offset: 0, limit: 100 });
    await map(rooms[1]!.room.id, 'Second');
    await map(rooms[3]!.room.id, 'Fourth');
  });

  it.each([
    [{}, ['One', 'Two', 'Three', 'Four'], 4],
    [{ offset: 1 }, ['Two', 'Three', 'Four'], 4],
    [{ offset: 9 }, [], 4],
    [{ name: 'tHREE' }, ['Three'], 1],
    [{ name: 'Thre' }, [], 0],
    [{ name: 'three', mapped: true }, [], 0],
    [{ name: 'two', mapped: true }, ['Two'], 1],
    [{ mapped: true }, ['Two', 'Four'], 2],
    [{ mapped: false }, ['One', 'Three'], 2],
    [{ mapped: false, offset: 1 }, ['Three'], 2],
  ] as const)(
    'that match %j are %j, oldest first, as a page and as a stream',
    async (query, names, total) => {
      expect(await page(query)).toEqual({ names, total });
      expect(await whole(query)).toEqual({ names, total });
      expect((await page({ ...query, limit: 1 })).names).toEqual(names.slice(0, 1));
    },
  );

  it('take four queries for any number of rooms', async () => {
    await page({});
    const before = sent.length;
    await page({});
    expect(sent.slice(before).sort()).toEqual(['find', 'find', 'find', 'find']);
  });
});

describe('a list that is longer than a batch', () => {
  it('is read to its end although many rooms have the same creation time', async () => {
    await Promise.all(Array.from({ length: 1_203 }, (_, at) => makeRoom(`Room ${at}`)));
    const { items, total } = await reader.all(tenantId, { offset: 2 });
    const names = new Set((await collect(items)).map(({ room }) => room.name));
    expect([names.size, total]).toEqual([1_201, 1_203]);
    const mapped = await reader.all(tenantId, { offset: 0, mapped: false });
    expect(await collect(mapped.items)).toHaveLength(1_203);
  });
});

describe('members', () => {
  it('have their user’s fields, in the order of their ids, as a page and as a stream', async () => {
    const roomId = await makeRoom('Dispatch');
    const users = [...(await makeUsers(3))];
    resultOf(
      await core.submit<'member.sync'>(tenantId, {
        type: 'member.sync',
        roomId,
        members: users.map((userId, at) => ({ userId, txPermission: at === 1 })),
      }),
    );
    const all = (await reader.allMembers(tenantId, roomId, { offset: 0 }))!;
    const members = await collect(all.items);
    expect(all.total).toBe(3);
    expect(members.map(({ userId }) => userId)).toEqual([...users].sort());
    expect(members.find(({ userId }) => userId === users[1])).toEqual({
      userId: users[1],
      txPermission: true,
      email: 'user1@example.com',
      displayName: 'U1',
      active: true,
      addedAt: expect.any(Date) as Date,
    });
    expect(members.find(({ userId }) => userId === users[0])?.active).toBe(false);
    const page = await reader.memberPage(tenantId, roomId, { offset: 1, limit: 1 });
    expect(page).toEqual({ items: [members[1]], total: 3 });
  });

  it('are read in batches: two queries for each 100', async () => {
    const roomId = await makeRoom('Large');
    const users = await makeUsers(1_100);
    const members = users.map((userId) => ({ userId }));
    resultOf(await core.submit<'member.sync'>(tenantId, { type: 'member.sync', roomId, members }));
    const jobReader = mongoJobReader(core.collections);
    const finished = () => jobReader.page(tenantId, { offset: 0, limit: 10, isFinished: true });
    await vi.waitFor(async () => expect((await finished()).total).toBe(1), WAIT);
    const { items, total } = (await reader.allMembers(tenantId, roomId, { offset: 50 }))!;
    const before = sent.length;
    const ids = (await collect(items)).map(({ userId }) => userId);
    expect([ids.length, new Set(ids).size, total]).toEqual([1_050, 1_050, 1_100]);
    expect(sent.slice(before)).toEqual(Array<string>(22).fill('find'));

    const [job] = (await finished()).items;
    expect(job).toMatchObject({ done: 1_100, total: 1_100, tenantId });
    expect(await jobReader.find(tenantId, job!.id)).toEqual(job);
    const other = await core.createTenant();
    expect(await jobReader.find(other.id, job!.id)).toBeUndefined();
    const running = { offset: 0, limit: 10, isFinished: false };
    expect(await jobReader.page(tenantId, running)).toEqual({ items: [], total: 0 });
  });
});

describe('role mappings', () => {
  it('are listed oldest first, and found by group name in any letter case', async () => {
    const mappings = mongoRoleMappingReader(core.collections);
    const made = [await mapRole('A', 'one'), await mapRole('B', 'two')];
    const page = (more: object) => mappings.page(tenantId, { offset: 0, limit: 9, ...more });
    expect(await page({})).toEqual({ items: made, total: 2 });
    expect(await page({ offset: 1 })).toEqual({ items: [made[1]], total: 2 });
    expect(await page({ groupDisplayName: 'b' })).toEqual({ items: [made[1]], total: 1 });
    expect(await mappings.find(tenantId, made[0]!.id)).toEqual(made[0]);
    const other = await core.createTenant();
    expect(await mappings.find(other.id, made[0]!.id)).toBeUndefined();
  });
});
