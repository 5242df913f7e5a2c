import { apiKeyIdOf } from '../kernel/actor.js';
import type { CommandContext } from '../commands.js';
import type { EventName, NewEvent } from '../events.js';
import type { SmsMembersReport } from '../job/job.js';
import type { JsonObject } from '../kernel/json.js';
import type { SmsList } from './sms-list.js';

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
