import { describe, expect, it } from 'vitest';
import type { RoleMappingId, UserId } from '../../src/domain/kernel/ids.js';
import { effectiveMapping } from '../../src/domain/role/role-mapping.js';
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

describe('the role of a user in several groups', () => {
  it.each([
    ['the one with the lower priority', { priority: 1 }, { priority: 2 }, 'dispatcher'],
    ['the other if its priority is lower', { priority: 2 }, { priority: 1 }, 'crew'],
    ['the older one if the priorities are equal', {}, { createdAt: new Date(0) }, 'crew'],
    ['the one that applies', { applyOnScimProvisioning: false, priority: 1 }, {}, 'crew'],
  ])('comes from %s', (_which, dispatch, crew, expected) => {
    const mappings = [aMapping(dispatch), { ...crewMapping, ...crew }];
    expect(effectiveMapping(mappings)?.role).toBe(expected);
    expect(effectiveMapping([...mappings].reverse())?.role).toBe(expected);
  });

  it('comes from the next mapping after the user leaves the group', () => {
    given({
      ...world,
      roleMappings: [aMapping({ priority: 1 }), crewMapping],
      users: [withRole(1, 'dispatcher')],
    })
      .when({ type: 'member.remove', roomId: ROOM_ID, userId: user(1) })
      .thenEvents('room.member_removed', 'user.updated')
      .thenAfter('users', { role: 'crew', version: 2 });
  });

  it('stays if a mapping with a higher number is created', () => {
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

  it('gives its role to members when it is created, and changes the version of the room', () => {
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

  it('gives no role if it does not apply', () => {
    given({ ...world, tenant: aTenant(), users: [aUser(1)] })
      .when({ ...create, applyOnScimProvisioning: false })
      .thenEvents();
  });

  it('that gives the default role emits no event and changes no version', () => {
    given({ ...world, tenant: aTenant(), users: [aUser(1)] })
      .when({ ...create, role: 'member' })
      .thenEvents()
      .thenAfter('users', { role: 'member', version: 1 });
  });

  it('may be for a group that does not exist', () => {
    given({}).when(create).thenEvents().thenResult({ version: 1 });
  });

  it('is unique per group name, case-insensitively', () => {
    given({ tenant: aTenant({ roleMappingCount: 1 }), roleMappings: [aMapping()] })
      .when({ ...create, mappingId: OTHER_MAPPING, groupDisplayName: 'DISPATCH ' })
      .thenRefused('NAME_TAKEN');
  });

  it('changes the roles when it is updated', () => {
    given({ ...one, roleMappings: [aMapping()], users: [withRole(1, 'dispatcher')] })
      .when({ type: 'role-mapping.update', mappingId: MAPPING_ID, role: 'chief' })
      .thenEvents('user.updated')
      .thenAfter('users', { role: 'chief' })
      .thenResult({ role: 'chief', version: 2 });
  });

  it('gives way to another one when only its priority changes', () => {
    given({ ...world, roleMappings: [aMapping(), crewMapping], users: [withRole(1, 'dispatcher')] })
      .when({ type: 'role-mapping.update', mappingId: MAPPING_ID, priority: 101 })
      .thenResult({ priority: 101, version: 2 })
      .thenAfter('users', { role: 'crew' });
  });

  it('takes back its role when it no longer applies', () => {
    given({ ...one, roleMappings: [aMapping()], users: [withRole(1, 'dispatcher')] })
      .when({
        type: 'role-mapping.update',
        mappingId: MAPPING_ID,
        applyOnScimProvisioning: false,
      })
      .thenEvents('user.updated')
      .thenAfter('users', { role: null });
  });

  it('moves its role to another group when it is renamed', () => {
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

  it('cannot be renamed to the group of another one', () => {
    given({ ...world, roleMappings: [aMapping(), crewMapping] })
      .when({ type: 'role-mapping.update', mappingId: MAPPING_ID, groupDisplayName: 'crew' })
      .thenRefused('NAME_TAKEN');
  });

  it('does not change if the request matches it', () => {
    given({ ...one, roleMappings: [aMapping()] })
      .when({ type: 'role-mapping.update', mappingId: MAPPING_ID, role: 'dispatcher' })
      .thenNothingHappens();
  });

  it('takes back its role and keeps the group when it is deleted', () => {
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
      .thenAfter('roleMappings', null)
      .thenTenant({ roleMappingCount: 0 });
  });

  it('cannot be updated or deleted if it does not exist', () => {
    given({})
      .when({ type: 'role-mapping.update', mappingId: MAPPING_ID, role: 'x' })
      .thenRefused('ROLE_MAPPING_NOT_FOUND');
    given({})
      .when({ type: 'role-mapping.delete', mappingId: MAPPING_ID })
      .thenRefused('ROLE_MAPPING_NOT_FOUND');
  });
});

describe("the tenant's default role", () => {
  it('change emits an event for each user who has it', () => {
    given({
      tenant: aTenant({ userCount: 2 }),
      users: [aUser(1), withRole(2, 'crew')],
    })
      .when({ type: 'tenant.update', defaultRole: 'guest' })
      .thenEvents('user.updated')
      .thenAfter('users', { id: user(1), role: null, version: 2 });
  });

  it('emits no event if it stays the same', () => {
    given({ tenant: aTenant({ userCount: 1 }), users: [aUser(1)] })
      .when({ type: 'tenant.update', defaultRole: 'member', name: 'Other' })
      .thenEvents();
  });
});
