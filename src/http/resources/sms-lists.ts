import { idField, PAGE_FIELDS, pageOf, timeField } from '../../routes/fields.js';
import {
  type RouteResponse,
  readRoute,
  type Route,
  writeRoute,
  runCommand,
} from '../../routes/route.js';
import { fromWire } from '../../routes/wire.js';
import { raise, smsMemberNotFound } from '../../domain/kernel/refusals.js';
import {
  parseSmsListId,
  parseSmsMemberId,
  type SmsListId,
  type SmsMemberId,
} from '../../domain/kernel/ids.js';
import type { SmsList } from '../../domain/sms/sms-list.js';
import {
  presentSmsList,
  windowFrom,
  NewSmsList,
  SmsListChanges,
  SmsListView,
} from './sms-bodies.js';
import { throwRefusal } from '../errors.js';
import { z } from 'zod';
import { NOT_MODIFIED } from '../../routes/responses.js';
import { newId } from '../../pipeline/submit.js';
import { precondition } from '../conditional.js';
import type { RouteParts } from './route-parts.js';

export const LIST_PARAM = { id: idField("The list's id.") };

export const listIdFrom = (text: string): SmsListId =>
  parseSmsListId(text) ?? raise('SMS_LIST_NOT_FOUND');

export const memberIdFrom = (text: string): SmsMemberId =>
  parseSmsMemberId(text) ?? throwRefusal(smsMemberNotFound());

const respondWithList = (status: number, list: SmsList): RouteResponse => ({
  status,
  body: presentSmsList(list),
  version: list.version,
});

const tag = 'SMS lists';
const params = z.object(LIST_PARAM);

const ListFilters = z.strictObject({
  ...PAGE_FIELDS,
  external_id: z.string().min(1).max(256).optional().describe('The list with this external id.'),
  valid_at: timeField().optional().describe('Lists that are valid at this time.'),
});

const listLists = ({ smsLists }: RouteParts): Route =>
  readRoute({
    path: '/sms-lists',
    scope: 'api:sms_lists:read',
    operationId: 'listSmsLists',
    tag,
    summary: 'List SMS lists',
    description: 'Oldest first. Filters are combined with AND.',
    query: ListFilters,
    responses: {
      200: {
        description: 'A page of lists.',
        body: pageOf('sms_lists', SmsListView, 'SmsListList'),
      },
    },
    handler: async ({ caller: { tenant }, query }) => {
      const { valid_at, ...filters } = query;
      const { limit, offset } = query;
      const { items, total } = await smsLists.page(tenant.id, {
        ...fromWire(filters),
        ...(valid_at !== undefined && { validAt: new Date(valid_at) }),
      });
      return { status: 200, body: { sms_lists: items.map(presentSmsList), total, limit, offset } };
    },
  });

const createList = (): Route =>
  writeRoute({
    method: 'POST',
    path: '/sms-lists',
    scope: 'api:sms_lists:write',
    role: 'operator',
    operationId: 'createSmsList',
    tag,
    summary: 'Create an SMS list',
    command: 'sms-list.create',
    description: 'Emits `sms_list.created`.',
    body: NewSmsList,
    responses: { 201: { description: 'The list.', body: SmsListView } },
    refusals: ['NAME_TAKEN', 'EXTERNAL_ID_TAKEN'],
    handler: async (request) => {
      const { name, external_id = null } = request.body;
      const list = await runCommand(request, request.caller.tenant.id, {
        type: 'sms-list.create',
        listId: newId<SmsListId>(),
        name,
        externalId: external_id,
        validFrom: null,
        validUntil: null,
        ...windowFrom(request.body),
      });
      return { ...respondWithList(201, list), location: `/sms-lists/${list.id}` };
    },
  });

const readList = ({ smsLists }: RouteParts): Route =>
  readRoute({
    path: '/sms-lists/{id}',
    scope: 'api:sms_lists:read',
    operationId: 'getSmsList',
    tag,
    summary: 'Get an SMS list',
    description: 'Without its members. Its ETag changes whenever its members change.',
    params,
    responses: {
      200: { description: 'The list.', body: SmsListView },
      304: NOT_MODIFIED,
    },
    refusals: ['SMS_LIST_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async ({ caller: { tenant }, params: { id } }) =>
      respondWithList(
        200,
        (await smsLists.find(tenant.id, listIdFrom(id))) ?? raise('SMS_LIST_NOT_FOUND'),
      ),
  });

const updateList = (): Route =>
  writeRoute({
    method: 'PATCH',
    path: '/sms-lists/{id}',
    scope: 'api:sms_lists:write',
    role: 'operator',
    operationId: 'updateSmsList',
    tag,
    summary: "Update an SMS list's name, external id or validity window",
    command: 'sms-list.update',
    description: 'Null clears a field. Emits `sms_list.updated` if anything changed.',
    params,
    body: SmsListChanges,
    responses: { 200: { description: 'The updated list.', body: SmsListView } },
    refusals: ['SMS_LIST_NOT_FOUND', 'NAME_TAKEN', 'EXTERNAL_ID_TAKEN', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { name, external_id } = request.body;
      const list = await runCommand(request, request.caller.tenant.id, {
        type: 'sms-list.update',
        listId: listIdFrom(request.params.id),
        ...(name !== undefined && { name }),
        ...(external_id !== undefined && { externalId: external_id }),
        ...windowFrom(request.body),
        ...precondition(request.ifMatch),
      });
      return respondWithList(200, list);
    },
  });

const deleteList = (): Route =>
  writeRoute({
    method: 'DELETE',
    path: '/sms-lists/{id}',
    scope: 'api:sms_lists:write',
    role: 'operator',
    operationId: 'deleteSmsList',
    tag,
    summary: 'Delete an SMS list and its members',
    command: 'sms-list.delete',
    description: 'Emits `sms_list.deleted`.',
    params,
    responses: { 204: { description: 'The list was deleted.' } },
    refusals: ['SMS_LIST_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      await runCommand(request, request.caller.tenant.id, {
        type: 'sms-list.delete',
        listId: listIdFrom(request.params.id),
        ...precondition(request.ifMatch),
      });
      return { status: 204 };
    },
  });

/** SMS lists (decisions.md 6). */
export const smsListRoutes = (parts: RouteParts): readonly Route[] =>
  [listLists, createList, readList, updateList, deleteList].map((declare) => declare(parts));
