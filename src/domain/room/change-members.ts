import { type Facts, combineInOrder, type Effect, NO_EFFECT } from '../kernel/decider.js';
import type { NewEvent } from '../events.js';
import { summariseGroup } from '../group/group.js';
import type { RosterId, UserId } from '../kernel/ids.js';
import type { RosterEntry, Job } from '../job/job.js';
import {
  type Membership,
  membershipIdOf,
  memberEvent,
  type OwnerSummary,
  summariseRoom,
} from './room.js';
import { applyRoleMappings, mappedRole } from '../role/roles.js';
import type { Change } from '../tables.js';
import { ownerLookups, ownerOf, type RosterOwner, touchOwner } from './roster.js';
import type { CommandContext } from '../commands.js';
import { ROSTER_PARTS, startJobOfParts, applyOrStartJob, startJob } from '../job/start-job.js';

const requireEntries = (
  facts: Facts,
  rosterId: RosterId,
  entries: readonly RosterEntry[],
): void => {
  facts.require(
    entries.flatMap(({ userId }) => [
      { table: 'users', index: 'id', key: userId } as const,
      { table: 'memberships', index: 'id', key: membershipIdOf(rosterId, userId) } as const,
    ]),
  );
};

type MembershipChange = Extract<Change, { readonly table: 'memberships' }>;

/** The change that an entry makes; undefined if it makes none or the user no longer exists. */
const membershipChange = (
  facts: Facts,
  rosterId: RosterId,
  { userId, action, txPermission }: RosterEntry,
): MembershipChange | undefined => {
  const id = membershipIdOf(rosterId, userId);
  const before = facts.find('memberships', 'id', id) ?? null;
  const { tenant, now } = facts;
  if (action === 'leave') return before ? { table: 'memberships', before, after: null } : undefined;
  if (before) {
    const isSet = action === 'set' && before.txPermission !== txPermission;
    return isSet ? { table: 'memberships', before, after: { ...before, txPermission } } : undefined;
  }
  if (action === 'set' || !tenant || !facts.find('users', 'id', userId)) return undefined;
  const after: Membership = {
    id,
    tenantId: tenant.id,
    rosterId,
    userId,
    txPermission,
    addedAt: now,
  };
  return { table: 'memberships', before, after };
};

const verbOf = ({ before, after }: MembershipChange): 'added' | 'removed' | 'updated' => {
  if (before && after) return 'updated';
  return after ? 'added' : 'removed';
};

const eventOf = (facts: Facts, owner: OwnerSummary, change: MembershipChange) => {
  const membership = change.after ?? change.before;
  const user = membership && facts.find('users', 'id', membership.userId);
  if (!membership || !user) return [];
  return [memberEvent(verbOf(change), { owner, user, txPermission: membership.txPermission })];
};

/** The owner as events name it; null if it no longer exists. */
export const ownerSummary = (facts: Facts, { room, group }: RosterOwner): OwnerSummary | null => {
  if (room) return { room: summariseRoom(room, group) };
  return group && { group: summariseGroup(group, mappedRole(facts, group.displayName)) };
};

interface Members {
  readonly rosterId: RosterId;
  readonly owner: RosterOwner;
  readonly entries: readonly RosterEntry[];
  /** The owner in the events; null: no events. */
  readonly summary: OwnerSummary | null;
}

/** Memberships, their events and counts, without roles. */
const changeMemberships = (
  facts: Facts,
  { rosterId, owner, entries, summary }: Members,
): Effect => {
  requireEntries(facts, rosterId, entries);
  const changed = entries.flatMap((entry) => membershipChange(facts, rosterId, entry) ?? []);
  if (changed.length === 0) return NO_EFFECT;
  const by = changed.reduce(
    (sum, { before, after }) => sum + Number(after !== null) - Number(before !== null),
    0,
  );
  const events: readonly NewEvent[] = summary
    ? changed.flatMap((change) => eventOf(facts, summary, change))
    : [];
  return { changes: [...changed, ...touchOwner(facts, owner, { by })], events };
};

/**
 * Users whose role may change: all who join or leave a group with a role, and all who leave with a
 * role that the group gave until recently. A job that takes that role back finds only members.
 */
const usersWithAffectedRole = (
  facts: Facts,
  group: RosterOwner['group'],
  entries: readonly RosterEntry[],
): readonly UserId[] => {
  const givesRole = group !== null && mappedRole(facts, group.displayName) !== null;
  const hasRole = ({ userId }: RosterEntry): boolean =>
    (facts.find('users', 'id', userId)?.role ?? null) !== null;
  return entries
    .filter(
      (entry) =>
        (givesRole && entry.action !== 'set') || (entry.action === 'leave' && hasRole(entry)),
    )
    .map(({ userId }) => userId);
};

/**
 * Changes the members of a roster in this commit: memberships, counts, versions, events, and the
 * roles that follow (decisions.md 5). Entries that change nothing are skipped. The caller has checked
 * that it fits into the commit.
 */
export const changeMembers = (
  facts: Facts,
  rosterId: RosterId,
  entries: readonly RosterEntry[],
): Effect => {
  const owner = ownerOf(facts, rosterId);
  const members = { rosterId, owner, entries, summary: ownerSummary(facts, owner) };
  requireEntries(facts, rosterId, entries);
  const userIds = usersWithAffectedRole(facts, owner.group, entries);
  const changeMembersOnly = (now: Facts): Effect => changeMemberships(now, members);
  // Facts with the changes of a thousand members cost as much as the changes themselves.
  if (userIds.length === 0) return changeMembersOnly(facts);
  return combineInOrder(facts, [changeMembersOnly, (now) => applyRoleMappings(now, userIds)]);
};

const leaving = ({ userId, txPermission }: Membership): RosterEntry => ({
  userId,
  action: 'leave',
  txPermission,
});

/**
 * Removes memberships of a roster whose room or group was removed, and takes back the roles that it
 * gave. `owner` is the former room or group, for the events. A room that remains updates its count.
 */
export const removeMemberships = (
  facts: Facts,
  memberships: readonly Membership[],
  { rosterId, owner: summary }: { readonly rosterId: RosterId; readonly owner: OwnerSummary },
): Effect => {
  const entries = memberships.map(leaving);
  return combineInOrder(facts, [
    (now) => changeMemberships(now, { rosterId, owner: ownerOf(now, rosterId), entries, summary }),
    (now) =>
      applyRoleMappings(
        now,
        memberships.map(({ userId }) => userId),
      ),
  ]);
};

/**
 * Removes a deleted user from all rosters, with an event for each. The user is on each roster at most
 * once, so the removals do not depend on each other.
 */
export const removeFromAllRosters = (facts: Facts, memberships: readonly Membership[]): Effect => {
  facts.require(memberships.flatMap(({ rosterId }) => ownerLookups(rosterId)));
  const effects = memberships.map((membership) => {
    const { rosterId } = membership;
    const owner = ownerOf(facts, rosterId);
    const entries = [leaving(membership)];
    return changeMemberships(facts, {
      rosterId,
      owner,
      entries,
      summary: ownerSummary(facts, owner),
    });
  });
  return {
    changes: effects.flatMap(({ changes }) => changes),
    events: effects.flatMap(({ events }) => events),
  };
};

const blockFor =
  (facts: Facts, rosterId: RosterId) =>
  (job: Job): readonly Change[] =>
    touchOwner(facts, ownerOf(facts, rosterId), { pendingJob: job.id });

/** Changes members by these entries: in this commit, or by a job if there are too many. */
export const changeRoster = (
  facts: Facts,
  context: CommandContext,
  { rosterId, entries }: { readonly rosterId: RosterId; readonly entries: readonly RosterEntry[] },
): Effect =>
  applyOrStartJob(facts, {
    members: entries.length,
    inline: () => changeMembers(facts, rosterId, entries),
    start: () =>
      startJobOfParts(facts, context, {
        work: { kind: 'roster.apply', rosterId },
        table: ROSTER_PARTS,
        entries,
      }),
    block: blockFor(facts, rosterId),
  });

/** A roster whose room or group was removed, or that is no longer a group's. */
interface Clearing {
  readonly rosterId: RosterId;
  readonly memberCount: number;
  /** The former room or group, for the events. */
  readonly owner: OwnerSummary;
  /** Events after the last removal. */
  readonly finalEvents: readonly NewEvent[];
}

/** Removes all memberships of a roster: in this commit, or by a job if there are too many. */
export const clearRoster = (
  facts: Facts,
  context: CommandContext,
  { rosterId, memberCount, owner, finalEvents }: Clearing,
): Effect => {
  if (memberCount === 0) return { changes: [], events: facts.tenant ? finalEvents : [] };
  return applyOrStartJob(facts, {
    members: memberCount,
    inline: () => {
      const memberships = facts.list('memberships', 'roster', rosterId);
      const effect = removeMemberships(facts, memberships, { rosterId, owner });
      return { ...effect, events: [...effect.events, ...finalEvents] };
    },
    start: () =>
      startJob(facts, context, {
        work: { kind: 'roster.clear', rosterId, holder: owner, lastly: finalEvents },
        cursor: '',
        total: memberCount,
      }),
    block: blockFor(facts, rosterId),
  });
};
