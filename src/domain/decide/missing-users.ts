import type { UserId } from '../ids.js';
import { each, type Pieces } from '../in-pieces.js';
import type { Membership } from '../membership.js';
import type { Need } from '../tables.js';
import type { Facts } from './decider.js';
import { requireEach } from './require-each.js';

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
export const missingUsers = function* (
  facts: Facts,
  { wanted, present = [] }: Wanted,
): Pieces<ReadonlySet<UserId>> {
  const [known, asked, missing] = [new Set<UserId>(), new Set<UserId>(), new Set<UserId>()];
  yield* each(present, ({ userId }) => known.add(userId));
  yield* each(wanted, (id) => {
    if (!known.has(id)) asked.add(id);
  });
  if (asked.size <= MOST_WHOLE) {
    facts.require([...asked].map(whole));
    return new Set([...asked].filter((id) => !facts.find('users', 'id', id)));
  }
  // Whom this commit itself makes or deletes is known whole, and only so.
  const tableOf = (id: UserId) => (facts.knows(whole(id)) ? 'users' : 'userIds');
  yield* requireEach(facts, asked, (key) => ({ table: tableOf(key), index: 'id', key }));
  yield* each(asked, (id) => {
    if (!facts.find(tableOf(id), 'id', id)) missing.add(id);
  });
  return missing;
};
