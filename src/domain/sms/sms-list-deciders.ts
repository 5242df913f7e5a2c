import type { Commands } from '../commands.js';
import { type Decider, type Facts, unchanged, combineInOrder } from '../kernel/decider.js';
import { nameKey } from '../kernel/names.js';
import {
  smsListNotFound,
  tenantNotFound,
  requireVersion,
  type Refusal,
  refuse,
} from '../kernel/refusals.js';
import { isSmsWindow, type SmsList, type SmsWindow } from './sms-list.js';
import type { Lookup } from '../tables.js';
import { adjustCounts } from '../tenant/tenant-counts.js';
import { clearSmsList } from './change-sms-members.js';
import { smsListEvent, findChangeableList, isSameTime, WINDOW_ERROR } from './sms-list-rules.js';

type ListAttributes = Pick<SmsList, 'name' | 'externalId' | keyof SmsWindow>;

const lookupsOf = ({ name, externalId }: Partial<ListAttributes>): readonly Lookup[] => [
  ...(name === undefined
    ? []
    : [{ table: 'smsLists', index: 'name', key: nameKey(name) } as const]),
  ...(externalId === undefined || externalId === null
    ? []
    : [{ table: 'smsLists', index: 'externalId', key: externalId } as const]),
];

const windowError = (): Refusal =>
  refuse('INVALID_REQUEST', `The window of the list is not valid: valid_until ${WINDOW_ERROR}.`, {
    details: [{ path: 'valid_until', message: WINDOW_ERROR }],
  });

/** Why the list with this id cannot have these attributes. */
const requireAttributes = (
  facts: Facts,
  attributes: ListAttributes,
  id: SmsList['id'],
): Refusal | undefined => {
  if (!isSmsWindow(attributes)) return windowError();
  const { name, externalId } = attributes;
  const namesake = facts.find('smsLists', 'name', nameKey(name));
  if (namesake && namesake.id !== id)
    return refuse('NAME_TAKEN', `Another SMS list has the name "${name}".`);
  if (externalId === null) return undefined;
  const other = facts.find('smsLists', 'externalId', externalId);
  return other && other.id !== id
    ? refuse('EXTERNAL_ID_TAKEN', `Another SMS list has the external id "${externalId}".`)
    : undefined;
};

export const createSmsList: Decider<'sms-list.create'> = {
  lookups: lookupsOf,
  decide: (envelope, facts) => {
    const { type: _type, listId, ...attributes } = envelope.command;
    const { tenant, now } = facts;
    if (!tenant) return tenantNotFound();
    const refusal = requireAttributes(facts, attributes, listId);
    if (refusal) return { refusal };
    const list: SmsList = {
      id: listId,
      tenantId: tenant.id,
      ...attributes,
      memberCount: 0,
      nextPlace: 0,
      version: 1,
      pendingJob: null,
      createdAt: now,
      updatedAt: now,
    };
    return {
      changes: [
        { table: 'smsLists', before: null, after: list },
        ...adjustCounts(facts, { smsListCount: 1 }),
      ],
      events: [smsListEvent(envelope, 'sms_list.created', list)],
      result: list,
    };
  },
  recall: ({ listId }, facts) => facts.find('smsLists', 'id', listId),
};

const attributesAfter = (list: SmsList, command: Commands['sms-list.update']): ListAttributes => {
  const { name, externalId, validFrom, validUntil } = command;
  return {
    name: name ?? list.name,
    externalId: externalId === undefined ? list.externalId : externalId,
    validFrom: validFrom === undefined ? list.validFrom : validFrom,
    validUntil: validUntil === undefined ? list.validUntil : validUntil,
  };
};

/** API names of the changed attributes. */
const changedIn = (before: ListAttributes, after: ListAttributes): readonly string[] => [
  ...(before.externalId === after.externalId ? [] : ['external_id']),
  ...(before.name === after.name ? [] : ['name']),
  ...(isSameTime(before.validFrom, after.validFrom) ? [] : ['valid_from']),
  ...(isSameTime(before.validUntil, after.validUntil) ? [] : ['valid_until']),
];

export const updateSmsList: Decider<'sms-list.update'> = {
  lookups: (command) => [
    { table: 'smsLists', index: 'id', key: command.listId },
    ...lookupsOf(command),
  ],
  decide: (envelope, facts) => {
    const { command } = envelope;
    const list = facts.find('smsLists', 'id', command.listId);
    if (!list) return smsListNotFound();
    const attributes = attributesAfter(list, command);
    const refusal =
      requireVersion(list, command.ifMatch) ?? requireAttributes(facts, attributes, list.id);
    if (refusal) return { refusal };
    const changed = changedIn(list, attributes);
    if (changed.length === 0) return unchanged(list);
    const after: SmsList = {
      ...list,
      ...attributes,
      version: list.version + 1,
      updatedAt: facts.now,
    };
    return {
      changes: [{ table: 'smsLists', before: list, after }],
      events: [smsListEvent(envelope, 'sms_list.updated', after, { changed })],
      result: after,
    };
  },
  recall: ({ listId }, facts) => facts.find('smsLists', 'id', listId),
};

/** The list is deleted in this commit; if it has many members, a job removes them afterwards. */
export const deleteSmsList: Decider<'sms-list.delete'> = {
  lookups: ({ listId }) => [{ table: 'smsLists', index: 'id', key: listId }],
  decide: (envelope, facts) => {
    const found = findChangeableList(facts, envelope.command);
    if ('refusal' in found) return found;
    const { list } = found;
    const effect = combineInOrder(facts, [
      (current) => ({
        changes: [
          { table: 'smsLists', before: list, after: null },
          ...adjustCounts(current, { smsListCount: -1 }),
        ],
        events: [smsListEvent(envelope, 'sms_list.deleted', list)],
      }),
      (current) => clearSmsList(current, envelope, list),
    ]);
    return { ...effect, result: null };
  },
  recall: () => null,
};
