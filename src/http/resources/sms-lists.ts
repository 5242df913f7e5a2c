import { PAGE_FIELDS, textFilter, timeField } from '../../routes/fields.js';
import { readRoute, type Route, writeRoute } from '../../routes/route.js';
import { fromWire } from '../../routes/wire.js';
import { parseSmsListId, type SmsListId } from '../../domain/kernel/ids.js';
import type { SmsList } from '../../domain/sms/sms-list.js';
import {
  presentSmsList,
  windowFrom,
  NewSmsList,
  SmsListChanges,
  SmsListView,
} from './sms-bodies.js';
import { z } from 'zod';
import { newId } from '../../pipeline/submit.js';
import { resourceRoutes } from '../routing/resource-routes.js';
import type { RouteParts } from './route-parts.js';

export const list = resourceRoutes({
  noun: 'list',
  path: '/sms-lists',
  view: SmsListView,
  present: presentSmsList,
  versionOf: ({ version }: SmsList) => version,
  parse: parseSmsListId,
  missing: 'SMS_LIST_NOT_FOUND',
  target: (listId) => ({ listId }),
  commands: { create: 'sms-list.create', update: 'sms-list.update', delete: 'sms-list.delete' },
});

const tag = 'SMS lists';
const READ = { scope: 'api:sms_lists:read', tag } as const;
const WRITE = { scope: 'api:sms_lists:write', role: 'operator', tag } as const;

const ListFilters = z.strictObject({
  ...PAGE_FIELDS,
  external_id: textFilter('The list with this external id.'),
  valid_at: timeField().optional().describe('Lists that are valid at this time.'),
});

/** SMS lists (decisions.md 6). */
export const smsListRoutes = ({ smsLists }: RouteParts): readonly Route[] => [
  readRoute({
    ...READ,
    ...list.list({
      query: ListFilters,
      read: (tenantId, { valid_at, ...filters }) =>
        smsLists.page(tenantId, {
          ...fromWire(filters),
          ...(valid_at !== undefined && { validAt: new Date(valid_at) }),
        }),
    }),
    operationId: 'listSmsLists',
    summary: 'List SMS lists',
    description: 'Oldest first. Filters are combined with AND.',
  }),
  writeRoute({
    ...WRITE,
    ...list.create({
      body: NewSmsList,
      fields: ({ name, external_id = null, ...window }) => ({
        listId: newId<SmsListId>(),
        name,
        externalId: external_id,
        validFrom: null,
        validUntil: null,
        ...windowFrom(window),
      }),
      refusals: ['NAME_TAKEN', 'EXTERNAL_ID_TAKEN'],
    }),
    operationId: 'createSmsList',
    summary: 'Create an SMS list',
    description: 'Emits `sms_list.created`.',
  }),
  readRoute({
    ...READ,
    ...list.get(smsLists),
    operationId: 'getSmsList',
    summary: 'Get an SMS list',
    description: 'Without its members. Its ETag changes whenever its members change.',
  }),
  writeRoute({
    ...WRITE,
    ...list.update({
      body: SmsListChanges,
      fields: (target, { name, external_id, ...window }) => ({
        ...target,
        ...fromWire({ name, external_id }),
        ...windowFrom(window),
      }),
      refusals: ['NAME_TAKEN', 'EXTERNAL_ID_TAKEN'],
    }),
    operationId: 'updateSmsList',
    summary: "Update an SMS list's name, external id or validity window",
    description: 'Null clears a field. Emits `sms_list.updated` if anything changed.',
  }),
  writeRoute({
    ...WRITE,
    ...list.delete(),
    operationId: 'deleteSmsList',
    summary: 'Delete an SMS list and its members',
    description: 'Emits `sms_list.deleted`.',
  }),
];
