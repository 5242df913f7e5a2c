import type { CommandContext } from '../commands.js';
import { type Facts, type Effect, NO_EFFECT } from '../kernel/decider.js';
import type { NewEvent } from '../events.js';
import { nameKey } from '../kernel/names.js';
import { rosterOf } from '../group/group.js';
import type { RosterId, UserId } from '../kernel/ids.js';
import { type FormerRole, type Job, type RecomputeRoles, rolesSubject } from '../job/job.js';
import { fitsCommit, readersAfter, startJob } from '../job/start-job.js';
import { effectiveMapping, type RoleMapping } from './role-mapping.js';
import type { Change } from '../tables.js';
import type { Tenant } from '../tenant/tenant.js';
import { userEvent, roleOf, type User } from '../user/user.js';
import { shownProfile } from '../user/user-rules.js';

const mappingOf = (facts: Facts, displayName: string): RoleMapping | undefined =>
  facts.tenant?.roleMappingCount
    ? facts.find('roleMappings', 'displayName', nameKey(displayName))
    : undefined;

/** The role that a group with this name gives its members; null if it gives none. */
export const mappedRole = (facts: Facts, displayName: string): string | null =>
  effectiveMapping([mappingOf(facts, displayName)].filter((mapping) => mapping !== undefined))
    ?.role ?? null;

/** The mappings of all groups that a user is in. */
const mappingsOf = (facts: Facts, userId: UserId): readonly RoleMapping[] =>
  facts
    .list('memberships', 'user', userId)
    .flatMap(({ rosterId }) => facts.find('groups', 'roster', rosterId) ?? [])
    .flatMap(({ displayName }) => mappingOf(facts, displayName) ?? []);

/** Requires everything that determines the roles of these users, one round per table. */
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
      return { table: 'roleMappings', index: 'displayName', key: nameKey(displayName) } as const;
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
  const shown: User = { ...after, profile: shownProfile(tenant, after.profile) };
  const roles = { role: roleOf(after, tenant), previous_role: previousRole };
  return {
    changes: [{ table: 'users', before: user, after }],
    events: [userEvent('user.updated', shown, { changed: ['role'], ...roles })],
  };
};

/** False if a mapping gives the role that is the default anyway. */
const isVisible = (user: User, role: string | null, tenant: Tenant): boolean =>
  roleOf(user, tenant) !== roleOf({ role }, tenant);

/**
 * Computes the roles of these users from their current groups: the role of the mapping with the best
 * priority, else the tenant's default (decisions.md 5). Users whose role stays are not changed.
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
    const role = hasMappings ? (effectiveMapping(mappingsOf(facts, id))?.role ?? null) : null;
    if (!user || user.role === role) continue;
    const effect = isVisible(user, role, tenant)
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
 * Gives these users, who have the tenant's default role, their event after that role has changed;
 * none to users whose former role was the same.
 */
export const updateDefaultRole = (
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

export interface RosterSize {
  readonly rosterId: RosterId;
  readonly memberCount: number;
}

/**
 * Computes the roles of all members of a roster: in this commit, or by a job if there are too many
 * (pipeline-rules.md 11).
 */
export const recomputeRoles = (
  facts: Facts,
  context: CommandContext,
  { rosterId, memberCount }: RosterSize,
): Effect => {
  if (memberCount === 0) return NO_EFFECT;
  if (!fitsCommit(facts, memberCount))
    return startRolesJob(facts, context, { rosterId, total: memberCount });
  const members = facts.list('memberships', 'roster', rosterId);
  return applyRoleMappings(
    facts,
    members.map(({ userId }) => userId),
  );
};

/** Starts a job, or restarts a running one: users it has processed may have another role now. */
export const startRolesJob = (
  facts: Facts,
  context: CommandContext,
  { total, ...given }: Omit<RecomputeRoles, 'kind'> & { readonly total: number },
): Effect => {
  if (!facts.tenant) return NO_EFFECT;
  const running = facts.find('jobs', 'subject', rolesSubject(given.rosterId));
  const work: RecomputeRoles = { kind: 'roles.recompute', ...given };
  if (!running) {
    const { changes } = startJob(facts, context, { work, cursor: '', total });
    return { changes, events: [] };
  }
  const restarted: Job = {
    ...running,
    work: { ...work, ...formerRolesAfter(running, given) },
    cursor: '',
    total,
    readableBy: readersAfter(running, context),
    restartedBy: context.id,
    done: 0,
    createdAt: facts.now,
    updatedAt: facts.now,
  };
  return { changes: [{ table: 'jobs', before: running, after: restarted }], events: [] };
};

/** Users the job has already processed last had the role it assigned; the others the one before it. */
const formerRolesAfter = (
  { work, cursor }: Job,
  { formerRoles }: Omit<RecomputeRoles, 'kind'>,
): Pick<RecomputeRoles, 'formerRoles'> => {
  if (work.kind !== 'roles.recompute' || !formerRoles) return {};
  const unprocessed = (work.formerRoles ?? []).filter(
    ({ until }) => until === null || until > cursor,
  );
  const processed = formerRoles.map(({ role }) => ({ until: cursor, role }));
  return { formerRoles: cursor === '' ? unprocessed : [...processed, ...unprocessed] };
};

/** The roster of the group with this name; undefined if there is none. */
export const rosterOfGroupNamed = (facts: Facts, displayName: string): RosterSize | undefined => {
  const group = facts.find('groups', 'displayName', nameKey(displayName));
  return group && { rosterId: rosterOf(group), memberCount: group.memberCount };
};
