import { type NewEvent, userEvent } from '../events.js';
import { fold } from '../fold.js';
import { rosterOf } from '../group.js';
import type { RosterId, UserId } from '../ids.js';
import { type Job, rolesSubject } from '../job.js';
import { prevailing, type RoleMapping } from '../role-mapping.js';
import type { Change } from '../tables.js';
import type { Tenant } from '../tenant.js';
import { roleOf, type User } from '../user.js';
import { type Asker, beginJob } from './begin-job.js';
import type { Facts } from './decider.js';
import { type Effect, NO_EFFECT } from './effect.js';
import { fitsCommit } from './row-budget.js';

/** The mapping for a group's display name, or undefined where there is none. */
export const mappingOf = (facts: Facts, displayName: string): RoleMapping | undefined =>
  facts.tenant?.roleMappingCount
    ? facts.find('roleMappings', 'displayName', fold(displayName))
    : undefined;

/** The role that a group of this name gives its members, or null. */
export const mappedRole = (facts: Facts, displayName: string): string | null =>
  prevailing([mappingOf(facts, displayName)].filter((mapping) => mapping !== undefined))?.role ??
  null;

/** The mappings that a user is under, by all his groups. */
const mappingsOf = (facts: Facts, userId: UserId): readonly RoleMapping[] =>
  facts
    .list('memberships', 'user', userId)
    .flatMap(({ rosterId }) => facts.find('groups', 'roster', rosterId) ?? [])
    .flatMap(({ displayName }) => mappingOf(facts, displayName) ?? []);

/** Everything that the roles of these users follow from, each kind in one go. */
const requireAll = (facts: Facts, userIds: readonly UserId[]): void => {
  facts.require(
    userIds.flatMap((key) => [
      { table: 'users', index: 'id', key } as const,
      { table: 'memberships', index: 'user', key } as const,
    ]),
  );
  const rosters = userIds.flatMap((id) => facts.list('memberships', 'user', id));
  facts.require(
    rosters.map(({ rosterId }) => ({ table: 'groups', index: 'roster', key: rosterId }) as const),
  );
  const groups = rosters.flatMap(({ rosterId }) => facts.find('groups', 'roster', rosterId) ?? []);
  facts.require(
    groups.map(({ displayName }) => {
      return { table: 'roleMappings', index: 'displayName', key: fold(displayName) } as const;
    }),
  );
};

const roleChange = (user: User, role: string | null, { now }: Facts): Effect => {
  const after: User = { ...user, role, version: user.version + 1, updatedAt: now };
  return {
    changes: [{ table: 'users', before: user, after }],
    events: [userEvent('user.updated', after, { changed: ['role'] })],
  };
};

/** Whether anybody can tell: a mapping may give the role that is the default anyway. */
const isSeen = (user: User, role: string | null, tenant: Tenant): boolean =>
  roleOf(user, tenant) !== roleOf({ role }, tenant);

/**
 * Works the roles of these users out from the groups they are in now: the role of the mapping that
 * prevails, else the tenant's default (decisions.md 5). Who keeps his role is left alone.
 */
export const applyRoleMappings = (facts: Facts, userIds: readonly UserId[]): Effect => {
  if (!facts.tenant || userIds.length === 0) return NO_EFFECT;
  const hasMappings = facts.tenant.roleMappingCount > 0;
  if (hasMappings) requireAll(facts, userIds);
  else facts.require(userIds.map((key) => ({ table: 'users', index: 'id', key }) as const));
  const changes: Change[] = [];
  const events: NewEvent[] = [];
  for (const id of userIds) {
    const user = facts.find('users', 'id', id);
    const role = hasMappings ? (prevailing(mappingsOf(facts, id))?.role ?? null) : null;
    if (!user || user.role === role) continue;
    const effect = isSeen(user, role, facts.tenant)
      ? roleChange(user, role, facts)
      : {
          changes: [{ table: 'users', before: user, after: { ...user, role } } as const],
          events: [],
        };
    changes.push(...effect.changes);
    events.push(...effect.events);
  }
  return { changes, events };
};

/** The tenant's default role has another name: everybody who has it is told so. */
export const renameDefaultRole = (facts: Facts, users: readonly User[]): Effect => {
  const effects = users.map((user) => roleChange(user, null, facts));
  return {
    changes: effects.flatMap(({ changes }) => changes),
    events: effects.flatMap(({ events }) => events),
  };
};

/** Whose roles are to be worked out. */
export interface RosterOfRoles {
  readonly rosterId: RosterId;
  readonly memberCount: number;
}

/**
 * Works out the roles of all members of a roster: at once where they fit into the commit, else by a
 * job (pipeline-rules.md 11).
 */
export const recomputeRoles = (
  facts: Facts,
  asker: Asker,
  { rosterId, memberCount }: RosterOfRoles,
): Effect => {
  if (memberCount === 0) return NO_EFFECT;
  if (!fitsCommit(facts, memberCount))
    return startRolesJob(facts, asker, { rosterId, total: memberCount });
  const members = facts.list('memberships', 'roster', rosterId);
  return applyRoleMappings(
    facts,
    members.map(({ userId }) => userId),
  );
};

/** One that is under way begins anew: whom it has passed may have another role now. */
export const startRolesJob = (
  facts: Facts,
  asker: Asker,
  { rosterId, total }: { readonly rosterId: RosterId | null; readonly total: number },
): Effect => {
  const { tenant } = facts;
  if (!tenant) return NO_EFFECT;
  const before = facts.find('jobs', 'subject', rolesSubject(rosterId)) ?? null;
  const begun = { cursor: '', total };
  const after: Job = before
    ? { ...before, ...begun, done: 0, createdAt: facts.now, updatedAt: facts.now }
    : beginJob(facts, asker, {
        ...begun,
        tenantId: tenant.id,
        work: { kind: 'roles.recompute', rosterId },
      });
  return { changes: [{ table: 'jobs', before, after }], events: [] };
};

/** The roster of the group of this name, where there is one. */
export const rosterNamed = (facts: Facts, displayName: string): RosterOfRoles | undefined => {
  const group = facts.find('groups', 'displayName', fold(displayName));
  return group && { rosterId: rosterOf(group), memberCount: group.memberCount };
};
