import { apiKeyIdOf } from '../kernel/actor.js';
import type { Command, CommandContext } from '../commands.js';
import type { EventName, NewEvent } from '../events.js';
import type { SmsMembersReport } from '../job/job.js';
import type { JsonObject } from '../kernel/json.js';
import type { SmsList } from './sms-list.js';
import { type Facts, postpone } from '../kernel/decider.js';
import type { JobId } from '../kernel/ids.js';
import { raise } from '../kernel/refusals.js';
import { requireEntity } from '../kernel/requirements.js';
import type { Change } from '../tables.js';

type SmsEventName = Extract<EventName, `sms_list.${string}`>;

/** An event of a list or its members: counts, never numbers (interface.md, Events). */
const smsEvent = (
  name: SmsEventName,
  { id, externalId, name: listName }: Pick<SmsList, 'id' | 'externalId' | 'name'>,
  more: JsonObject,
): NewEvent => ({
  name,
  resource: { kind: 'sms_list', id },
  data: { list: { id, external_id: externalId, name: listName }, ...more },
});

/** An event of a list, with the API key that acted (decisions.md 7). */
export const smsListEvent = (
  { actor }: CommandContext,
  ...[name, list, more = {}]: [SmsEventName, SmsList, JsonObject?]
): NewEvent => smsEvent(name, list, { ...more, api_key_id: apiKeyIdOf(actor) });

/** At most one event of each kind per request, for any number of members (decisions.md 6). */
export const smsMembersEvents = (
  list: SmsList,
  { added, updated, removed, apiKeyId: api_key_id }: SmsMembersReport,
): readonly NewEvent[] => [
  ...(added + updated > 0
    ? [smsEvent('sms_list.members_added', list, { added, updated, api_key_id })]
    : []),
  ...(removed > 0 ? [smsEvent('sms_list.members_removed', list, { removed, api_key_id })] : []),
];

/** For a list and for a member. */
export const WINDOW_ERROR = 'must be after valid_from';

export const isSameTime = (one: Date | null, other: Date | null): boolean =>
  one?.getTime() === other?.getTime();

type ListCommand = Extract<Command, { readonly listId: SmsList['id'] }>;

/** The list whose members the command changes, unless a job changes them now. */
export const requireChangeableList = (facts: Facts, command: ListCommand): SmsList => {
  const list = requireEntity(
    facts.find('smsLists', 'id', command.listId),
    'SMS_LIST_NOT_FOUND',
    'ifMatch' in command ? command.ifMatch : undefined,
  );
  return list.pendingJob === null ? list : postpone('the members of this list');
};

export const raiseSmsMemberNotFound = (): never =>
  raise('MEMBER_NOT_FOUND', 'No member of this SMS list has this id.');

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
