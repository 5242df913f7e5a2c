import type { UserId } from '../ids.js';
import type { Membership } from '../membership.js';
import type { Need } from '../tables.js';
import type { Facts } from './decider.js';

/** More ids than so many are looked up as ids alone: whole users would not fit into memory. */
const MOST_WHOLE = 1_000;

const whole = (key: UserId): Need => ({ table: 'users', index: 'id', key });

/** What `missingUsers` will ask for so many ids, where that is known beforehand. */
export const needsOfUsers = (wanted: readonly UserId[]): readonly Need[] =>
  wanted.length <= MOST_WHOLE ? wanted.map(whole) : [];

interface Wanted {
  readonly wanted: readonly UserId[];
  /** Memberships that are known: whoever has one exists. */
  readonly present?: readonly Membership[];
}

/** Which of these ids no user has. */
export const missingUsers = (
  facts: Facts,
  { wanted, present = [] }: Wanted,
): ReadonlySet<UserId> => {
  const known = new Set(present.map(({ userId }) => userId));
  const asked = [...new Set(wanted)].filter((id) => !known.has(id));
  if (asked.length <= MOST_WHOLE) {
    facts.require(asked.map(whole));
    return new Set(asked.filter((id) => !facts.find('users', 'id', id)));
  }
  // Whom this commit itself makes or deletes is known whole, and only so.
  const others = asked.filter((id) => !facts.knows(whole(id)));
  facts.require(others.map((key) => ({ table: 'userIds', index: 'id', key }) as const));
  const isMissing = (id: UserId): boolean =>
    facts.knows(whole(id)) ? !facts.find('users', 'id', id) : !facts.find('userIds', 'id', id);
  return new Set(asked.filter(isMissing));
};
