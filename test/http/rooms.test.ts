import { beforeEach, describe, expect, it } from 'vitest';
import type { GroupId, RoleMappingId, RoomId, UserId } from '../../src/domain/kernel/ids.js';
import { membershipIdOf } from '../../src/domain/room/room.js';
import { requestTo } from '../support/ask.js';
import { aUser, idOf, NOW } from '../support/builders.js';
import { type FakeApp, createFakeApp } from '../support/fake-app.js';

const DISPATCH = idOf<RoomId>(0xa1);
const NIGHT = idOf<RoomId>(0xa2);
const UNKNOWN_ID = idOf(0xdead);

let fake: FakeApp;
beforeEach(() => {
  fake = createFakeApp();
  addRoom(DISPATCH, 'Dispatch');
  addRoom(NIGHT, 'Night shift');
});

const addRoom = (id: RoomId, name: string) =>
  fake.backend.rooms.push({
    id,
    tenantId: fake.tenant.id,
    name,
    memberCount: 0,
    version: 1,
    pendingJob: null,
    createdAt: NOW,
    updatedAt: NOW,
  });

const addUser = (number: number): UserId => {
  const user = { ...aUser(number), tenantId: fake.tenant.id };
  fake.backend.users.push(user);
  return user.id;
};

const addMember = (userId: UserId, txPermission = false, rosterId = DISPATCH) =>
  fake.backend.memberships.push({
    id: membershipIdOf(rosterId, userId),
    tenantId: fake.tenant.id,
    rosterId,
    userId,
    txPermission,
    addedAt: NOW,
  });

const call = (method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string) =>
  requestTo(fake.app)[method](`/v1/acme${path}`).set('Authorization', `Bearer ${fake.key}`);

const DISPATCH_BODY = {
  id: DISPATCH,
  name: 'Dispatch',
  display_name: null,
  external_id: null,
  member_count: 0,
  created_at: NOW.toISOString(),
  role: null,
  group_id: null,
};

describe('GET /rooms', () => {
  it('returns all rooms without limit', async () => {
    const { body, headers } = await call('get', '/rooms').expect(200);
    expect(body).toEqual({
      rooms: [DISPATCH_BODY, { ...DISPATCH_BODY, id: NIGHT, name: 'Night shift' }],
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
    await call('patch', `/rooms/${DISPATCH}`).send({ external_id: 'x' }).expect(200);
    const { body } = await call('get', `/rooms${query}`).expect(200);
    const { rooms, ...rest } = body as { rooms: { name: string }[] };
    expect(rooms.map(({ name }) => name)).toEqual(names);
    expect(rest).toEqual({ total, limit, offset });
  });

  it('returns no room of another tenant, like the other room routes', async () => {
    const other = fake.backend.addTenant({ slug: 'globex' });
    const strange = { ...fake.backend.rooms[0]!, id: idOf<RoomId>(0xb1), tenantId: other.id };
    fake.backend.rooms.push(strange);
    const userId = addUser(1);
    addMember(userId, false, strange.id);
    expect((await call('get', '/rooms')).body).toMatchObject({ total: 2 });
    const path = `/rooms/${strange.id}`;
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
    expect(fake.backend.memberships).toHaveLength(1);
  });
});

describe('GET /rooms/{id}', () => {
  it('returns the mapping and its role', async () => {
    fake.backend.groups.push({
      id: idOf<GroupId>(0xc1),
      tenantId: fake.tenant.id,
      displayName: 'Dispatchers',
      externalId: 'okta-1',
      roomId: DISPATCH,
      memberCount: 0,
      version: 3,
      pendingJob: null,
      createdAt: NOW,
      updatedAt: NOW,
    });
    fake.backend.roleMappings.push({
      id: idOf<RoleMappingId>(0xd1),
      tenantId: fake.tenant.id,
      groupDisplayName: 'DISPATCHERS',
      role: 'dispatcher',
      applyOnScimProvisioning: true,
      priority: 100,
      version: 1,
      createdAt: NOW,
    });
    const { body, headers } = await call('get', `/rooms/${DISPATCH}`).expect(200);
    expect(body).toEqual({
      ...DISPATCH_BODY,
      display_name: 'Dispatchers',
      external_id: 'okta-1',
      role: 'dispatcher',
      group_id: idOf(0xc1),
    });
    expect(headers['etag']).toBe('W/"1"');
  });

  it('returns 304 if the client has this version', async () => {
    const answer = await call('get', `/rooms/${DISPATCH}`).set('If-None-Match', 'W/"1"');
    expect([answer.status, answer.text]).toEqual([304, '']);
  });
});

describe('PATCH /rooms/{id}', () => {
  it('creates a mapping with the name of the room', async () => {
    const { body, headers } = await call('patch', `/rooms/${DISPATCH}`)
      .send({ external_id: 'okta-1' })
      .expect(200);
    expect(body).toMatchObject({
      name: 'Dispatch',
      display_name: 'Dispatch',
      external_id: 'okta-1',
    });
    expect((body as { group_id: string }).group_id).toBe(fake.backend.groups[0]!.id);
    expect(headers['etag']).toBe('W/"2"');
  });

  it('changes the mapping and not the name of the room', async () => {
    await call('patch', `/rooms/${DISPATCH}`).send({ display_name: 'Day', external_id: 'x' });
    const { body } = await call('patch', `/rooms/${DISPATCH}`).send({ external_id: null });
    expect(body).toMatchObject({ name: 'Dispatch', display_name: 'Day', external_id: null });
  });

  it('refuses the display name of another group', async () => {
    await call('patch', `/rooms/${NIGHT}`).send({ display_name: 'Day' }).expect(200);
    const { status, body } = await call('patch', `/rooms/${DISPATCH}`).send({
      display_name: 'DAY',
    });
    expect([status, body]).toMatchObject([409, { error: 'GROUP_EXISTS' }]);
  });

  it('refuses a version that is no longer current', async () => {
    const sent = call('patch', `/rooms/${DISPATCH}`).set('If-Match', 'W/"7"');
    expect((await sent.send({ display_name: 'Day' })).status).toBe(412);
  });

  it.each([
    [{}, '', 'must contain display_name, external_id or both'],
    [{ display_name: null }, 'display_name', 'must be a string'],
    [{ display_name: '' }, 'display_name', 'must not be empty'],
    [{ display_name: 'x', name: 'x' }, 'name', 'is not a known field'],
    [{ external_id: 7 }, 'external_id', 'must be a string'],
  ])('refuses %j', async (sent, path, message) => {
    const { status, body } = await call('patch', `/rooms/${DISPATCH}`).send(sent);
    expect([status, body]).toMatchObject([400, { details: [{ path, message }] }]);
  });
});

describe('DELETE /rooms/{id}', () => {
  it('removes the mapping and keeps the room and its members', async () => {
    addMember(addUser(1));
    await call('patch', `/rooms/${DISPATCH}`).send({ display_name: 'Day' }).expect(200);
    await call('delete', `/rooms/${DISPATCH}`).expect(204);
    expect((await call('get', `/rooms/${DISPATCH}`)).body).toMatchObject({ group_id: null });
    expect(fake.backend.memberships).toHaveLength(1);
    const again = await call('delete', `/rooms/${DISPATCH}`);
    expect([again.status, again.body]).toMatchObject([404, { error: 'GROUP_NOT_FOUND' }]);
  });
});

describe('GET /rooms/{id}/members', () => {
  it('returns each member with the transmit permission and the user', async () => {
    addMember(addUser(1), true);
    const { body } = await call('get', `/rooms/${DISPATCH}/members`).expect(200);
    expect(body).toEqual({
      members: [
        {
          user_id: idOf(1),
          tx_permission: true,
          email: 'user1@example.com',
          display_name: 'Ada Lovelace',
          active: true,
          added_at: NOW.toISOString(),
        },
      ],
      total: 1,
      limit: 1,
      offset: 0,
    });
  });

  it('returns a page if limit is given', async () => {
    for (const number of [1, 2, 3]) addMember(addUser(number));
    const { body } = await call('get', `/rooms/${DISPATCH}/members?limit=2&offset=2`);
    expect(body).toMatchObject({ members: [{ user_id: idOf(3) }], total: 3, limit: 2, offset: 2 });
  });
});

describe('POST /rooms/{id}/members', () => {
  it('returns 201 with the member, by default without transmit permission', async () => {
    const [one, other] = [addUser(1), addUser(2)];
    const path = `/rooms/${DISPATCH}/members`;
    const { body } = await call('post', path).send({ user_id: one }).expect(201);
    expect(body).toEqual({ user_id: one, room_id: DISPATCH, tx_permission: false });
    const may = await call('post', path).send({ user_id: other, tx_permission: true });
    expect(may.body).toMatchObject({ tx_permission: true });
  });

  it('refuses an existing member, an unknown user and a malformed id', async () => {
    const path = `/rooms/${DISPATCH}/members`;
    addMember(addUser(1));
    const again = await call('post', path).send({ user_id: idOf(1) });
    expect([again.status, again.body]).toMatchObject([409, { error: 'MEMBER_EXISTS' }]);
    for (const user_id of [UNKNOWN_ID, 'nonsense']) {
      const { status, body } = await call('post', path).send({ user_id });
      expect([status, body]).toMatchObject([404, { error: 'USER_NOT_FOUND' }]);
    }
  });

  it('passes the Idempotency-Key on with the command', async () => {
    addUser(1);
    const add = () => call('post', `/rooms/${DISPATCH}/members`);
    await add()
      .set('Idempotency-Key', 'key-1')
      .send({ user_id: idOf(1) })
      .expect(201);
    await add()
      .send({ user_id: idOf(1) })
      .expect(409);
    expect(fake.backend.submissions).toMatchObject([
      { idempotency: { id: expect.stringMatching(/^[0-9a-f]{64}$/) as string } },
      { command: { type: 'member.add' } },
    ]);
    expect(fake.backend.submissions[1]).not.toHaveProperty('idempotency');
  });
});

describe('PUT /rooms/{id}/members', () => {
  const put = (members: readonly object[]) =>
    call('put', `/rooms/${DISPATCH}/members`).send({ members });

  it('counts added, updated and removed members, not unchanged ones', async () => {
    for (const number of [1, 2, 3, 4]) addUser(number);
    addMember(idOf(1), true);
    addMember(idOf(2), false);
    addMember(idOf(3), false);
    const { body } = await put([
      { user_id: idOf(1) },
      { user_id: idOf(2), tx_permission: true },
      { user_id: idOf(4) },
    ]).expect(200);
    expect(body).toEqual({
      room_id: DISPATCH,
      members_added: 1,
      members_updated: 1,
      members_removed: 1,
    });
    const { body: list } = await call('get', `/rooms/${DISPATCH}/members`);
    const { members } = list as { members: { user_id: string; tx_permission: boolean }[] };
    expect(members.map(({ user_id, tx_permission }) => [user_id, tx_permission])).toEqual([
      [idOf(1), true],
      [idOf(2), true],
      [idOf(4), false],
    ]);
  });

  it('lists all invalid entries, and changes nothing', async () => {
    addMember(addUser(1));
    const { status, body } = await put([
      { user_id: idOf(1) },
      { user_id: UNKNOWN_ID },
      { user_id: idOf(1), tx_permission: true },
      { user_id: 'nonsense' },
      { user_id: idOf(1) },
      { user_id: 'nonsense' },
    ]);
    expect(status).toBe(400);
    expect((body as { details: unknown }).details).toEqual([
      { path: 'members[1].user_id', message: `no user has the id ${UNKNOWN_ID}` },
      { path: 'members[2].user_id', message: 'is given twice' },
      { path: 'members[3].user_id', message: 'no user has the id nonsense' },
      { path: 'members[4].user_id', message: 'is given twice' },
      { path: 'members[5].user_id', message: 'is given twice' },
    ]);
    expect(fake.backend.memberships).toHaveLength(1);
  });

  it('accepts ids in upper case', async () => {
    addMember(addUser(0xab));
    const upper = idOf(0xab).toUpperCase();
    const { body } = await put([{ user_id: upper, tx_permission: true }]).expect(200);
    expect(body).toMatchObject({ members_added: 0, members_updated: 1, members_removed: 0 });
    const { status } = await put([{ user_id: upper }, { user_id: idOf(0xab) }]);
    expect(status).toBe(400);
  });

  it('requires the version of the room in If-Match', async () => {
    const sent = call('put', `/rooms/${DISPATCH}/members`).set('If-Match', 'W/"9"');
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
    expect(fake.backend.submissions[0]!.bytes).toBe('{"members":[]}'.length);
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
    const { status, body } = await call('put', `/rooms/${DISPATCH}/members`).send(sent);
    expect([status, body]).toMatchObject([400, { details: [{ path, message }] }]);
  });
});

describe('PATCH and DELETE /rooms/{id}/members/{userId}', () => {
  it('change and remove a member', async () => {
    const path = `/rooms/${DISPATCH}/members/${addUser(1)}`;
    addMember(idOf(1));
    const { body } = await call('patch', path).send({ tx_permission: true }).expect(200);
    expect(body).toEqual({ user_id: idOf(1), room_id: DISPATCH, tx_permission: true });
    await call('delete', path).expect(204);
    expect(fake.backend.memberships).toEqual([]);
  });

  it.each([
    ['a user who is not in the room', idOf(2)],
    ['a malformed id', 'nonsense'],
  ])('return 404 for %s', async (_what, userId) => {
    addUser(2);
    const path = `/rooms/${DISPATCH}/members/${userId}`;
    for (const answer of [
      await call('patch', path).send({ tx_permission: true }),
      await call('delete', path),
    ])
      expect([answer.status, answer.body]).toMatchObject([404, { error: 'MEMBER_NOT_FOUND' }]);
  });
});
