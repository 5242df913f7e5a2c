import type { Group } from '../../../src/domain/group/group.js';
import type { Job, JobPart, RosterEntry } from '../../../src/domain/job/job.js';
import type { Membership, Room } from '../../../src/domain/room/room.js';
import type { RoleMapping } from '../../../src/domain/role/role-mapping.js';
import type { Tenant } from '../../../src/domain/tenant/tenant.js';
import { roleOf, type User } from '../../../src/domain/user/user.js';
import { emailOf } from './directory.js';
import type { ReferenceOrganisation } from './organisation.js';

/** The complete state of a tenant. */
export interface StoredState {
  readonly tenant: Tenant;
  readonly users: readonly User[];
  readonly rooms: readonly Room[];
  readonly groups: readonly Group[];
  readonly memberships: readonly Membership[];
  readonly roleMappings: readonly RoleMapping[];
  readonly jobs: readonly Job[];
  readonly jobParts: readonly JobPart<RosterEntry>[];
}

const byId = <Entity extends { readonly id: string }>(entities: readonly Entity[]) =>
  Object.fromEntries(entities.map(({ id, ...rest }) => [id, rest]));

/** The stored state in the form of `summaryOfReference`. Call it when no job is left. */
export const summaryOfStored = (state: StoredState): object => {
  const { tenant } = state;
  return {
    users: byId(
      state.users.map((user) => {
        const { id, profile, email } = user;
        return { id, profile, email, role: roleOf(user, tenant) };
      }),
    ),
    rooms: byId(
      state.rooms.map(({ id, name, memberCount, pendingJob }) => ({
        id,
        name,
        memberCount,
        pendingJob,
      })),
    ),
    groups: byId(
      state.groups.map(({ id, displayName, externalId, roomId, memberCount, pendingJob }) => {
        return { id, displayName, externalId, roomId, memberCount, pendingJob };
      }),
    ),
    memberships: state.memberships
      .map(({ rosterId, userId, txPermission }) => `${rosterId}:${userId}:${txPermission}`)
      .sort(),
    roleMappings: state.roleMappings.map(({ id, role }) => `${id}:${role}`).sort(),
    settings: [tenant.seatCapacity, tenant.defaultRole, tenant.roomProvisioning],
    counts: {
      seats: tenant.seatsProvisioned,
      users: tenant.userCount,
      rooms: tenant.roomCount,
      groups: tenant.groupCount,
      roleMappings: tenant.roleMappingCount,
    },
    unfinished: state.jobs.filter(({ finishedAt }) => finishedAt === null).length,
    parts: state.jobParts.length,
  };
};

export const summaryOfReference = (reference: ReferenceOrganisation): object => {
  const { directory, rooms, groups, mappings, members } = reference;
  const countOf = (rosterId: string): number => members.get(rosterId)?.size ?? 0;
  return {
    users: byId(
      [...directory.users.values()].map(({ id, profile }) => ({
        id,
        profile,
        email: emailOf(profile),
        role: reference.roleOf(id),
      })),
    ),
    rooms: byId(
      [...rooms.values()].map(({ id, name }) => ({
        id,
        name,
        memberCount: countOf(id),
        pendingJob: null,
      })),
    ),
    groups: byId(
      [...groups.values()].map((group) => ({
        ...group,
        memberCount: countOf(group.roomId ?? group.id),
        pendingJob: null,
      })),
    ),
    memberships: [...members]
      .flatMap(([rosterId, roster]) => [...roster].map(([id, tx]) => `${rosterId}:${id}:${tx}`))
      .sort(),
    roleMappings: [...mappings.values()].map(({ id, role }) => `${id}:${role}`).sort(),
    settings: [directory.capacity, reference.defaultRole, reference.roomProvisioning],
    counts: {
      seats: directory.seats,
      users: directory.users.size,
      rooms: rooms.size,
      groups: groups.size,
      roleMappings: mappings.size,
    },
    unfinished: 0,
    parts: 0,
  };
};
