import type { Facts } from '../kernel/decider.js';
import type { UserId } from '../kernel/ids.js';
import { each, type Chunked } from '../kernel/chunked.js';
import { requireEach } from '../kernel/require-each.js';
import type { Membership } from '../room/membership.js';
import type { Lookup } from '../tables.js';

/** Of more users only the ids are loaded, to save memory. */
const MAX_WHOLE = 1_000;

const wholeUser = (key: UserId): Lookup => ({ table: 'users', index: 'id', key });

/** The lookups of `findMissingUsers`, if they are known in advance. */
export const lookupsOfUsers = (wanted: readonly UserId[]): readonly Lookup[] =>
  wanted.length <= MAX_WHOLE ? wanted.map(wholeUser) : [];

interface Wanted {
  readonly wanted: readonly UserId[];
  /** Loaded memberships: their users exist. */
  readonly present?: readonly Membership[];
}

/** The ids that belong to no user. */
export const findMissingUsers = function* (
  facts: Facts,
  { wanted, present = [] }: Wanted,
): Chunked<ReadonlySet<UserId>> {
  const [members, unchecked, missing] = [new Set<UserId>(), new Set<UserId>(), new Set<UserId>()];
  yield* each(present, ({ userId }) => members.add(userId));
  yield* each(wanted, (id) => {
    if (!members.has(id)) unchecked.add(id);
  });
  if (unchecked.size <= MAX_WHOLE) {
    facts.require([...unchecked].map(wholeUser));
    return new Set([...unchecked].filter((id) => !facts.find('users', 'id', id)));
  }
  // Users that this commit creates or deletes are found in `users` only.
  const tableOf = (id: UserId) => (facts.isLoaded(wholeUser(id)) ? 'users' : 'userIds');
  yield* requireEach(facts, unchecked, (key) => ({ table: tableOf(key), index: 'id', key }));
  yield* each(unchecked, (id) => {
    if (!facts.find(tableOf(id), 'id', id)) missing.add(id);
  });
  return missing;
};
