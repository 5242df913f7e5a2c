import { beforeAll, describe, expect, it } from 'vitest';
import type { GroupId, RoomId, TenantId, UserId } from '../../src/domain/kernel/ids.js';
import { newId } from '../../src/pipeline/submit.js';
import { mongoUserLookups } from '../../src/store/read/user-lookups.js';
import { refoldAtStart, refoldKeys } from '../../src/store/upkeep.js';
import { PipelineInstance, useDatabase } from '../support/core.js';

const database = useDatabase();
let instance: PipelineInstance;

beforeAll(async () => {
  instance = new PipelineInstance(await database.open());
});

const refold = () => refoldKeys(instance.collections, instance.keptKeys);

const addUser = async (tenantId: TenantId, userName: string): Promise<UserId> => {
  const userId = newId<UserId>();
  const profile = { userName, active: true, emails: [{ value: `${userId}@x.example` }] };
  const outcome = await instance.submit(tenantId, { type: 'user.create', userId, profile });
  expect(outcome.ok).toBe(true);
  return userId;
};

const addRoom = async (tenantId: TenantId, name: string): Promise<RoomId> => {
  const roomId = newId<RoomId>();
  expect((await instance.submit(tenantId, { type: 'room.create', roomId, name })).ok).toBe(true);
  return roomId;
};

/** As a version wrote it that folded only case. */
const anEarlierUser = async (tenantId: TenantId, userName: string): Promise<UserId> => {
  const id = await addUser(tenantId, `new-${newId()}`);
  await instance.collections.users.updateOne(
    { _id: id },
    { $set: { 'profile.userName': userName, 'folded.userName': userName.toLowerCase() } },
  );
  return id;
};

const anEarlierRoom = async (tenantId: TenantId, name: string): Promise<RoomId> => {
  const id = await addRoom(tenantId, `new-${newId()}`);
  const folded = { name: name.toLowerCase(), words: [''] };
  await instance.collections.rooms.updateOne({ _id: id }, { $set: { name, folded } });
  return id;
};

const find = async (tenantId: TenantId, userName: string) =>
  (await mongoUserLookups(instance.collections).find(tenantId, 'userName', [userName])).map(
    ({ id }) => id,
  );

describe('keys that an earlier version has written', () => {
  it('are found by every width and white space once they are folded, and only once', async () => {
    const { id } = await instance.createTenant({ roomProvisioning: 'automatic' });
    const bob = await anEarlierUser(id, 'Ｂｏｂ@x.example');
    const ann = await anEarlierUser(id, 'ann  lee');
    await anEarlierRoom(id, 'Dispatch  East ');
    expect(await find(id, 'bob@x.example')).toEqual([]);

    expect(await refold()).toBe(2);

    expect(await find(id, 'BOB@ｘ.example')).toEqual([bob]);
    expect(await find(id, 'Ann  Lee')).toEqual([ann]);
    const command = {
      type: 'room.create',
      roomId: newId<RoomId>(),
      name: 'dispatch east',
    } as const;
    expect(await instance.submit(id, command)).toMatchObject({ refusal: { code: 'NAME_TAKEN' } });
    expect(await refold()).toBe(0);
  });

  it('stay while another has them: both can be changed and renamed', async () => {
    const { id } = await instance.createTenant();
    const bob = await addUser(id, 'bob');
    const twin = await anEarlierUser(id, 'ｂｏｂ');
    await addRoom(id, 'Dispatch');
    const roomId = await anEarlierRoom(id, 'Dispatch ');
    // Their words, but not their keys.
    await refold();
    expect(await refold()).toBe(0);
    expect(await find(id, 'bob')).toEqual([bob]);

    for (const userId of [bob, twin])
      expect(await instance.submit(id, { type: 'user.deactivate', userId })).toMatchObject({
        ok: true,
        result: { profile: { active: false } },
      });
    expect(await find(id, 'bob')).toEqual([bob]);
    const map = { type: 'room.map', roomId, groupId: newId<GroupId>(), externalId: 'x' } as const;
    expect((await instance.submit(id, map)).ok).toBe(true);
    const rename = { type: 'room.rename', roomId, name: 'Dispatch 2' } as const;
    expect((await instance.submit(id, rename)).ok).toBe(true);
    const changes = [{ op: 'replace', path: ['userName'], value: 'robert' }] as const;
    expect((await instance.submit(id, { type: 'user.patch', userId: twin, changes })).ok).toBe(
      true,
    );

    expect(await find(id, 'ROBERT')).toEqual([twin]);
    expect(await refold()).toBe(0);
    expect(instance.keptKeys.size).toBe(0);
  });

  it('are given up by a twin that gets the name of the other, once that is free', async () => {
    const { id } = await instance.createTenant({ roomProvisioning: 'automatic' });
    const first = await addRoom(id, 'Medics');
    const twin = await anEarlierRoom(id, 'Medics ');
    await refold();

    await instance.submit(id, { type: 'room.delete', roomId: first });
    await instance.submit(id, { type: 'room.rename', roomId: twin, name: 'Medics' });

    const again = { type: 'room.create', roomId: newId<RoomId>(), name: 'medics' } as const;
    expect(await instance.submit(id, again)).toMatchObject({ refusal: { code: 'NAME_TAKEN' } });
  });

  it('are folded when the other is renamed', async () => {
    const { id } = await instance.createTenant();
    const bob = await addUser(id, 'bob');
    const twin = await anEarlierUser(id, 'ｂｏｂ');
    await refold();
    await instance.submit(id, { type: 'user.delete', userId: bob });

    expect(await refold()).toBe(1);
    expect(await find(id, 'bob')).toEqual([twin]);
  });

  it('are not read by a start long after all were folded', async () => {
    const { id } = await instance.createTenant();
    const start = () => refoldAtStart(instance.collections, instance.keptKeys);
    const mark = { _id: 'folded-names' } as const;
    await refold();
    await refold();

    // Within a day, gateways of the earlier version may still run.
    const ada = await anEarlierUser(id, 'ａｄａ');
    await start();
    expect(await find(id, 'ada')).toEqual([ada]);

    await refold();
    await instance.collections.settings.updateOne(mark, { $set: { setAt: new Date(0) } });
    const eve = await anEarlierUser(id, 'ｅｖｅ');
    await start();
    expect(await find(id, 'eve')).toEqual([]);
    await refold();
    expect(await find(id, 'eve')).toEqual([eve]);
  });
});
