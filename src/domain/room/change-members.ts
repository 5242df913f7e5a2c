import type { Facts } from '../kernel/decider.js';
import type { NewEvent } from '../events.js';
import { summariseGroup } from '../group/group-events.js';
import type { RosterId, UserId } from '../kernel/ids.js';
import type { RosterEntry } from '../job/job.js';
import { combineInOrder, type Effect, NO_EFFECT } from '../kernel/effect.js';
import { type Membership, membershipIdOf } from './membership.js';
import { applyRoleMappings, mappedRole } from '../role/roles.js';
import type { Change } from '../tables.js';
import { memberEvent, type OwnerSummary, summariseRoom } from './member-events.js';
import { ownerLookups, ownerOf, type RosterOwner, touchOwner } from './roster.js';

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
