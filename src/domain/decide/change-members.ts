import {
  memberEvent,
  type MemberHolder,
  type NewEvent,
  summariseGroup,
  summariseRoom,
} from '../events.js';
import type { RosterId, UserId } from '../ids.js';
import type { RosterEntry } from '../job.js';
import { type Membership, membershipIdOf } from '../membership.js';
import type { Change } from '../tables.js';
import type { Facts } from './decider.js';
import { type Effect, inOrder, NO_EFFECT } from './effect.js';
import { applyRoleMappings, mappedRole } from './roles.js';
import { type Holder, holderNeeds, holderOf, touchHolder } from './roster.js';

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

/** What of an entry there is to do: nothing where all is so already, or the user is gone. */
const membershipChange = (
  facts: Facts,
  rosterId: RosterId,
  { userId, action, txPermission }: RosterEntry,
): Extract<Change, { readonly table: 'memberships' }> | undefined => {
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

type MembershipChange = NonNullable<ReturnType<typeof membershipChange>>;

const verbOf = ({ before, after }: MembershipChange): 'added' | 'removed' | 'updated' => {
  if (before && after) return 'updated';
  return after ? 'added' : 'removed';
};

const eventOf = (facts: Facts, holder: MemberHolder, change: MembershipChange) => {
  const membership = change.after ?? change.before;
  const user = membership && facts.find('users', 'id', membership.userId);
  if (!membership || !user) return [];
  return [memberEvent(verbOf(change), { holder, user, txPermission: membership.txPermission })];
};

/** The room or group that the members belong to, as their events name it; null if it no longer exists. */
export const memberHolderOf = (facts: Facts, { room, group }: Holder): MemberHolder | null => {
  if (room) return { room: summariseRoom(room, group) };
  return group && { group: summariseGroup(group, mappedRole(facts, group.displayName)) };
};

interface Members {
  readonly rosterId: RosterId;
  readonly holder: Holder;
  readonly entries: readonly RosterEntry[];
  /** As the events name the holder; null: none happen. */
  readonly namedAs: MemberHolder | null;
}

/** Memberships, their events and counts; roles are another step. */
const changeMemberships = (
  facts: Facts,
  { rosterId, holder, entries, namedAs }: Members,
): Effect => {
  requireEntries(facts, rosterId, entries);
  const changed = entries.flatMap((entry) => membershipChange(facts, rosterId, entry) ?? []);
  if (changed.length === 0) return NO_EFFECT;
  const by = changed.reduce(
    (sum, { before, after }) => sum + Number(after !== null) - Number(before !== null),
    0,
  );
  const events: readonly NewEvent[] = namedAs
    ? changed.flatMap((change) => eventOf(facts, namedAs, change))
    : [];
  return { changes: [...changed, ...touchHolder(facts, holder, { by })], events };
};

/**
 * Whose role may be another now: whoever comes or goes where the group gives one; and whoever goes
 * with one that the group gave until lately, for a job that takes it back looks for him among the
 * members.
 */
const followers = (
  facts: Facts,
  group: Holder['group'],
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
 * Changes the members of a roster: memberships, counts, versions, events, and the roles that follow
 * (decisions.md 5). Entries that change nothing are passed over. All of it in this commit: whoever
 * calls has seen that it fits.
 */
export const changeMembers = (
  facts: Facts,
  rosterId: RosterId,
  entries: readonly RosterEntry[],
): Effect => {
  const holder = holderOf(facts, rosterId);
  const { group } = holder;
  const members = { rosterId, holder, entries, namedAs: memberHolderOf(facts, holder) };
  requireEntries(facts, rosterId, entries);
  const userIds = followers(facts, group, entries);
  const comeAndGo = (now: Facts): Effect => changeMemberships(now, members);
  // To see a thousand as they will be costs as much as to change them.
  if (userIds.length === 0) return comeAndGo(facts);
  return inOrder(facts, [comeAndGo, (now) => applyRoleMappings(now, userIds)]);
};

const leaving = ({ userId, txPermission }: Membership): RosterEntry => ({
  userId,
  action: 'leave',
  txPermission,
});

/**
 * Ends memberships of a roster whose group or room is gone, with the roles that they gave;
 * `namedAs` is what it was then, for the events. A room that stays counts on.
 */
export const endMemberships = (
  facts: Facts,
  memberships: readonly Membership[],
  { rosterId, namedAs }: { readonly rosterId: RosterId; readonly namedAs: MemberHolder },
): Effect => {
  const entries = memberships.map(leaving);
  return inOrder(facts, [
    (now) =>
      changeMemberships(now, { rosterId, holder: holderOf(now, rosterId), entries, namedAs }),
    (now) =>
      applyRoleMappings(
        now,
        memberships.map(({ userId }) => userId),
      ),
  ]);
};

/**
 * A user who is deleted leaves every room and group he is in, each with its event. He is on each
 * roster once, so none of it depends on the rest.
 */
export const leaveAll = (facts: Facts, memberships: readonly Membership[]): Effect => {
  facts.require(memberships.flatMap(({ rosterId }) => holderNeeds(rosterId)));
  const effects = memberships.map((membership) => {
    const { rosterId } = membership;
    const holder = holderOf(facts, rosterId);
    const namedAs = memberHolderOf(facts, holder);
    const entries = [leaving(membership)];
    return changeMemberships(facts, { rosterId, holder, entries, namedAs });
  });
  return {
    changes: effects.flatMap(({ changes }) => changes),
    events: effects.flatMap(({ events }) => events),
  };
};
