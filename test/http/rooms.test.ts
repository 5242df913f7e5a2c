import { beforeEach, describe, expect, it } from 'vitest';
import type { GroupId, RoleMappingId, RoomId, UserId } from '../../src/domain/kernel/ids.js';
import { newId } from '../../src/pipeline/submit.js';
import { requestTo } from '../support/ask.js';
import { idOf } from '../support/builders.js';
import { type TestApp, openEdge } from '../support/edge.js';

const UNKNOWN_ID = idOf(0xdead);
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

let fake: TestApp;
let dispatch: RoomId;
let night: RoomId;
beforeEach(async () => {
  fake = await openEdge();
  dispatch = await addRoom('Dispatch');
  night = await addRoom('Night shift');
});

const addRoom = async (name: string, tenant = fake.tenant): Promise<RoomId> => {
  const roomId = newId<RoomId>();
  await fake.run({ type: 'room.create', roomId, name }, tenant.id);
  return roomId;
};

/** The ids of new users, in their order. */
const addUsers = async (count: number): Promise<readonly UserId[]> => {
  const ids = Array.from({ length: count }, () => newId<UserId>()).toSorted();
  for (const [at, userId] of ids.entries()) {
    const userName = `user${at + 1}@example.com`;
    const profile = { userName, displayName: 'Ada Lovelace', active: true };
    await fake.run({ type: 'user.create', userId, profile });
  }
  return ids;
};

const addUser = async (): Promise<UserId> => (await addUsers(1))[0]!;

const addMember = async (userId: UserId, txPermission = false): Promise<UserId> => {
  await fake.run({ type: 'member.add', roomId: dispatch, userId, txPermission });
  return userId;
};

/** How many memberships the tenant has. */
const countMembers = () => fake.collections.memberships.countDocuments({ tenant: fake.tenant.id });

const call = (method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string) =>
  requestTo(fake.app)[method](`/v1/acme${path}`).set('Authorization', `Bearer ${fake.key}`);

const dispatchBody = () => ({
  id: dispatch,
  name: 'Dispatch',
  display_name: null,
  external_id: null,
  member_count: 0,
  created_at: INSTANT,
  role: null,
  group_id: null,
});

describe('GET /rooms', () => {
  it('returns all rooms without limit', async () => {
    const { body, headers } = await call('get', '/rooms').expect(200);
    expect(body).toEqual({
      rooms: [dispatchBody(), { ...dispatchBody(), id: night, name: 'Night shift' }],
      total: 2,
      limit: 2,
      offset: 0,
    });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it.each([
    ['?limit=1', ['Dispatch'], 2, 1, 0],
    ['?limit=1&offset=1', ['Night shift'], 2, 1, 1],
    ['?offset=1', ['Night shift'], 2, 2, 1],
    ['?offset=7', [], 2, 2, 7],
    ['?name=NIGHT%20SHIFT', ['Night shift'], 1, 1, 0],
    ['?name=Night', [], 0, 0, 0],
    ['?mapped=true', ['Dispatch'], 1, 1, 0],
    ['?mapped=false&limit=5', ['Night shift'], 1, 5, 0],
  ] as const)('%s returns %j', async (query, names, total, limit, offset) => {
    await call('patch', `/rooms/${dispatch}`).send({ external_id: 'x' }).expect(200);
    const { body } = await call('get', `/rooms${query}`).expect(200);
    const { rooms, ...rest } = body as { rooms: { name: string }[] };
    expect(rooms.map(({ name }) => name)).toEqual(names);
    expect(rest).toEqual({ total, limit, offset });
  });

  it('returns no room of another tenant, like the other room routes', async () => {
    const strange = await addRoom('Dispatch', await fake.addTenant());
    const userId = await addUser();
    expect((await call('get', '/rooms')).body).toMatchObject({ total: 2 });
    const path = `/rooms/${strange}`;
    for (const answer of [
      await call('get', path),
      await call('patch', path).send({ display_name: 'Mine' }),
      await call('delete', path),
      await call('get', `${path}/members`),
      await call('get', `${path}/members?limit=1`),
      await call('post', `${path}/members`).send({ user_id: userId }),
      await call('put', `${path}/members`).send({ members: [] }),
      await call('patch', `${path}/members/${userId}`).send({ tx_permission: true }),
      await call('delete', `${path}/members/${userId}`),
    ])
      expect([answer.status, answer.body]).toMatchObject([
        404,
        { error: 'ROOM_NOT_FOUND', message: 'No room has this id.' },
      ]);
  });
});

describe('GET /rooms/{id}', () => {
  it('returns the mapping and its role', async () => {
    const groupId = newId<GroupId>();
    const displayName = 'Dispatchers';
    await fake.run({
      ...{ type: 'room.map', roomId: dispatch, groupId, displayName },
      externalId: 'okta-1',
    });
    await fake.run({
      ...{ type: 'role-mapping.create', mappingId: newId<RoleMappingId>(), role: 'dispatcher' },
      ...{ groupDisplayName: 'DISPATCHERS', applyOnScimProvisioning: true, priority: 100 },
    });
    const { body, headers } = await call('get', `/rooms/${dispatch}`).expect(200);
    expect(body).toEqual({
      ...dispatchBody(),
      display_name: 'Dispatchers',
      external_id: 'okta-1',
      role: 'dispatcher',
      group_id: groupId,
    });
    expect(headers['etag']).toBe('W/"3"');
  });

  it('returns 304 if the client has this version', async () => {
    const answer = await call('get', `/rooms/${dispatch}`).set('If-None-Match', 'W/"1"');
    expect([answer.status, answer.text]).toEqual([304, '']);
  });
});

describe('PATCH /rooms/{id}', () => {
  it('creates a mapping with the name of the room', async () => {
    const { body, headers } = await call('patch', `/rooms/${dispatch}`)
      .send({ external_id: 'okta-1' })
      .expect(200);
    expect(body).toMatchObject({
      name: 'Dispatch',
      display_name: 'Dispatch',
      external_id: 'okta-1',
    });
    const group = await fake.collections.groups.findOne({ tenant: fake.tenant.id });
    expect((body as { group_id: string }).group_id).toBe(group?._id);
    expect(headers['etag']).toBe('W/"2"');
  });

  it('changes the mapping and not the name of the room', async () => {
    await call('patch', `/rooms/${dispatch}`).send({ display_name: 'Day', external_id: 'x' });
    const { body } = await call('patch', `/rooms/${dispatch}`).send({ external_id: null });
    expect(body).toMatchObject({ name: 'Dispatch', display_name: 'Day', external_id: null });
  });

  it('refuses the display name of another group', async () => {
    await call('patch', `/rooms/${night}`).send({ display_name: 'Day' }).expect(200);
    const { status, body } = await call('patch', `/rooms/${dispatch}`).send({
      display_name: 'DAY',
    });
    expect([status, body]).toMatchObject([409, { error: 'GROUP_EXISTS' }]);
  });

  it('refuses a version that is no longer current', async () => {
    const sent = call('patch', `/rooms/${dispatch}`).set('If-Match', 'W/"7"');
    expect((await sent.send({ display_name: 'Day' })).status).toBe(412);
  });

  it.each([
    [{}, '', 'must contain display_name, external_id or both'],
    [{ display_name: null }, 'display_name', 'must be a string'],
    [{ display_name: '' }, 'display_name', 'must not be empty'],
    [{ display_name: 'x', name: 'x' }, 'name', 'is not a known field'],
    [{ external_id: 7 }, 'external_id', 'must be a string'],
  ])('refuses %j', async (sent, path, message) => {
    const { status, body } = await call('patch', `/rooms/${dispatch}`).send(sent);
    expect([status, body]).toMatchObject([400, { details: [{ path, message }] }]);
  });
});

describe('DELETE /rooms/{id}', () => {
  it('removes the mapping and keeps the room and its members', async () => {
    await addMember(await addUser());
    await call('patch', `/rooms/${dispatch}`).send({ display_name: 'Day' }).expect(200);
    await call('delete', `/rooms/${dispatch}`).expect(204);
    expect((await call('get', `/rooms/${dispatch}`)).body).toMatchObject({ group_id: null });
    expect(await countMembers()).toBe(1);
    const again = await call('delete', `/rooms/${dispatch}`);
    expect([again.status, again.body]).toMatchObject([404, { error: 'GROUP_NOT_FOUND' }]);
  });
});

describe('GET /rooms/{id}/members', () => {
  it('returns each member with the transmit permission and the user', async () => {
    const userId = await addMember(await addUser(), true);
    const { body } = await call('get', `/rooms/${dispatch}/members`).expect(200);
    expect(body).toEqual({
      members: [
        {
          user_id: userId,
          tx_permission: true,
          email: 'user1@example.com',
          display_name: 'Ada Lovelace',
          active: true,
          added_at: INSTANT,
        },
      ],
      total: 1,
      limit: 1,
      offset: 0,
    });
  });

  it('returns a page if limit is given', async () => {
    const users = await addUsers(3);
    for (const userId of users) await addMember(userId);
    const { body } = await call('get', `/rooms/${dispatch}/members?limit=2&offset=2`);
    expect(body).toMatchObject({ members: [{ user_id: users[2] }], total: 3, limit: 2, offset: 2 });
  });
});

describe('POST /rooms/{id}/members', () => {
  it('returns 201 with the member, by default without transmit permission', async () => {
    const [one, other] = await addUsers(2);
    const path = `/rooms/${dispatch}/members`;
    const { body } = await call('post', path).send({ user_id: one }).expect(201);
    expect(body).toEqual({ user_id: one, room_id: dispatch, tx_permission: false });
    const may = await call('post', path).send({ user_id: other, tx_permission: true });
    expect(may.body).toMatchObject({ tx_permission: true });
  });

  it('refuses an existing member, an unknown user and a malformed id', async () => {
    const path = `/rooms/${dispatch}/members`;
    const member = await addMember(await addUser());
    const again = await call('post', path).send({ user_id: member });
    expect([again.status, again.body]).toMatchObject([409, { error: 'MEMBER_EXISTS' }]);
    for (const user_id of [UNKNOWN_ID, 'nonsense']) {
      const { status, body } = await call('post', path).send({ user_id });
      expect([status, body]).toMatchObject([404, { error: 'USER_NOT_FOUND' }]);
    }
  });

  it('passes the Idempotency-Key on with the command', async () => {
    const user_id = await addUser();
    const add = () => call('post', `/rooms/${dispatch}/members`);
    await add().set('Idempotency-Key', 'key-1').send({ user_id }).expect(201);
    await add().send({ user_id }).expect(409);
    expect(fake.submissions).toMatchObject([
      { idempotency: { id: expect.stringMatching(/^[0-9a-f]{64}$/) as string } },
      { command: { type: 'member.add' } },
    ]);
    expect(fake.submissions[1]).not.toHaveProperty('idempotency');
  });
});

describe('PUT /rooms/{id}/members', () => {
  const put = (members: readonly object[]) =>
    call('put', `/rooms/${dispatch}/members`).send({ members });

  it('counts added, updated and removed members, not unchanged ones', async () => {
    const [one, two, three, four] = (await addUsers(4)) as [UserId, UserId, UserId, UserId];
    await addMember(one, true);
    await addMember(two);
    await addMember(three);
    const { body } = await put([
      { user_id: one },
      { user_id: two, tx_permission: true },
      { user_id: four },
    ]).expect(200);
    expect(body).toEqual({
      room_id: dispatch,
      members_added: 1,
      members_updated: 1,
      members_removed: 1,
    });
    const { body: list } = await call('get', `/rooms/${dispatch}/members`);
    const { members } = list as { members: { user_id: string; tx_permission: boolean }[] };
    expect(members.map(({ user_id, tx_permission }) => [user_id, tx_permission])).toEqual([
      [one, true],
      [two, true],
      [four, false],
    ]);
  });

  it('accepts ids in upper case', async () => {
    const user_id = await addMember(await addUser());
    const upper = user_id.toUpperCase();
    const { body } = await put([{ user_id: upper, tx_permission: true }]).expect(200);
    expect(body).toMatchObject({ members_added: 0, members_updated: 1, members_removed: 0 });
    const { status } = await put([{ user_id: upper }, { user_id }]);
    expect(status).toBe(400);
  });

  it('requires the version of the room in If-Match', async () => {
    const sent = call('put', `/rooms/${dispatch}/members`).set('If-Match', 'W/"9"');
    expect((await sent.send({ members: [] })).status).toBe(412);
  });

  it('accepts 100,000 members', async () => {
    const members = Array.from({ length: 100_000 }, (_, at) => ({
      user_id: idOf(at + 1),
      tx_permission: false,
    }));
    // None of them exists: the details show that all were read.
    const { status, body } = await put(members);
    expect([status, (body as { details: unknown[] }).details.length]).toEqual([400, 100_000]);
  });

  it('submits the length of the body', async () => {
    await put([]).expect(200);
    expect(fake.submissions[0]!.bytes).toBe('{"members":[]}'.length);
  });

  it.each([
    [{}, 'members', 'is required'],
    [{ members: [{}] }, 'members[0].user_id', 'is required'],
    [{ members: [{ user_id: 7 }] }, 'members[0].user_id', 'must be a string'],
    [
      { members: [{ user_id: 'x', tx_permission: 1 }] },
      'members[0].tx_permission',
      'must be true or false',
    ],
    [{ members: [{ user_id: 'x', x: 1 }] }, 'members[0].x', 'is not a known field'],
  ])('refuses %j', async (sent, path, message) => {
    const { status, body } = await call('put', `/rooms/${dispatch}/members`).send(sent);
    expect([status, body]).toMatchObject([400, { details: [{ path, message }] }]);
  });
});

describe('PATCH and DELETE /rooms/{id}/members/{userId}', () => {
  it('change and remove a member', async () => {
    const userId = await addMember(await addUser());
    const path = `/rooms/${dispatch}/members/${userId}`;
    const { body } = await call('patch', path).send({ tx_permission: true }).expect(200);
    expect(body).toEqual({ user_id: userId, room_id: dispatch, tx_permission: true });
    await call('delete', path).expect(204);
    expect(await countMembers()).toBe(0);
  });

  it.each([
    ['a user who is not in the room', addUser],
    ['a malformed id', () => 'nonsense'],
  ])('return 404 for %s', async (_what, userIdOf) => {
    const userId = await userIdOf();
    const path = `/rooms/${dispatch}/members/${userId}`;
    for (const answer of [
      await call('patch', path).send({ tx_permission: true }),
      await call('delete', path),
    ])
      expect([answer.status, answer.body]).toMatchObject([404, { error: 'MEMBER_NOT_FOUND' }]);
  });
});
