import type { MemberStep } from '../commands.js';
import type { RosterId, UserId } from '../ids.js';
import { each, mapped, type Pieces } from '../in-pieces.js';
import type { RosterEntry } from '../job.js';
import { membershipIdOf } from '../membership.js';
import type { Need } from '../tables.js';
import type { Facts } from './decider.js';
import { requireEach } from './require-each.js';

/** What a request wants of a group's members, whatever steps it took to say so. */
export interface MemberWish {
  /** Whether whoever is not named stays. */
  readonly keepsOthers: boolean;
  /** Whether each of those who are named is to be a member. */
  readonly wanted: ReadonlyMap<UserId, boolean>;
  /** Whom the request would have as a member, even if a later step takes him back: all must exist. */
  readonly named: readonly UserId[];
}

/** Steps in their order: the last word on a user is what counts (RFC 7644, 3.5.2). */
export const readWish = function* (steps: readonly MemberStep[]): Pieces<MemberWish> {
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

/** What `entriesOf` will ask for. */
export const needsOfWish = function* (
  rosterId: RosterId,
  { keepsOthers, wanted }: MemberWish,
): Pieces<readonly Need[]> {
  if (!keepsOthers) return [{ table: 'memberships', index: 'roster', key: rosterId }];
  return yield* mapped(
    wanted.keys(),
    (id) => ({ table: 'memberships', index: 'id', key: membershipIdOf(rosterId, id) }) as const,
  );
};

/**
 * What there is to do for a wish: nothing for who is or is not a member already. Costs what the
 * request names, not what the group has, unless the request is about everybody.
 */
export const entriesOf = function* (
  facts: Facts,
  rosterId: RosterId,
  wish: MemberWish,
): Pieces<readonly RosterEntry[]> {
  const { keepsOthers, wanted } = wish;
  yield* requireEach(facts, yield* needsOfWish(rosterId, wish), (need) => need);
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
  wanted: MemberWish['wanted'],
): Pieces<readonly RosterEntry[]> {
  const held = new Set<UserId>();
  yield* each(facts.list('memberships', 'roster', rosterId), ({ userId }) => held.add(userId));
  const entries: RosterEntry[] = [];
  yield* each(wanted, ([userId, isWanted]) => {
    if (isWanted && !held.has(userId)) entries.push(join(userId));
  });
  yield* each(held, (userId) => {
    if (wanted.get(userId) !== true) entries.push(leave(userId));
  });
  return entries;
};
