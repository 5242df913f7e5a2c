import { describe, expect, it } from 'vitest';
import type { RoleMappingId, UserId } from '../../src/domain/ids.js';
import { prevailing } from '../../src/domain/role-mapping.js';
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

const user = (number: number): UserId => idOf<UserId>(number);
const withRole = (number: number, role: string | null) => ({ ...aUser(number), role });
const OTHER_MAPPING = idOf<RoleMappingId>(0xd002);
const CREW = aGroup({ id: idOf(0xb002), roomId: null, displayName: 'Crew', memberCount: 1 });
const crewMapping = aMapping({ id: OTHER_MAPPING, groupDisplayName: 'CREW', role: 'crew' });

/** User 1 is in the room-backed group Dispatch and in the role-only group Crew. */
const world = {
  tenant: aTenant({ roleMappingCount: 2 }),
  rooms: [aRoom({ memberCount: 1 })],
  groups: [aGroup({ memberCount: 1 }), CREW],
  memberships: [aMember(1), aMember(1, { rosterId: CREW.id })],
};

describe('the role of who is in several groups', () => {
  it.each([
    ['of the lower priority', { priority: 1 }, { priority: 2 }, 'dispatcher'],
    ['of the other where its priority is lower', { priority: 2 }, { priority: 1 }, 'crew'],
    ['of the older where they are equal', {}, { createdAt: new Date(0) }, 'crew'],
    ['of the one that applies', { applyOnScimProvisioning: false, priority: 1 }, {}, 'crew'],
  ])('is that %s', (_which, dispatch, crew, expected) => {
    const mappings = [aMapping(dispatch), { ...crewMapping, ...crew }];
    expect(prevailing(mappings)?.role).toBe(expected);
    expect(prevailing([...mappings].reverse())?.role).toBe(expected);
  });

  it('is the next one when he leaves the group that gave it', () => {
    given({
      ...world,
      roleMappings: [aMapping({ priority: 1 }), crewMapping],
      users: [withRole(1, 'dispatcher')],
    })
      .when({ type: 'member.remove', roomId: ROOM_ID, userId: user(1) })
      .thenEvents('room.member_removed', 'user.updated')
      .thenAfter('users', { role: 'crew', version: 2 });
  });

  it('stays where a mapping of lesser weight comes', () => {
    given({
      ...world,
      tenant: aTenant({ roleMappingCount: 1 }),
      roleMappings: [{ ...crewMapping, priority: 1 }],
      users: [withRole(1, 'crew')],
    })
      .when({
        type: 'role-mapping.create',
        mappingId: MAPPING_ID,
        groupDisplayName: 'Dispatch',
        role: 'dispatcher',
        applyOnScimProvisioning: true,
        priority: 2,
      })
      .thenEvents()
      .thenAfter('users');
  });
});

describe('a role mapping', () => {
  const one = { ...world, tenant: aTenant({ roleMappingCount: 1 }) };
  const create = {
    type: 'role-mapping.create',
    mappingId: MAPPING_ID,
    groupDisplayName: 'dispatch',
    role: 'dispatcher',
    applyOnScimProvisioning: true,
    priority: 100,
  } as const;

  it('that is made gives its role to who is a member, and shows in the view of the room', () => {
    given({ ...world, tenant: aTenant(), users: [aUser(1)] })
      .when(create)
      .thenEvents('user.updated')
      .thenData('user.updated', {
        user: {
          id: user(1),
          email: 'user1@example.com',
          display_name: 'Ada Lovelace',
          active: true,
        },
        changed: ['role'],
        role: 'dispatcher',
        previous_role: 'member',
      })
      .thenAfter('users', { role: 'dispatcher' })
      .thenAfter('rooms', { version: 2 })
      .thenTenant({ roleMappingCount: 1 });
  });

  it('that does not apply gives none', () => {
    given({ ...world, tenant: aTenant(), users: [aUser(1)] })
      .when({ ...create, applyOnScimProvisioning: false })
      .thenEvents();
  });

  it('that gives the default role anyway tells nobody, and leaves versions alone', () => {
    given({ ...world, tenant: aTenant(), users: [aUser(1)] })
      .when({ ...create, role: 'member' })
      .thenEvents()
      .thenAfter('users', { role: 'member', version: 1 });
  });

  it('may be for a group that does not exist', () => {
    given({}).when(create).thenEvents().thenResult({ version: 1 });
  });

  it('is one for a name, without regard to case', () => {
    given({ tenant: aTenant({ roleMappingCount: 1 }), roleMappings: [aMapping()] })
      .when({ ...create, mappingId: OTHER_MAPPING, groupDisplayName: 'DISPATCH' })
      .thenRefused('NAME_TAKEN');
  });

  it('that is changed changes the roles', () => {
    given({ ...one, roleMappings: [aMapping()], users: [withRole(1, 'dispatcher')] })
      .when({ type: 'role-mapping.update', mappingId: MAPPING_ID, role: 'chief' })
      .thenEvents('user.updated')
      .thenAfter('users', { role: 'chief' })
      .thenResult({ role: 'chief', version: 2 });
  });

  it('that stops applying takes the role back', () => {
    given({ ...one, roleMappings: [aMapping()], users: [withRole(1, 'dispatcher')] })
      .when({
        type: 'role-mapping.update',
        mappingId: MAPPING_ID,
        applyOnScimProvisioning: false,
      })
      .thenEvents('user.updated')
      .thenAfter('users', { role: null });
  });

  it('that is renamed takes the role from the one group and gives it to the other', () => {
    given({
      tenant: aTenant({ roleMappingCount: 1 }),
      rooms: [aRoom({ memberCount: 1 })],
      groups: [aGroup({ memberCount: 1 }), CREW],
      memberships: [aMember(1), aMember(2, { rosterId: CREW.id })],
      roleMappings: [aMapping()],
      users: [withRole(1, 'dispatcher'), aUser(2)],
    })
      .when({ type: 'role-mapping.update', mappingId: MAPPING_ID, groupDisplayName: 'Crew' })
      .thenEvents('user.updated', 'user.updated')
      .thenAfter('users', { id: user(1), role: null }, { id: user(2), role: 'dispatcher' });
  });

  it('that is asked to be as it is does nothing', () => {
    given({ ...one, roleMappings: [aMapping()] })
      .when({ type: 'role-mapping.update', mappingId: MAPPING_ID, role: 'dispatcher' })
      .thenNothingHappens();
  });

  it('that is deleted takes the role back and leaves its group', () => {
    given({
      tenant: aTenant({ roleMappingCount: 1 }),
      groups: [aGroup({ roomId: null, memberCount: 1 })],
      memberships: [aMember(1, { rosterId: GROUP_ID })],
      roleMappings: [aMapping()],
      users: [withRole(1, 'dispatcher')],
    })
      .when({ type: 'role-mapping.delete', mappingId: MAPPING_ID })
      .thenEvents('user.updated')
      .thenAfter('users', { role: null })
      .thenAfter('groups')
      .thenTenant({ roleMappingCount: 0 });
  });

  it('that is not there can be neither changed nor deleted', () => {
    given({})
      .when({ type: 'role-mapping.update', mappingId: MAPPING_ID, role: 'x' })
      .thenRefused('ROLE_MAPPING_NOT_FOUND');
    given({})
      .when({ type: 'role-mapping.delete', mappingId: MAPPING_ID })
      .thenRefused('ROLE_MAPPING_NOT_FOUND');
  });
});

describe("the tenant's default role", () => {
  it('is told to everybody who has it, and to nobody else', () => {
    given({
      tenant: aTenant({ userCount: 2 }),
      users: [aUser(1), withRole(2, 'crew')],
    })
      .when({ type: 'tenant.update', defaultRole: 'guest' })
      .thenEvents('user.updated')
      .thenAfter('users', { id: user(1), role: null, version: 2 });
  });

  it('is nobody else’s business where it stays', () => {
    given({ tenant: aTenant({ userCount: 1 }), users: [aUser(1)] })
      .when({ type: 'tenant.update', defaultRole: 'member', name: 'Other' })
      .thenEvents();
  });
});
