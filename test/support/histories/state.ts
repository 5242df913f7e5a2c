import type { Group } from '../../../src/domain/group/group.js';
import type { Job, JobPart, RosterEntry } from '../../../src/domain/job/job.js';
import type { Membership, Room } from '../../../src/domain/room/room.js';
import type { RoleMapping } from '../../../src/domain/role/role-mapping.js';
import type { Tenant } from '../../../src/domain/tenant/tenant.js';
import { roleOf, type User } from '../../../src/domain/user/user.js';
import type { MemoryCommitStore } from '../memory-commit-store.js';

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

/** The part of the state that depends on neither batches nor jobs. Call it when no job is left. */
export const summaryOf = (state: StoredState): object => {
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

export const stateInMemory = (store: MemoryCommitStore): StoredState => ({
  tenant: store.tenant!,
  users: store.all('users'),
  rooms: store.all('rooms'),
  groups: store.all('groups'),
  memberships: store.all('memberships'),
  roleMappings: store.all('roleMappings'),
  jobs: store.all('jobs'),
  jobParts: store.all('jobParts'),
});
