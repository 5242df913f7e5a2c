import type { Command } from '../commands.js';
import type { Facts, Refused } from '../kernel/decider.js';
import type { JobId } from '../kernel/ids.js';
import { smsListNotFound } from '../kernel/not-found.js';
import { requireVersion } from '../kernel/precondition.js';
import { refuse } from '../kernel/refusals.js';
import type { SmsList } from './sms-list.js';
import type { Change } from '../tables.js';

/** For a list and for a member. */
export const WINDOW_ERROR = 'must be after valid_from';

export const isSameTime = (one: Date | null, other: Date | null): boolean =>
  one?.getTime() === other?.getTime();

const postponed = (): Refused => ({
  refusal: refuse(
    'UNAVAILABLE',
    'An earlier change of the members of this list is still in progress. Try again shortly.',
    { retryAfter: 2 },
  ),
  postponed: true,
});

type ListCommand = Extract<Command, { readonly listId: SmsList['id'] }>;

/** The list whose members the command changes, or why it cannot change them now. */
export const findChangeableList = (
  facts: Facts,
  command: ListCommand,
): { readonly list: SmsList } | Refused => {
  const list = facts.find('smsLists', 'id', command.listId);
  if (!list) return smsListNotFound();
  const refusal = 'ifMatch' in command ? requireVersion(list, command.ifMatch) : undefined;
  if (refusal) return { refusal };
  return list.pendingJob === null ? { list } : postponed();
};

interface Touch {
  /** Number of members added, or removed if negative. */
  readonly by?: number;
  /** Number of places assigned to new members. */
  readonly places?: number;
  readonly pendingJob?: JobId | null;
}

/** A change of members is a change of their list. */
export const touchSmsList = (
  { now }: Pick<Facts, 'now'>,
  before: SmsList,
  { by = 0, places = 0, pendingJob = before.pendingJob }: Touch,
): Change => ({
  table: 'smsLists',
  before,
  after: {
    ...before,
    memberCount: before.memberCount + by,
    nextPlace: before.nextPlace + places,
    pendingJob,
    version: before.version + 1,
    updatedAt: now,
  },
});
