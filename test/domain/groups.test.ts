import { describe, expect, it } from 'vitest';
import type { CommandOf } from '../../src/domain/commands.js';
import type { GroupId, JobId, RoleMappingId, RoomId, UserId } from '../../src/domain/ids.js';
import {
  aGroup,
  aMapping,
  aMember,
  aRoom,
  aTenant,
  aUser,
  GROUP_ID,
  idOf,
  MAPPING_ID,
  ROOM_ID,
} from '../support/builders.js';
import { given } from '../support/given.js';

const NEW_GROUP = idOf<GroupId>(0xb0ff);
const NEW_ROOM = idOf<RoomId>(0xa0ff);
const user = (number: number): UserId => idOf<UserId>(number);
const withRoom = aTenant({ roomCount: 1 });
const withMapping = aTenant({ roomCount: 1, roleMappingCount: 1, groupCount: 1 });
const AUTOMATIC = aTenant({ roomProvisioning: 'automatic' });
const ROLE_ONLY = aGroup({ roomId: null });

const create = (more: Partial<CommandOf<'group.create'>> = {}): CommandOf<'group.create'> => ({
  type: 'group.create',
  groupId: NEW_GROUP,
  roomId: NEW_ROOM,
  displayName: 'Dispatch',
  externalId: null,
  members: [],
  ...more,
});

const change = (more: Partial<CommandOf<'group.change'>> = {}): CommandOf<'group.change'> => ({
  type: 'group.change',
  groupId: GROUP_ID,
  steps: [],
  ...more,
});

describe('group.create', () => {
  it('takes the room of its name, without regard to case, and leaves the name of the room alone', () => {
    given({ tenant: withRoom, rooms: [aRoom()] })
      .when(create({ displayName: 'dispatch', externalId: 'x-1' }))
      .thenResult({ id: NEW_GROUP, roomId: ROOM_ID, displayName: 'dispatch' })
      .thenAfter('rooms', { name: 'Dispatch', version: 2 })
      .thenData('group.created', {
        group: {
          id: NEW_GROUP,
          display_name: 'dispatch',
          external_id: 'x-1',
          room_id: ROOM_ID,
          role: null,
        },
      })
      .thenTenant({ groupCount: 1 });
  });

  it('is refused without a room and without a role mapping', () => {
    given({}).when(create()).thenRefused('ROOM_NOT_FOUND');
  });

  it('is refused if the room of its name already has a group, which is named with its id', () => {
    const then = given({ rooms: [aRoom()], groups: [aGroup({ displayName: 'Other' })] })
      .when(create())
      .thenRefused('GROUP_EXISTS');
    then.thenRefusalSays({
      refusal: {
        details: [
          {
            path: 'displayName',
            message: `is taken by the group "Other" with the id ${GROUP_ID}`,
          },
        ],
      },
    });
  });

  it('exists without a room if a role mapping applies to its name', () => {
    given({ tenant: withMapping, roleMappings: [aMapping()] })
      .when(create())
      .thenResult({ roomId: null })
      .thenEvents('group.created');
  });

  it('takes a role mapping that does not apply for none', () => {
    const off = [aMapping({ applyOnScimProvisioning: false })];
    given({ tenant: withMapping, roleMappings: off }).when(create()).thenRefused('ROOM_NOT_FOUND');
    given({ tenant: { ...AUTOMATIC, roleMappingCount: 1 }, roleMappings: off })
      .when(create())
      .thenResult({ roomId: NEW_ROOM });
  });

  it('is refused if the room of its name already has a group, whatever role mapping exists', () => {
    given({
      tenant: withMapping,
      rooms: [aRoom()],
      groups: [aGroup({ displayName: 'Other' })],
      roleMappings: [aMapping()],
    })
      .when(create())
      .thenRefused('GROUP_EXISTS');
  });

  it('takes the room and applies the role where both are there', () => {
    given({
      tenant: withMapping,
      rooms: [aRoom()],
      roleMappings: [aMapping()],
      users: [aUser(1)],
    })
      .when(create({ members: [user(1)] }))
      .thenResult({ roomId: ROOM_ID, memberCount: 1 })
      .thenEvents('group.created', 'room.member_added', 'user.updated')
      .thenAfter('users', { role: 'dispatcher' });
  });

  it('counts who is in the room already as a member, and gives him the role', () => {
    given({
      tenant: withMapping,
      rooms: [aRoom({ memberCount: 1 })],
      memberships: [aMember(1, { txPermission: true })],
      roleMappings: [aMapping()],
      users: [aUser(1), aUser(2)],
    })
      .when(create({ members: [user(1), user(2)] }))
      .thenResult({ memberCount: 2 })
      .thenEvents('group.created', 'user.updated', 'room.member_added', 'user.updated')
      .thenAfter('memberships', { userId: user(2), txPermission: false });
  });

  it('makes the missing room where the tenant provisions rooms automatically', () => {
    given({ tenant: AUTOMATIC })
      .when(create())
      .thenResult({ roomId: NEW_ROOM })
      .thenAfter('rooms', { id: NEW_ROOM, name: 'Dispatch' })
      .thenEvents('group.created')
      .thenAfter('groups', { roomId: NEW_ROOM });
  });

  it('makes no second room of a name that is taken', () => {
    given({ tenant: AUTOMATIC, rooms: [aRoom()], groups: [aGroup({ displayName: 'Other' })] })
      .when(create())
      .thenRefused('GROUP_EXISTS');
  });

  it('makes no room where a role mapping lets it stand by itself', () => {
    given({
      tenant: aTenant({ roomProvisioning: 'automatic', roleMappingCount: 1 }),
      roleMappings: [aMapping()],
    })
      .when(create())
      .thenResult({ roomId: null });
  });

  it('is refused for a name that another group has in other letters', () => {
    given({ rooms: [aRoom()], groups: [aGroup({ displayName: 'DISPATCH' })] })
      .when(create())
      .thenRefused('GROUP_EXISTS');
  });

  it('is refused with every unknown member named, and nothing of it is done', () => {
    given({ rooms: [aRoom()], users: [aUser(1)] })
      .when(create({ members: [user(1), user(8), user(9)] }))
      .thenRefusalSays({
        refusal: {
          code: 'INVALID_REQUEST',
          scimType: 'invalidValue',
          details: [
            { path: 'members', message: `no user has the id ${user(8)}` },
            { path: 'members', message: `no user has the id ${user(9)}` },
          ],
        },
      });
  });

  it('counts a member who is given twice once', () => {
    given({ rooms: [aRoom()], users: [aUser(1)] })
      .when(create({ members: [user(1), user(1)] }))
      .thenResult({ memberCount: 1 })
      .thenEvents('group.created', 'room.member_added');
  });

  it('waits while a job still changes the members of its room', () => {
    given({ rooms: [aRoom({ pendingJob: idOf<JobId>(7) })] })
      .when(create())
      .thenPostponed();
  });
});

describe('group.change of members', () => {
  const room = aRoom({ memberCount: 2 });
  const group = aGroup({ memberCount: 2 });
  const world = {
    tenant: withRoom,
    rooms: [room],
    groups: [group],
    memberships: [aMember(1, { txPermission: true }), aMember(2)],
    users: [aUser(1), aUser(2), aUser(3)],
  };
  const ids = (...numbers: readonly number[]) => numbers.map(user);

  it('adds with tx_permission false, and never touches who stays', () => {
    given(world)
      .when(change({ steps: [{ op: 'add', userIds: ids(1, 3) }] }))
      .thenEvents('room.member_added')
      .thenData('room.member_added', {
        room: { id: ROOM_ID, name: 'Dispatch', display_name: 'Dispatch', external_id: null },
        user: {
          id: user(3),
          email: 'user3@example.com',
          display_name: 'Ada Lovelace',
          active: true,
        },
        tx_permission: false,
      })
      .thenAfter('memberships', { userId: user(3), txPermission: false })
      .thenAfter('rooms', { memberCount: 3, version: 2 })
      .thenAfter('groups', { memberCount: 3, version: 2 });
  });

  it.each([
    [
      'add, remove',
      [
        { op: 'add', userIds: ids(3) },
        { op: 'remove', userIds: ids(3) },
      ],
      [],
    ],
    [
      'remove, add',
      [
        { op: 'remove', userIds: ids(1) },
        { op: 'add', userIds: ids(1) },
      ],
      [],
    ],
    ['remove', [{ op: 'remove', userIds: ids(1, 3) }], ['removed 1']],
    ['replace', [{ op: 'replace', userIds: ids(3, 1) }], ['added 3', 'removed 2']],
    ['replace by nobody', [{ op: 'replace', userIds: [] }], ['removed 1', 'removed 2']],
    ['removeAll', [{ op: 'removeAll' }], ['removed 1', 'removed 2']],
    ['removeAll, add', [{ op: 'removeAll' }, { op: 'add', userIds: ids(1) }], ['removed 2']],
    [
      'replace, remove',
      [
        { op: 'replace', userIds: ids(1, 2, 3) },
        { op: 'remove', userIds: ids(2) },
      ],
      ['added 3', 'removed 2'],
    ],
    [
      'add, replace',
      [
        { op: 'add', userIds: ids(3) },
        { op: 'replace', userIds: ids(2) },
      ],
      ['removed 1'],
    ],
  ] as const)('takes its steps in order: %s', (_what, steps, expected) => {
    const then = given(world).when(change({ steps }));
    expect(
      then.events.map(
        ({ name, data }) =>
          `${name.replace('room.member_', '')} ${Number((data.user as { id: string }).id.slice(-4))}`,
      ),
    ).toEqual(expected);
    if (expected.length === 0) then.thenNothingHappens();
  });

  it('keeps the flag of who is taken out and back in by one request', () => {
    given(world)
      .when(
        change({
          steps: [{ op: 'removeAll' }, { op: 'add', userIds: ids(1, 2) }],
        }),
      )
      .thenNothingHappens();
  });

  it('is refused for an unknown member, even one that a later step takes back', () => {
    given(world)
      .when(
        change({
          steps: [
            { op: 'add', userIds: ids(9) },
            { op: 'remove', userIds: ids(9) },
          ],
        }),
      )
      .thenRefused('INVALID_REQUEST');
  });

  it('passes over an unknown user who is to be removed: he is no member', () => {
    given(world)
      .when(change({ steps: [{ op: 'remove', userIds: ids(9) }] }))
      .thenNothingHappens();
  });

  it('has events of its own if the group has no room', () => {
    given({
      tenant: withMapping,
      groups: [ROLE_ONLY],
      roleMappings: [aMapping()],
      users: [aUser(1)],
    })
      .when(change({ steps: [{ op: 'add', userIds: ids(1) }] }))
      .thenEvents('group.member_added', 'user.updated')
      .thenData('group.member_added', {
        group: {
          id: GROUP_ID,
          display_name: 'Dispatch',
          external_id: null,
          room_id: null,
          role: 'dispatcher',
        },
        user: {
          id: user(1),
          email: 'user1@example.com',
          display_name: 'Ada Lovelace',
          active: true,
        },
      })
      .thenAfter('memberships', { rosterId: GROUP_ID })
      .thenResult({ memberCount: 1 });
  });

  it('waits for a job on its members even where there seems nothing to do', () => {
    const busy = { ...world, rooms: [{ ...room, pendingJob: idOf<JobId>(7) }] };
    given(busy)
      .when(change({ steps: [{ op: 'add', userIds: ids(1) }] }))
      .thenPostponed();
    given(busy)
      .when(change({ externalId: 'new' }))
      .thenResult({ externalId: 'new' });
  });

  it('is refused for another version, and for a group that is not there', () => {
    given(world)
      .when(change({ ifMatch: [7] }))
      .thenRefused('PRECONDITION_FAILED');
    given({}).when(change()).thenRefused('GROUP_NOT_FOUND');
  });

  it('takes the role back from who leaves after its mapping is gone, before the job finds him', () => {
    given({ ...world, users: [{ ...aUser(1), role: 'dispatcher' }, aUser(2)] })
      .when(change({ steps: [{ op: 'remove', userIds: ids(1, 2) }] }))
      .thenEvents('room.member_removed', 'room.member_removed', 'user.updated')
      .thenAfter('users', { id: user(1), role: null });
  });
});

describe('group.change of the name', () => {
  const mapped = {
    tenant: aTenant({ roleMappingCount: 2 }),
    roleMappings: [
      aMapping(),
      aMapping({ id: idOf<RoleMappingId>(0xd002), groupDisplayName: 'Night', role: 'night' }),
    ],
  };

  it("changes the mapping's name, never the room's own, and both versions", () => {
    given({ rooms: [aRoom()], groups: [aGroup()] })
      .when(change({ displayName: 'Night', externalId: 'x' }))
      .thenEvents('group.updated')
      .thenData('group.updated', {
        group: {
          id: GROUP_ID,
          display_name: 'Night',
          external_id: 'x',
          room_id: ROOM_ID,
          role: null,
        },
        changed: ['display_name', 'external_id'],
      })
      .thenAfter('groups', { displayName: 'Night', version: 2 })
      .thenAfter('rooms', { name: 'Dispatch', version: 2 });
  });

  it('by case alone keeps the roles, and is a change', () => {
    given({ ...mapped, groups: [ROLE_ONLY], users: [aUser(1)] })
      .when(change({ displayName: 'DISPATCH' }))
      .thenEvents('group.updated')
      .thenResult({ displayName: 'DISPATCH', version: 2 });
  });

  it('lets a room-backed group take any free name, a role-only one just a mapped one', () => {
    given({ rooms: [aRoom()], groups: [aGroup()] })
      .when(change({ displayName: 'Anything' }))
      .thenResult({ displayName: 'Anything' });
    // A room of that name is no way out: the group stays without one.
    given({ ...mapped, groups: [ROLE_ONLY], rooms: [aRoom({ name: 'Anything' })] })
      .when(change({ displayName: 'Anything' }))
      .thenRefused('ROOM_NOT_FOUND', 'none applies to "Anything"');
    given({ ...mapped, groups: [ROLE_ONLY] })
      .when(change({ displayName: 'night' }))
      .thenResult({ displayName: 'night' });
    const off = aMapping({ groupDisplayName: 'Night', applyOnScimProvisioning: false });
    given({ ...mapped, roleMappings: [off], groups: [ROLE_ONLY] })
      .when(change({ displayName: 'night' }))
      .thenRefused('ROOM_NOT_FOUND');
  });

  it('lets a role-only group whose mapping is gone keep its name', () => {
    given({ groups: [ROLE_ONLY] })
      .when(change({ displayName: 'DISPATCH', externalId: 'x' }))
      .thenResult({ displayName: 'DISPATCH', externalId: 'x' });
  });

  it("is refused for another group's name", () => {
    const other = aGroup({ id: idOf(0xb002), roomId: null, displayName: 'Night' });
    given({ rooms: [aRoom()], groups: [aGroup(), other] })
      .when(change({ displayName: 'NIGHT' }))
      .thenRefused('GROUP_EXISTS');
  });

  it('brings the roles of the new name', () => {
    given({
      ...mapped,
      groups: [{ ...ROLE_ONLY, memberCount: 1 }],
      memberships: [aMember(1, { rosterId: GROUP_ID })],
      users: [{ ...aUser(1), role: 'dispatcher' }],
    })
      .when(change({ displayName: 'Night' }))
      .thenEvents('group.updated', 'user.updated')
      .thenAfter('users', { role: 'night' });
  });

  it('tells everybody of one change of his role, though members come and go with it', () => {
    given({
      ...mapped,
      groups: [{ ...ROLE_ONLY, memberCount: 2 }],
      memberships: [aMember(1, { rosterId: GROUP_ID }), aMember(2, { rosterId: GROUP_ID })],
      users: [...[1, 2].map((number) => ({ ...aUser(number), role: 'dispatcher' })), aUser(3)],
    })
      .when(
        change({
          displayName: 'Night',
          steps: [{ op: 'replace', userIds: [user(2), user(3)] }],
        }),
      )
      .thenEvents(
        'group.updated',
        'group.member_added',
        'group.member_removed',
        'user.updated',
        'user.updated',
        'user.updated',
      );
  });

  it('that changes nothing does nothing', () => {
    given({ rooms: [aRoom()], groups: [aGroup()] })
      .when(change({ displayName: 'Dispatch', externalId: null }))
      .thenNothingHappens();
  });
});

describe('group.delete', () => {
  const remove = { type: 'group.delete', groupId: GROUP_ID } as const;

  it('ends the memberships, then tells of the group; the room stays, and its version moves', () => {
    given({
      tenant: aTenant({ roomCount: 1, groupCount: 1 }),
      rooms: [aRoom({ memberCount: 2 })],
      groups: [aGroup({ memberCount: 2 })],
      memberships: [aMember(1), aMember(2)],
      users: [aUser(1), aUser(2)],
    })
      .when(remove)
      .thenEvents('room.member_removed', 'room.member_removed', 'group.deleted')
      .thenAfter('memberships', null, null)
      .thenAfter('rooms', { memberCount: 0, pendingJob: null })
      .thenAfter('groups', null)
      .thenTenant({ groupCount: 0, roomCount: 1 });
  });

  it('names the mapping in the events though it is gone', () => {
    given({
      rooms: [aRoom({ memberCount: 1 })],
      groups: [aGroup({ memberCount: 1, externalId: 'x' })],
      memberships: [aMember(1, { txPermission: true })],
      users: [aUser(1)],
    })
      .when(remove)
      .thenData('room.member_removed', {
        room: { id: ROOM_ID, name: 'Dispatch', display_name: 'Dispatch', external_id: 'x' },
        user: {
          id: user(1),
          email: 'user1@example.com',
          display_name: 'Ada Lovelace',
          active: true,
        },
        tx_permission: true,
      });
  });

  it('changes the view of its room, and so its version, where nobody is in', () => {
    given({ rooms: [aRoom()], groups: [aGroup()] })
      .when(remove)
      .thenEvents('group.deleted')
      .thenAfter('rooms', { version: 2 });
  });

  it('takes the role back between the members and the group, the same for both kinds', () => {
    const users = [{ ...aUser(1), role: 'dispatcher' }];
    const more = { tenant: withMapping, roleMappings: [aMapping({ id: MAPPING_ID })], users };
    given({
      ...more,
      rooms: [aRoom({ memberCount: 1 })],
      groups: [aGroup({ memberCount: 1 })],
      memberships: [aMember(1)],
    })
      .when(remove)
      .thenEvents('room.member_removed', 'user.updated', 'group.deleted');
    given({
      ...more,
      groups: [{ ...ROLE_ONLY, memberCount: 1 }],
      memberships: [aMember(1, { rosterId: GROUP_ID })],
    })
      .when(remove)
      .thenEvents('group.member_removed', 'user.updated', 'group.deleted')
      .thenAfter('users', { role: null });
  });

  it('waits for a job on its members', () => {
    given({ rooms: [aRoom({ pendingJob: idOf<JobId>(7) })], groups: [aGroup()] })
      .when(remove)
      .thenPostponed();
  });

  it('is refused for a group that is not there', () => {
    given({}).when(remove).thenRefused('GROUP_NOT_FOUND');
  });
});
