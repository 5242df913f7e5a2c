import type { MemberStep } from '../commands.js';
import type { RosterId, UserId } from '../ids.js';
import type { RosterEntry } from '../job.js';
import { membershipIdOf } from '../membership.js';
import type { Need } from '../tables.js';
import type { Facts } from './decider.js';

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
export const readWish = (steps: readonly MemberStep[]): MemberWish => {
  const wanted = new Map<UserId, boolean>();
  const named = new Set<UserId>();
  let keepsOthers = true;
  for (const step of steps) {
    if (step.op === 'replace' || step.op === 'removeAll') {
      keepsOthers = false;
      wanted.clear();
    }
    if (step.op === 'removeAll') continue;
    for (const id of step.userIds) {
      wanted.set(id, step.op !== 'remove');
      if (step.op !== 'remove') named.add(id);
    }
  }
  return { keepsOthers, wanted, named: [...named] };
};

const join = (userId: UserId): RosterEntry => ({ userId, action: 'join', txPermission: false });
const leave = (userId: UserId): RosterEntry => ({ userId, action: 'leave', txPermission: false });

/** What `entriesOf` will ask for. */
export const needsOfWish = (
  rosterId: RosterId,
  { keepsOthers, wanted }: MemberWish,
): readonly Need[] =>
  keepsOthers
    ? [...wanted.keys()].map((id) => ({
        table: 'memberships',
        index: 'id',
        key: membershipIdOf(rosterId, id),
      }))
    : [{ table: 'memberships', index: 'roster', key: rosterId }];

/**
 * What there is to do for a wish: nothing for who is or is not a member already. Costs what the
 * request names, not what the group has, unless the request is about everybody.
 */
export const entriesOf = (
  facts: Facts,
  rosterId: RosterId,
  wish: MemberWish,
): readonly RosterEntry[] => {
  const { keepsOthers, wanted } = wish;
  facts.require(needsOfWish(rosterId, wish));
  if (!keepsOthers) return differenceTo(facts, rosterId, wanted);
  return [...wanted].flatMap(([userId, isWanted]) => {
    const isMember =
      facts.find('memberships', 'id', membershipIdOf(rosterId, userId)) !== undefined;
    if (isMember === isWanted) return [];
    return [isWanted ? join(userId) : leave(userId)];
  });
};

const differenceTo = (
  facts: Facts,
  rosterId: RosterId,
  wanted: MemberWish['wanted'],
): readonly RosterEntry[] => {
  const held = new Set(facts.list('memberships', 'roster', rosterId).map(({ userId }) => userId));
  const entries: RosterEntry[] = [];
  for (const [userId, isWanted] of wanted)
    if (isWanted && !held.has(userId)) entries.push(join(userId));
  for (const userId of held) if (wanted.get(userId) !== true) entries.push(leave(userId));
  return entries;
};
