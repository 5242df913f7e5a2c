import type { Commands } from '../commands.js';
import { type Decider, type Facts, unchanged, combineInOrder } from '../kernel/decider.js';
import { nameKey } from '../kernel/names.js';
import { raise } from '../kernel/refusals.js';
import { isAnother, requireEntity, requireTenant } from '../kernel/requirements.js';
import { isSmsWindow, type SmsList, type SmsWindow } from './sms-list.js';
import type { Lookup } from '../tables.js';
import { adjustCounts } from '../tenant/tenant-counts.js';
import { clearSmsList } from './change-sms-members.js';
import { smsListEvent, requireChangeableList, isSameTime, WINDOW_ERROR } from './sms-list-rules.js';

type ListAttributes = Pick<SmsList, 'name' | 'externalId' | keyof SmsWindow>;

const lookupsOf = ({ name, externalId }: Partial<ListAttributes>): readonly Lookup[] => [
  ...(name === undefined
    ? []
    : [{ table: 'smsLists', index: 'name', key: nameKey(name) } as const]),
  ...(externalId === undefined || externalId === null
    ? []
    : [{ table: 'smsLists', index: 'externalId', key: externalId } as const]),
];

/** That the list with this id can have these attributes. */
const requireAttributes = (facts: Facts, attributes: ListAttributes, id: SmsList['id']): void => {
  if (!isSmsWindow(attributes))
    raise('INVALID_REQUEST', `The window of the list is not valid: valid_until ${WINDOW_ERROR}.`, {
      details: [{ path: 'valid_until', message: WINDOW_ERROR }],
    });
  const { name, externalId } = attributes;
  if (isAnother(facts.find('smsLists', 'name', nameKey(name)), id))
    raise('NAME_TAKEN', `Another SMS list has the name "${name}".`);
  if (externalId !== null && isAnother(facts.find('smsLists', 'externalId', externalId), id))
    raise('EXTERNAL_ID_TAKEN', `Another SMS list has the external id "${externalId}".`);
};

export const createSmsList: Decider<'sms-list.create'> = {
  lookups: lookupsOf,
  decide: (envelope, facts) => {
    const { type: _type, listId, ...attributes } = envelope.command;
    const { now } = facts;
    const tenant = requireTenant(facts);
    requireAttributes(facts, attributes, listId);
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
    const found = facts.find('smsLists', 'id', command.listId);
    const list = requireEntity(found, 'SMS_LIST_NOT_FOUND', command.ifMatch);
    const attributes = attributesAfter(list, command);
    requireAttributes(facts, attributes, list.id);
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
    const list = requireChangeableList(facts, envelope.command);
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
