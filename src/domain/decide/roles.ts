import { type NewEvent, userEvent } from '../events.js';
import { fold } from '../fold.js';
import { rosterOf } from '../group.js';
import type { RosterId, UserId } from '../ids.js';
import { type FormerRole, type Job, type RecomputeRoles, rolesSubject } from '../job.js';
import { prevailing, type RoleMapping } from '../role-mapping.js';
import type { Change } from '../tables.js';
import type { Tenant } from '../tenant.js';
import { roleOf, type User } from '../user.js';
import { type Asker, beginJob, readableByToo } from './begin-job.js';
import type { Facts } from './decider.js';
import { type Effect, NO_EFFECT } from './effect.js';
import { fitsCommit } from './row-budget.js';

/** The mapping for a group's display name, or undefined where there is none. */
const mappingOf = (facts: Facts, displayName: string): RoleMapping | undefined =>
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

interface RoleChange {
  readonly tenant: Tenant;
  /** From mappings; null: the tenant's default role. */
  readonly role: string | null;
  readonly previousRole: string;
}

const roleChange = (
  { now }: Pick<Facts, 'now'>,
  user: User,
  { tenant, role, previousRole }: RoleChange,
): Effect => {
  const after: User = { ...user, role, version: user.version + 1, updatedAt: now };
  const roles = { role: roleOf(after, tenant), previous_role: previousRole };
  return {
    changes: [{ table: 'users', before: user, after }],
    events: [userEvent('user.updated', after, { changed: ['role'], ...roles })],
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
  const { tenant } = facts;
  if (!tenant || userIds.length === 0) return NO_EFFECT;
  const hasMappings = tenant.roleMappingCount > 0;
  if (hasMappings) requireAll(facts, userIds);
  else facts.require(userIds.map((key) => ({ table: 'users', index: 'id', key }) as const));
  const changes: Change[] = [];
  const events: NewEvent[] = [];
  for (const id of userIds) {
    const user = facts.find('users', 'id', id);
    const role = hasMappings ? (prevailing(mappingsOf(facts, id))?.role ?? null) : null;
    if (!user || user.role === role) continue;
    const effect = isSeen(user, role, tenant)
      ? roleChange(facts, user, { tenant, role, previousRole: roleOf(user, tenant) })
      : {
          changes: [{ table: 'users', before: user, after: { ...user, role } } as const],
          events: [],
        };
    changes.push(...effect.changes);
    events.push(...effect.events);
  }
  return { changes, events };
};

/**
 * The tenant's default role is another one: each user who has it gets an event. Nothing happens for
 * those who last had the same.
 */
export const renameDefaultRole = (
  facts: Facts,
  users: readonly User[],
  formerRoles: readonly FormerRole[],
): Effect => {
  const { tenant } = facts;
  if (!tenant) return NO_EFFECT;
  const effects = users.flatMap((user) => {
    const previousRole = formerRoleOf(formerRoles, user.id);
    return previousRole === roleOf({ role: null }, tenant)
      ? []
      : [roleChange(facts, user, { tenant, role: null, previousRole })];
  });
  return {
    changes: effects.flatMap(({ changes }) => changes),
    events: effects.flatMap(({ events }) => events),
  };
};

const formerRoleOf = (formerRoles: readonly FormerRole[], userId: UserId): string =>
  formerRoles.find(({ until }) => until === null || userId <= until)?.role ?? '';

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
  { total, ...work }: Omit<RecomputeRoles, 'kind'> & { readonly total: number },
): Effect => {
  const { tenant } = facts;
  if (!tenant) return NO_EFFECT;
  const before = facts.find('jobs', 'subject', rolesSubject(work.rosterId)) ?? null;
  const begun = { cursor: '', total, work: { kind: 'roles.recompute', ...work } } as const;
  const after: Job = before
    ? {
        ...before,
        ...begun,
        work: { ...begun.work, ...formerRolesAfter(before, work) },
        readableBy: readableByToo(before, asker),
        done: 0,
        createdAt: facts.now,
        updatedAt: facts.now,
      }
    : beginJob(facts, asker, { ...begun, tenantId: tenant.id });
  return { changes: [{ table: 'jobs', before, after }], events: [] };
};

/** Users the job has already processed last had the role it assigned; the others the one before it. */
const formerRolesAfter = (
  { work, cursor }: Job,
  { formerRoles }: Omit<RecomputeRoles, 'kind'>,
): Pick<RecomputeRoles, 'formerRoles'> => {
  if (work.kind !== 'roles.recompute' || !formerRoles) return {};
  const unpassed = (work.formerRoles ?? []).filter(({ until }) => until === null || until > cursor);
  const passed = formerRoles.map(({ role }) => ({ until: cursor, role }));
  return { formerRoles: cursor === '' ? unpassed : [...passed, ...unpassed] };
};

/** The roster of the group of this name, where there is one. */
export const rosterNamed = (facts: Facts, displayName: string): RosterOfRoles | undefined => {
  const group = facts.find('groups', 'displayName', fold(displayName));
  return group && { rosterId: rosterOf(group), memberCount: group.memberCount };
};
