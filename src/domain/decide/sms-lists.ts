import type { UpdateSmsList } from '../commands.js';
import { fold } from '../fold.js';
import { type Refusal, refuse } from '../refusals.js';
import type { SmsList } from '../sms-list.js';
import { isSmsWindow, type SmsWindow } from '../sms-window.js';
import type { Need } from '../tables.js';
import { count } from './count.js';
import type { Decider, Facts } from './decider.js';
import { inOrder } from './effect.js';
import { clearSmsList } from './sms-large-change.js';
import { noSuchSmsList, openSmsList, smsEventBy, WINDOW_FAULT } from './sms-list-steps.js';
import { noSuchTenant, requireVersion, unchanged } from './user-steps.js';

type Head = Pick<SmsList, 'name' | 'externalId' | keyof SmsWindow>;

const headNeeds = ({ name, externalId }: Partial<Head>): readonly Need[] => [
  ...(name === undefined ? [] : [{ table: 'smsLists', index: 'name', key: fold(name) } as const]),
  ...(externalId === undefined || externalId === null
    ? []
    : [{ table: 'smsLists', index: 'externalId', key: externalId } as const]),
];

const windowFault = (): Refusal =>
  refuse('INVALID_REQUEST', `The window of the list is not valid: valid_until ${WINDOW_FAULT}.`, {
    details: [{ path: 'valid_until', message: WINDOW_FAULT }],
  });

/** Why a list cannot have this head; `id` is the list itself, which is not in its own way. */
const requireHead = (facts: Facts, head: Head, id: SmsList['id']): Refusal | undefined => {
  if (!isSmsWindow(head)) return windowFault();
  const { name, externalId } = head;
  const namesake = facts.find('smsLists', 'name', fold(name));
  if (namesake && namesake.id !== id)
    return refuse('NAME_TAKEN', `Another SMS list has the name "${name}".`);
  if (externalId === null) return undefined;
  const twin = facts.find('smsLists', 'externalId', externalId);
  return twin && twin.id !== id
    ? refuse('EXTERNAL_ID_TAKEN', `Another SMS list has the external id "${externalId}".`)
    : undefined;
};

export const createSmsList: Decider<'sms-list.create'> = {
  needs: headNeeds,
  decide: (envelope, facts) => {
    const { type: _type, listId, ...head } = envelope.command;
    const { tenant, now } = facts;
    if (!tenant) return noSuchTenant();
    const refusal = requireHead(facts, head, listId);
    if (refusal) return { refusal };
    const list: SmsList = {
      id: listId,
      tenantId: tenant.id,
      ...head,
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
        ...count(facts, { smsListCount: 1 }),
      ],
      events: [smsEventBy(envelope, 'sms_list.created', list)],
      result: list,
    };
  },
  recall: ({ listId }, facts) => facts.find('smsLists', 'id', listId),
};

const headAfter = (list: SmsList, command: UpdateSmsList): Head => {
  const { name, externalId, validFrom, validUntil } = command;
  return {
    name: name ?? list.name,
    externalId: externalId === undefined ? list.externalId : externalId,
    validFrom: validFrom === undefined ? list.validFrom : validFrom,
    validUntil: validUntil === undefined ? list.validUntil : validUntil,
  };
};

const isSameTime = (one: Date | null, other: Date | null): boolean =>
  one?.getTime() === other?.getTime();

/** The words of the interface for what differs. */
const changedIn = (before: Head, after: Head): readonly string[] => [
  ...(before.externalId === after.externalId ? [] : ['external_id']),
  ...(before.name === after.name ? [] : ['name']),
  ...(isSameTime(before.validFrom, after.validFrom) ? [] : ['valid_from']),
  ...(isSameTime(before.validUntil, after.validUntil) ? [] : ['valid_until']),
];

export const updateSmsList: Decider<'sms-list.update'> = {
  needs: (command) => [
    { table: 'smsLists', index: 'id', key: command.listId },
    ...headNeeds(command),
  ],
  decide: (envelope, facts) => {
    const { command } = envelope;
    const list = facts.find('smsLists', 'id', command.listId);
    if (!list) return noSuchSmsList();
    const head = headAfter(list, command);
    const refusal =
      requireVersion(list, command.ifMatch) ?? requireHead(facts, head, command.listId);
    if (refusal) return { refusal };
    const changed = changedIn(list, head);
    if (changed.length === 0) return unchanged(list);
    const after: SmsList = { ...list, ...head, version: list.version + 1, updatedAt: facts.now };
    return {
      changes: [{ table: 'smsLists', before: list, after }],
      events: [smsEventBy(envelope, 'sms_list.updated', after, { changed })],
      result: after,
    };
  },
  recall: ({ listId }, facts) => facts.find('smsLists', 'id', listId),
};

/** The list is gone at once, for everybody; of many members the rest goes by a job. */
export const deleteSmsList: Decider<'sms-list.delete'> = {
  needs: ({ listId }) => [{ table: 'smsLists', index: 'id', key: listId }],
  decide: (envelope, facts) => {
    const opened = openSmsList(facts, envelope.command);
    if ('refusal' in opened) return opened;
    const { list } = opened;
    const effect = inOrder(facts, [
      (now) => ({
        changes: [
          { table: 'smsLists', before: list, after: null },
          ...count(now, { smsListCount: -1 }),
        ],
        events: [smsEventBy(envelope, 'sms_list.deleted', list)],
      }),
      (now) => clearSmsList(now, envelope, list),
    ]);
    return { ...effect, result: null };
  },
  recall: () => null,
};
