import { describe, it } from 'vitest';
import type { GroupId, JobId, RoomId, UserId } from '../../src/domain/kernel/ids.js';
import {
  aGroup,
  aMapping,
  aMember,
  aRoom,
  aTenant,
  aUser,
  GROUP_ID,
  idOf,
  ROOM_ID,
} from '../support/builders.js';
import { given } from '../support/given.js';

const roomId = ROOM_ID;
const NEW_GROUP = idOf<GroupId>(0xb0ff);
const OTHER_ROOM = idOf<RoomId>(0xa002);
const user = (number: number): UserId => idOf<UserId>(number);
const withMapping = aTenant({ roomCount: 1, groupCount: 1, roleMappingCount: 1 });

describe('room.create and room.rename', () => {
  it('require a unique name, case-insensitively', () => {
    given({})
      .when({ type: 'room.create', roomId, name: 'Dispatch' })
      .thenResult({ room: { name: 'Dispatch', memberCount: 0 }, group: null, role: null })
      .thenAfter('rooms', { name: 'Dispatch' })
      .thenEvents()
      .thenTenant({ roomCount: 1 });
    given({ rooms: [aRoom({ id: OTHER_ROOM })] })
      .when({ type: 'room.create', roomId, name: 'DISPATCH' })
      .thenRefused('NAME_TAKEN');
    given({ rooms: [aRoom({ id: OTHER_ROOM })] })
      .when({ type: 'room.create', roomId, name: ' dispatch' })
      .thenRefused('NAME_TAKEN');
    given({ rooms: [aRoom(), aRoom({ id: OTHER_ROOM, name: 'Night' })] })
      .when({ type: 'room.rename', roomId, name: 'night' })
      .thenRefused('NAME_TAKEN');
  });

  it('accept other letter case and keep the display name of the mapping', () => {
    given({ rooms: [aRoom()], groups: [aGroup()] })
      .when({ type: 'room.rename', roomId, name: 'DISPATCH' })
      .thenEvents()
      .thenResult({ room: { name: 'DISPATCH', version: 2 }, group: { displayName: 'Dispatch' } })
      .thenAfter('rooms', { name: 'DISPATCH', version: 2 });
  });

  it('change nothing if the name is the same', () => {
    given({ rooms: [aRoom()] })
      .when({ type: 'room.rename', roomId, name: 'Dispatch' })
      .thenNothingHappens();
  });

  it('are refused for an unknown room and for another version', () => {
    given({}).when({ type: 'room.rename', roomId, name: 'x' }).thenRefused('ROOM_NOT_FOUND');
    given({ rooms: [aRoom()] })
      .when({ type: 'room.rename', roomId, name: 'x', ifMatch: [2] })
      .thenRefused('PRECONDITION_FAILED');
  });
});

describe('room.delete', () => {
  it('removes the members, then the group', () => {
    given({
      tenant: withMapping,
      rooms: [aRoom({ memberCount: 1 })],
      groups: [aGroup({ memberCount: 1 })],
      memberships: [aMember(1)],
      roleMappings: [aMapping()],
      users: [{ ...aUser(1), role: 'dispatcher' }],
    })
      .when({ type: 'room.delete', roomId })
      .thenEvents('room.member_removed', 'user.updated', 'group.deleted')
      .thenAfter('rooms', null)
      .thenAfter('groups', null)
      .thenAfter('memberships', null)
      .thenTenant({ roomCount: 0, groupCount: 0 });
  });

  it('emits only member events without a group', () => {
    given({ rooms: [aRoom({ memberCount: 1 })], memberships: [aMember(1)], users: [aUser(1)] })
      .when({ type: 'room.delete', roomId })
      .thenEvents('room.member_removed');
  });

  it('is postponed while a job changes its members', () => {
    given({ rooms: [aRoom({ pendingJob: idOf<JobId>(7) })] })
      .when({ type: 'room.delete', roomId })
      .thenPostponed();
  });
});

describe('room.map', () => {
  const map = { type: 'room.map', roomId, groupId: NEW_GROUP } as const;

  it("creates a mapping with the room's name and members", () => {
    given({ rooms: [aRoom({ memberCount: 2 })] })
      .when({ ...map, externalId: 'x' })
      .thenEvents('group.created')
      .thenResult({
        room: { version: 2 },
        group: { id: NEW_GROUP, displayName: 'Dispatch', externalId: 'x', memberCount: 2 },
      })
      .thenTenant({ groupCount: 1 });
  });

  it('gives the members the mapped role', () => {
    given({
      tenant: withMapping,
      rooms: [aRoom({ memberCount: 1 })],
      memberships: [aMember(1)],
      roleMappings: [aMapping()],
      users: [aUser(1)],
    })
      .when(map)
      .thenEvents('group.created', 'user.updated')
      .thenResult({ role: 'dispatcher' });
  });

  it('is refused if it only clears the external id of a room without mapping', () => {
    given({ rooms: [aRoom()] })
      .when({ ...map, externalId: null })
      .thenRefused('GROUP_NOT_FOUND');
  });

  it('changes an existing mapping and keeps its id', () => {
    given({ rooms: [aRoom()], groups: [aGroup({ externalId: 'x' })] })
      .when({ ...map, displayName: 'Night' })
      .thenEvents('group.updated')
      .thenResult({ group: { id: GROUP_ID, displayName: 'Night', externalId: 'x', version: 2 } });
    given({ rooms: [aRoom()], groups: [aGroup({ externalId: 'x' })] })
      .when({ ...map, externalId: 'x' })
      .thenNothingHappens();
    given({ rooms: [aRoom()], groups: [aGroup({ externalId: 'x' })] })
      .when({ ...map, externalId: null })
      .thenResult({ group: { id: GROUP_ID, externalId: null } });
  });

  it("is refused for another group's name, given or by default", () => {
    const other = aGroup({ roomId: null, displayName: 'DISPATCH' });
    given({ rooms: [aRoom()], groups: [other] })
      .when(map)
      .thenRefused('GROUP_EXISTS');
    given({ rooms: [aRoom({ name: 'x' })], groups: [other] })
      .when({ ...map, displayName: 'dispatch' })
      .thenRefused('GROUP_EXISTS');
  });

  it('is postponed during a job if it creates a mapping, but not if it changes one', () => {
    const busy = aRoom({ pendingJob: idOf<JobId>(7), memberCount: 1 });
    given({ rooms: [busy] })
      .when(map)
      .thenPostponed();
    given({ rooms: [busy], groups: [aGroup()] })
      .when({ ...map, displayName: 'Night' })
      .thenResult({ group: { displayName: 'Night' } });
  });
});

describe('room.unmap', () => {
  const unmap = { type: 'room.unmap', roomId } as const;

  it('deletes the mapping and its role; the room and its members stay', () => {
    given({
      tenant: withMapping,
      rooms: [aRoom({ memberCount: 1 })],
      groups: [aGroup({ memberCount: 1 })],
      memberships: [aMember(1)],
      roleMappings: [aMapping()],
      users: [{ ...aUser(1), role: 'dispatcher' }],
    })
      .when(unmap)
      .thenEvents('group.deleted', 'user.updated')
      .thenAfter('rooms', { memberCount: 1, version: 2 })
      .thenAfter('memberships')
      .thenTenant({ groupCount: 0, roomCount: 1 });
  });

  it('is refused without a mapping', () => {
    given({ rooms: [aRoom()] })
      .when(unmap)
      .thenRefused('GROUP_NOT_FOUND');
    given({}).when(unmap).thenRefused('ROOM_NOT_FOUND');
  });
});

describe('a member of a room', () => {
  const add = { type: 'member.add', roomId, userId: user(1), txPermission: true } as const;
  const room = aRoom({ memberCount: 1 });
  const world = { rooms: [room], memberships: [aMember(1)], users: [aUser(1), aUser(2)] };

  it('is added with tx_permission, and counted by room and group', () => {
    given({ rooms: [aRoom()], groups: [aGroup()], users: [aUser(1)] })
      .when(add)
      .thenEvents('room.member_added')
      .thenResult({ userId: user(1), txPermission: true })
      .thenAfter('rooms', { memberCount: 1, version: 2 })
      .thenAfter('groups', { memberCount: 1, version: 2 });
  });

  it('cannot be added twice, and user and room must exist', () => {
    given(world).when(add).thenRefused('MEMBER_EXISTS');
    given({ rooms: [aRoom()] })
      .when(add)
      .thenRefused('USER_NOT_FOUND');
    given({ users: [aUser(1)] })
      .when(add)
      .thenRefused('ROOM_NOT_FOUND');
  });

  it('gets a new transmit permission, with an event', () => {
    given(world)
      .when({ ...add, type: 'member.update' })
      .thenEvents('room.member_updated')
      .thenResult({ txPermission: true })
      .thenAfter('rooms', { memberCount: 1, version: 2 });
    given(world)
      .when({ ...add, type: 'member.update', txPermission: false })
      .thenNothingHappens();
    given(world)
      .when({ ...add, type: 'member.update', userId: user(2) })
      .thenRefused('MEMBER_NOT_FOUND');
  });

  it('can be removed once', () => {
    given(world)
      .when({ type: 'member.remove', roomId, userId: user(1) })
      .thenEvents('room.member_removed')
      .thenAfter('rooms', { memberCount: 0, version: 2 });
    given(world)
      .when({ type: 'member.remove', roomId, userId: user(2) })
      .thenRefused('MEMBER_NOT_FOUND');
  });

  it('cannot be changed during a job: the command is postponed', () => {
    const rooms = [aRoom({ pendingJob: idOf<JobId>(7) })];
    given({ ...world, rooms })
      .when(add)
      .thenPostponed();
    given({ ...world, rooms })
      .when({ type: 'member.sync', roomId, members: [] })
      .thenPostponed();
  });
});

describe('member.sync', () => {
  const world = {
    rooms: [aRoom({ memberCount: 3 })],
    memberships: [aMember(1, { txPermission: true }), aMember(2), aMember(3)],
    users: [aUser(1), aUser(2), aUser(3), aUser(4), aUser(5)],
  };
  const sync = (...members: readonly (readonly [number, boolean?])[]) =>
    ({
      type: 'member.sync',
      roomId,
      members: members.map(([number, txPermission]) => ({
        userId: user(number),
        ...(txPermission === undefined ? {} : { txPermission }),
      })),
    }) as const;

  it('counts added, updated and removed members, but not unchanged ones', () => {
    given(world)
      .when(sync([1], [2, true], [4], [5, true]))
      .thenResult({ added: 2, updated: 1, removed: 1 })
      .thenEvents(
        'room.member_updated',
        'room.member_added',
        'room.member_added',
        'room.member_removed',
      )
      .thenAfter(
        'memberships',
        { userId: user(2), txPermission: true },
        { userId: user(4), txPermission: false },
        { userId: user(5), txPermission: true },
        null,
      )
      .thenAfter('rooms', { memberCount: 4, version: 2 });
  });

  it('changes nothing if the list already matches', () => {
    given(world)
      .when(sync([3], [1], [2, false]))
      .thenResult({ added: 0, updated: 0, removed: 0 })
      .thenNothingHappens();
  });

  it('is refused as a whole and names every duplicate or unknown entry', () => {
    given(world)
      .when(sync([1], [9], [1], [8]))
      .thenRefusalSays({
        refusal: {
          code: 'INVALID_REQUEST',
          details: [
            { path: 'members[1].user_id', message: `no user has the id ${user(9)}` },
            { path: 'members[2].user_id', message: 'is given twice' },
            { path: 'members[3].user_id', message: `no user has the id ${user(8)}` },
          ],
        },
      });
  });

  it('is refused for an unknown room and for another version', () => {
    given({}).when(sync()).thenRefused('ROOM_NOT_FOUND');
    given(world)
      .when({ ...sync(), ifMatch: [5] })
      .thenRefused('PRECONDITION_FAILED');
  });
});

describe('user.delete', () => {
  it('removes the user from every room and group before the deletion', () => {
    const crew = aGroup({ id: idOf(0xb002), roomId: null, displayName: 'Crew', memberCount: 1 });
    given({
      tenant: aTenant({ seatsProvisioned: 1, userCount: 1 }),
      rooms: [aRoom({ memberCount: 1 }), aRoom({ id: OTHER_ROOM, name: 'Night', memberCount: 2 })],
      groups: [aGroup({ memberCount: 1 }), crew],
      memberships: [
        aMember(1),
        aMember(1, { rosterId: OTHER_ROOM }),
        aMember(1, { rosterId: crew.id }),
        aMember(2, { rosterId: OTHER_ROOM }),
      ],
      users: [{ ...aUser(1), role: 'dispatcher' }, aUser(2)],
    })
      .when({ type: 'user.delete', userId: user(1) })
      .thenEvents(
        'room.member_removed',
        'room.member_removed',
        'group.member_removed',
        'user.deactivated',
        'user.deleted',
      )
      .thenAfter('rooms', { memberCount: 0 }, { memberCount: 1 })
      .thenAfter('groups', { memberCount: 0 }, { memberCount: 0 })
      .thenAfter('memberships', null, null, null)
      .thenTenant({ seatsProvisioned: 0, userCount: 0 });
  });

  it('is postponed while a job changes one of the memberships', () => {
    given({
      rooms: [aRoom({ pendingJob: idOf<JobId>(7) })],
      memberships: [aMember(1)],
      users: [aUser(1)],
    })
      .when({ type: 'user.delete', userId: user(1) })
      .thenPostponed();
  });
});
