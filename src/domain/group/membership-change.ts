import type { MemberStep } from '../commands.js';
import type { Facts } from '../kernel/decider.js';
import type { RosterId, UserId } from '../kernel/ids.js';
import { each, mapped, type Chunked } from '../kernel/chunked.js';
import type { RosterEntry } from '../job/job.js';
import { requireEach } from '../kernel/require-each.js';
import { membershipIdOf } from '../room/membership.js';
import type { Lookup } from '../tables.js';

/** The net of a request's steps on the members of a group. */
export interface MembershipChange {
  /** Whether members that are not named stay. */
  readonly keepsOthers: boolean;
  /** Whether each named user is to be a member. */
  readonly wanted: ReadonlyMap<UserId, boolean>;
  /** Users that a step adds, even if a later step removes them: all must exist. */
  readonly named: readonly UserId[];
}

/** The last step that names a user decides (RFC 7644, 3.5.2). */
export const netMembershipChange = function* (
  steps: readonly MemberStep[],
): Chunked<MembershipChange> {
  const wanted = new Map<UserId, boolean>();
  const named = new Set<UserId>();
  let keepsOthers = true;
  for (const step of steps) {
    if (step.op === 'replace' || step.op === 'removeAll') {
      keepsOthers = false;
      wanted.clear();
    }
    if (step.op === 'removeAll') continue;
    const { op, userIds } = step;
    yield* each(userIds, (id) => {
      wanted.set(id, op !== 'remove');
      if (op !== 'remove') named.add(id);
    });
  }
  return { keepsOthers, wanted, named: [...named] };
};

const join = (userId: UserId): RosterEntry => ({ userId, action: 'join', txPermission: false });
const leave = (userId: UserId): RosterEntry => ({ userId, action: 'leave', txPermission: false });

/** The lookups of `entriesFor`. */
export const lookupsOfChange = function* (
  rosterId: RosterId,
  { keepsOthers, wanted }: MembershipChange,
): Chunked<readonly Lookup[]> {
  if (!keepsOthers) return [{ table: 'memberships', index: 'roster', key: rosterId }];
  return yield* mapped(
    wanted.keys(),
    (id) => ({ table: 'memberships', index: 'id', key: membershipIdOf(rosterId, id) }) as const,
  );
};

/**
 * The entries that make the change, without users whose membership is already as wanted. The cost
 * depends on the users named, not on the size of the group, unless the change replaces all members.
 */
export const entriesFor = function* (
  facts: Facts,
  rosterId: RosterId,
  change: MembershipChange,
): Chunked<readonly RosterEntry[]> {
  const { keepsOthers, wanted } = change;
  yield* requireEach(facts, yield* lookupsOfChange(rosterId, change), (lookup) => lookup);
  if (!keepsOthers) return yield* differenceTo(facts, rosterId, wanted);
  const entries: RosterEntry[] = [];
  yield* each(wanted, ([userId, isWanted]) => {
    const isMember =
      facts.find('memberships', 'id', membershipIdOf(rosterId, userId)) !== undefined;
    if (isMember !== isWanted) entries.push(isWanted ? join(userId) : leave(userId));
  });
  return entries;
};

const differenceTo = function* (
  facts: Facts,
  rosterId: RosterId,
  wanted: MembershipChange['wanted'],
): Chunked<readonly RosterEntry[]> {
  const current = new Set<UserId>();
  yield* each(facts.list('memberships', 'roster', rosterId), ({ userId }) => current.add(userId));
  const entries: RosterEntry[] = [];
  yield* each(wanted, ([userId, isWanted]) => {
    if (isWanted && !current.has(userId)) entries.push(join(userId));
  });
  yield* each(current, (userId) => {
    if (wanted.get(userId) !== true) entries.push(leave(userId));
  });
  return entries;
};
