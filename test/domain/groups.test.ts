import { describe, expect, it } from 'vitest';
import type { CommandOf } from '../../src/domain/commands.js';
import { DEFAULT_SCIM_SETTINGS } from '../../src/domain/tenant/scim-settings.js';
import type { GroupId, JobId, RoleMappingId, RoomId, UserId } from '../../src/domain/kernel/ids.js';
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
const SKIPPING = aTenant({ scim: { ...DEFAULT_SCIM_SETTINGS, unknownMembers: 'skip' } });
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
  it('maps the room with its name, case-insensitively, without renaming the room', () => {
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

  it('is refused without a room or role mapping', () => {
    given({}).when(create()).thenRefused('ROOM_NOT_FOUND');
  });

  it('is refused if the room already has a group, and names that group', () => {
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

  it('creates a role-only group if a role mapping applies to its name', () => {
    given({ tenant: withMapping, roleMappings: [aMapping()] })
      .when(create())
      .thenResult({ roomId: null })
      .thenEvents('group.created');
  });

  it('ignores a role mapping that does not apply', () => {
    const off = [aMapping({ applyOnScimProvisioning: false })];
    given({ tenant: withMapping, roleMappings: off }).when(create()).thenRefused('ROOM_NOT_FOUND');
    given({ tenant: { ...AUTOMATIC, roleMappingCount: 1 }, roleMappings: off })
      .when(create())
      .thenResult({ roomId: NEW_ROOM });
  });

  it('is refused if the room already has a group, even with a role mapping', () => {
    given({
      tenant: withMapping,
      rooms: [aRoom()],
      groups: [aGroup({ displayName: 'Other' })],
      roleMappings: [aMapping()],
    })
      .when(create())
      .thenRefused('GROUP_EXISTS');
  });

  it('maps the room and applies the role if both exist', () => {
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

  it('includes existing members of the room and gives them the role', () => {
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

  it('creates the missing room if the tenant provisions rooms automatically', () => {
    given({ tenant: AUTOMATIC })
      .when(create())
      .thenResult({ roomId: NEW_ROOM })
      .thenAfter('rooms', { id: NEW_ROOM, name: 'Dispatch' })
      .thenTenant({ roomCount: 1 })
      .thenEvents('group.created')
      .thenAfter('groups', { roomId: NEW_ROOM });
  });

  it('creates no room if a role mapping applies', () => {
    given({
      tenant: aTenant({ roomProvisioning: 'automatic', roleMappingCount: 1 }),
      roleMappings: [aMapping()],
    })
      .when(create())
      .thenResult({ roomId: null });
  });

  it.each(['DISPATCH', 'Dispatch ', 'Ｄispatch'])(
    'is refused for the name of another group, in any case, width and white space: %j',
    (displayName) => {
      given({ rooms: [aRoom()], groups: [aGroup()] })
        .when(create({ displayName }))
        .thenRefused('GROUP_EXISTS');
    },
  );

  it('is refused as a whole and names every unknown member', () => {
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

  it('is created without unknown members if the tenant leaves them out', () => {
    given({ tenant: SKIPPING, rooms: [aRoom()], users: [aUser(1)] })
      .when(create({ members: [user(8), user(1)], malformed: ['stale'] }))
      .thenResult({ memberCount: 1 })
      .thenEvents('group.created', 'room.member_added')
      .thenDecides({ skippedMembers: ['stale', user(8)] });
  });

  it('counts a duplicate member once', () => {
    given({ rooms: [aRoom()], users: [aUser(1)] })
      .when(create({ members: [user(1), user(1)] }))
      .thenResult({ memberCount: 1 })
      .thenEvents('group.created', 'room.member_added');
  });

  it('is postponed while a job changes the members of its room', () => {
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

  it('adds members with tx_permission false and does not change the others', () => {
    given(world)
      .when(change({ steps: [{ op: 'add', userIds: ids(1, 3) }] }))
      .thenEvents('room.member_added')
      .thenResources({ kind: 'membership', id: `${ROOM_ID}:${user(3)}` })
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
    ['replace with nothing', [{ op: 'replace', userIds: [] }], ['removed 1', 'removed 2']],
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
  ] as const)('applies its steps in order: %s', (_what, steps, expected) => {
    const then = given(world).when(change({ steps }));
    expect(
      then.events.map(
        ({ name, data }) =>
          `${name.replace('room.member_', '')} ${Number((data.user as { id: string }).id.slice(-4))}`,
      ),
    ).toEqual(expected);
    if (expected.length === 0) then.thenNothingHappens();
  });

  it('is refused for an unknown member, even if a later step removes it', () => {
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

  it('leaves out unknown members if the tenant says so', () => {
    given({ ...world, tenant: SKIPPING })
      .when(change({ steps: [{ op: 'replace', userIds: ids(1, 9) }] }))
      .thenDecides({ skippedMembers: ids(9) });
    given({ ...world, tenant: SKIPPING })
      .when(change({ steps: [{ op: 'add', userIds: ids(9) }] }))
      .thenNothingHappens()
      .thenDecides({ skippedMembers: ids(9) });
  });

  it.each([
    ['unknown', { steps: [{ op: 'replace', userIds: ids(8, 9) }] }],
    [
      'unknown, after all others are removed',
      { steps: [{ op: 'removeAll' }, { op: 'add', userIds: ids(9) }] },
    ],
    ['malformed', { steps: [{ op: 'replace', userIds: [] }], malformed: ['stale'] }],
  ] as const)('is refused by any tenant if all members of a new list are %s', (_how, more) => {
    given({ ...world, tenant: SKIPPING })
      .when(change(more))
      .thenRefused('INVALID_REQUEST');
  });

  it('skips the removal of an unknown user', () => {
    given(world)
      .when(change({ steps: [{ op: 'remove', userIds: ids(9) }] }))
      .thenNothingHappens();
  });

  it('emits group events if the group has no room', () => {
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

  it('is postponed while a job changes its members, even if nothing seems to change', () => {
    const busy = { ...world, rooms: [{ ...room, pendingJob: idOf<JobId>(7) }] };
    given(busy)
      .when(change({ steps: [{ op: 'add', userIds: ids(1) }] }))
      .thenPostponed();
    given(busy)
      .when(change({ externalId: 'new' }))
      .thenResult({ externalId: 'new' });
  });

  it('is refused for another version and for an unknown group', () => {
    given(world)
      .when(change({ ifMatch: [7] }))
      .thenRefused('PRECONDITION_FAILED');
    given({}).when(change()).thenRefused('GROUP_NOT_FOUND');
  });

  it('takes back the role of a deleted mapping from members who leave before the job', () => {
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

  it("changes the mapping's name and both versions, but not the room's name", () => {
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

  it('to other letter case is a change that keeps the roles', () => {
    given({ ...mapped, groups: [ROLE_ONLY], users: [aUser(1)] })
      .when(change({ displayName: 'DISPATCH' }))
      .thenEvents('group.updated')
      .thenResult({ displayName: 'DISPATCH', version: 2 });
  });

  it('accepts any free name for a room-backed group, and a mapped one for a role-only group', () => {
    given({ rooms: [aRoom()], groups: [aGroup()] })
      .when(change({ displayName: 'Anything' }))
      .thenResult({ displayName: 'Anything' });
    // An unmapped room with that name does not help: the group remains role-only.
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

  it('accepts the current name of a role-only group whose mapping was deleted', () => {
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

  it('applies the role of the new name', () => {
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

  it('emits one role change per user, even if members join and leave too', () => {
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

  it('to the current name changes nothing', () => {
    given({ rooms: [aRoom()], groups: [aGroup()] })
      .when(change({ displayName: 'Dispatch', externalId: null }))
      .thenNothingHappens();
  });
});

describe('group.delete', () => {
  const remove = { type: 'group.delete', groupId: GROUP_ID } as const;

  it('removes the memberships, then the group; the room stays with a new version', () => {
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

  it('names the deleted mapping in the events', () => {
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

  it('changes the version of its room, also without members', () => {
    given({ rooms: [aRoom()], groups: [aGroup()] })
      .when(remove)
      .thenEvents('group.deleted')
      .thenAfter('rooms', { version: 2 });
  });

  it('takes back roles before group.deleted, for both kinds of group', () => {
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

  it('is postponed while a job changes its members', () => {
    given({ rooms: [aRoom({ pendingJob: idOf<JobId>(7) })], groups: [aGroup()] })
      .when(remove)
      .thenPostponed();
  });

  it('is refused for another version and for an unknown group', () => {
    given({ rooms: [aRoom()], groups: [aGroup()] })
      .when({ ...remove, ifMatch: [9] })
      .thenRefused('PRECONDITION_FAILED');
    given({}).when(remove).thenRefused('GROUP_NOT_FOUND');
  });
});

describe('the room that was created with a group', () => {
  const OTHER_ROOM = idOf<RoomId>(0xa002);
  const created = { tenant: AUTOMATIC, rooms: [aRoom()], groups: [aGroup()] };
  const rename = change({ displayName: 'Night' });

  it('follows its name, so that the old name is free again', () => {
    given(created)
      .when(rename)
      .thenEvents('group.updated')
      .thenResources({ kind: 'group', id: GROUP_ID })
      .thenAfter('groups', { displayName: 'Night' })
      .thenAfter('rooms', { name: 'Night', version: 2 });
    given(created)
      .when(change({ displayName: 'DISPATCH' }))
      .thenAfter('rooms', { name: 'DISPATCH' });
  });

  it.each([
    ['has another name', { rooms: [aRoom({ name: 'Ops' })] }, 'Ops'],
    ['was there before the group', { rooms: [aRoom({ createdAt: new Date(0) })] }, 'Dispatch'],
    ['belongs to operators', { tenant: aTenant({ roomProvisioning: 'manual' }) }, 'Dispatch'],
    ['cannot take it', { rooms: [aRoom(), aRoom({ id: OTHER_ROOM, name: 'NIGHT' })] }, 'Dispatch'],
  ])('keeps its name if it %s', (_what, more, name) => {
    given({ ...created, ...more })
      .when(rename)
      .thenAfter('groups', { displayName: 'Night' })
      .thenAfter('rooms', { id: ROOM_ID, name });
  });
});
