import { apiKeyIdOf } from '../actor.js';
import type { Asked, Command } from '../commands.js';
import { type NewEvent, smsListEvent } from '../events.js';
import type { JobId } from '../ids.js';
import type { SmsMembersReport } from '../job.js';
import { type Refusal, refuse } from '../refusals.js';
import type { SmsList } from '../sms-list.js';
import type { Change } from '../tables.js';
import type { Facts, Refused } from './decider.js';
import { requireVersion } from './user-steps.js';

export const noSuchSmsList = (): { readonly refusal: Refusal } => ({
  refusal: refuse('SMS_LIST_NOT_FOUND', 'No SMS list has this id.'),
});

export const noSuchSmsMember = (): { readonly refusal: Refusal } => ({
  refusal: refuse('MEMBER_NOT_FOUND', 'No member of this SMS list has this id.'),
});

/** What a window that ends before it begins is told, wherever it stands. */
export const WINDOW_FAULT = 'must be after valid_from';

const busy = (): Refused => ({
  refusal: refuse(
    'UNAVAILABLE',
    'An earlier change of the members of this list is still being carried out. Try again shortly.',
    { retryAfter: 2 },
  ),
  postponed: true,
});

type OnList = Extract<Command, { readonly listId: SmsList['id'] }>;

/** The list whose members can be changed now, or why they cannot. */
export const openSmsList = (
  facts: Facts,
  command: OnList,
): { readonly list: SmsList } | Refused => {
  const list = facts.find('smsLists', 'id', command.listId);
  if (!list) return noSuchSmsList();
  const refusal = 'ifMatch' in command ? requireVersion(list, command.ifMatch) : undefined;
  if (refusal) return { refusal };
  return list.pendingJob === null ? { list } : busy();
};

interface Touch {
  /** How many members come (or, negative, go). */
  readonly by?: number;
  /** Places that are given to new members. */
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

/** One event of a kind for a whole request, however many numbers it changed (decisions.md 6). */
export const smsMembersEvents = (
  list: SmsList,
  { added, updated, removed, apiKeyId }: SmsMembersReport,
): readonly NewEvent[] => {
  const by = { api_key_id: apiKeyId };
  return [
    ...(added + updated > 0
      ? [smsListEvent('sms_list.members_added', list, { added, updated, ...by })]
      : []),
    ...(removed > 0 ? [smsListEvent('sms_list.members_removed', list, { removed, ...by })] : []),
  ];
};

/** Whoever acted stands in every event of a list (decisions.md 7). */
export const smsEventBy = (
  { actor }: Pick<Asked, 'actor'>,
  ...[name, list, more = {}]: [
    Parameters<typeof smsListEvent>[0],
    SmsList,
    Parameters<typeof smsListEvent>[2]?,
  ]
) => smsListEvent(name, list, { ...more, api_key_id: apiKeyIdOf(actor) });
