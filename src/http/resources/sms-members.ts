import { z } from 'zod';
import { parseSmsMemberId } from '../../domain/kernel/ids.js';
import { raise } from '../../domain/kernel/refusals.js';
import { raiseSmsMemberNotFound } from '../../domain/sms/sms-list-rules.js';
import { flagField, idField, PAGE_FIELDS, pageOf, timeField } from '../../routes/fields.js';
import { readRoute, type Route, writeRoute, runCommand } from '../../routes/route.js';
import { holdsAt } from '../../domain/sms/sms-list.js';
import { LONG_BODY_LIMIT } from '../json/read-json.js';
import {
  presentRemoval,
  presentReplacement,
  presentSmsMember,
  presentUpsert,
  SmsMemberList,
  SmsMembers,
  SmsMemberView,
  SmsNumbers,
  SmsRemoval,
  SmsReplacement,
  SmsUpsert,
  numberKeysOf,
  sealMembers,
} from './sms-bodies.js';
import { presentImport, readImport, SmsImport } from './sms-import.js';
import { list } from './sms-lists.js';
import type { RouteParts } from './route-parts.js';

const tag = 'SMS lists';
const path = '/sms-lists/{id}/members';
const { params } = list.ofOne;
const READ = { scope: 'api:sms_lists:read', tag, params } as const;
const WRITE = { scope: 'api:sms_lists:write', role: 'operator', tag, params } as const;
const changeQuery = z.strictObject({
  results: flagField()
    .optional()
    .describe('Also returns the result of each member. A dry run with it previews an import.'),
});

const ETAG_OF_LIST = "If-Match takes the list's ETag, which changes whenever its members change.";
const COUNTS_ONLY = 'Events contain counts, never phone numbers.';

const listMembers = ({ smsLists, numbers }: RouteParts): Route =>
  readRoute({
    ...READ,
    path,
    operationId: 'listSmsMembers',
    summary: 'List the members of an SMS list',
    description: 'Oldest first.',
    query: z.strictObject({
      ...PAGE_FIELDS,
      valid_at: timeField()
        .optional()
        .describe("Members that are valid at this time, regardless of the list's own window."),
    }),
    responses: {
      200: {
        description: 'A page of members.',
        body: pageOf('members', SmsMemberView, 'SmsMemberList'),
      },
    },
    refusals: ['SMS_LIST_NOT_FOUND'],
    handler: async ({ caller, params: { id }, query }) => {
      const { tenant } = caller;
      const { limit, offset, valid_at } = query;
      const filter = valid_at === undefined ? {} : { validAt: new Date(valid_at) };
      const memberQuery = { limit, offset, ...filter };
      const page =
        (await smsLists.memberPage(tenant.id, list.idFrom(id), memberQuery)) ??
        raise('SMS_LIST_NOT_FOUND');
      const members = page.members.map(presentSmsMember(numbers, caller));
      return { status: 200, body: { members, total: page.total, limit, offset } };
    },
  });

const listRecipients = ({ smsLists, numbers }: RouteParts): Route =>
  readRoute({
    ...READ,
    path: '/sms-lists/{id}/recipients',
    operationId: 'listSmsRecipients',
    summary: 'List the recipients of an SMS list',
    description:
      'Members who may receive messages at the time `at`: it is within the validity windows of both ' +
      'the list and the member. A window includes its start and excludes its end.',
    query: z.strictObject({
      ...PAGE_FIELDS,
      at: timeField().optional().describe('Defaults to the current time.'),
    }),
    responses: {
      200: {
        description: 'A page of recipients.',
        body: pageOf('recipients', SmsMemberView, 'SmsRecipientList'),
      },
    },
    refusals: ['SMS_LIST_NOT_FOUND'],
    handler: async ({ caller, params: { id }, query }) => {
      const { tenant } = caller;
      const { limit, offset } = query;
      const at = query.at === undefined ? new Date() : new Date(query.at);
      const memberQuery = { limit, offset, validAt: at };
      const page =
        (await smsLists.memberPage(tenant.id, list.idFrom(id), memberQuery)) ??
        raise('SMS_LIST_NOT_FOUND');
      const { members, total } = holdsAt(page.list, at) ? page : { members: [], total: 0 };
      const recipients = members.map(presentSmsMember(numbers, caller));
      return { status: 200, body: { recipients, total, limit, offset } };
    },
  });

const upsertMembers = ({ numbers: vault }: RouteParts): Route =>
  writeRoute({
    ...WRITE,
    method: 'POST',
    path,
    operationId: 'addSmsMembers',
    summary: 'Add or update members of an SMS list',
    command: 'sms-member.upsert',
    description:
      'Takes up to 1,000 members, identified by phone number; one invalid number rejects the whole ' +
      'request. For a number already on the list, omitted fields keep their value and null clears ' +
      `them. Emits one \`sms_list.members_added\`. ${COUNTS_ONLY} ${ETAG_OF_LIST}`,
    query: changeQuery,
    body: SmsMembers,
    responses: { 200: { description: 'The number of changes.', body: SmsUpsert, tagged: false } },
    refusals: ['SMS_LIST_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { tenant } = request.caller;
      const target = list.targetOf(request);
      const { listId } = target;
      const counts = await runCommand(request, tenant.id, {
        type: 'sms-member.upsert',
        ...target,
        members: await sealMembers(request.body.members, { vault, listId, tenant }),
        ...(request.query.results === true && { wantsResults: true }),
      });
      return { status: 200, body: presentUpsert(listId, counts) };
    },
  });

const replaceMembers = ({ numbers: vault }: RouteParts): Route =>
  writeRoute({
    ...WRITE,
    method: 'PUT',
    path,
    operationId: 'replaceSmsMembers',
    summary: 'Replace all members of an SMS list',
    command: 'sms-member.replace',
    description:
      'Members not in the body are removed; omitted fields are cleared. One invalid number rejects ' +
      'the whole request. When the change is complete, emits `sms_list.members_added` if any were ' +
      'added or updated, then `sms_list.members_removed` if any were removed. ' +
      `${COUNTS_ONLY} ${ETAG_OF_LIST}`,
    query: changeQuery,
    body: SmsMemberList,
    bodyLimit: LONG_BODY_LIMIT,
    longList: 'members',
    responses: {
      200: { description: 'The number of changes.', body: SmsReplacement, tagged: false },
    },
    refusals: ['SMS_LIST_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { tenant } = request.caller;
      const target = list.targetOf(request);
      const { listId } = target;
      const counts = await runCommand(request, tenant.id, {
        type: 'sms-member.replace',
        ...target,
        members: await sealMembers(request.body.members, { vault, listId, tenant }),
        ...(request.query.results === true && { wantsResults: true }),
      });
      return { status: 200, body: presentReplacement(listId, counts) };
    },
  });

const importMembers = ({ numbers: vault }: RouteParts): Route =>
  writeRoute({
    ...WRITE,
    method: 'POST',
    path: `${path}/import`,
    operationId: 'importSmsMembers',
    summary: 'Import members of an SMS list from CSV',
    command: 'sms-member.upsert',
    description:
      'Takes a CSV file of up to 100,000 lines, separated by commas, semicolons or tabs, with the columns ' +
      'phone_number, display_name, valid_from and valid_until; a date is the start of its day in UTC. ' +
      'Without titles, the columns are in this order. The response has a result for each line: invalid ' +
      `lines are skipped, so preview the import by a dry run. ${COUNTS_ONLY} ${ETAG_OF_LIST}`,
    query: z.strictObject({
      mode: z
        .enum(['add', 'replace'])
        .default('add')
        .describe(
          '`add`: numbers that are not in the file stay on the list, and fields without a column keep ' +
            'their value. `replace`: they are removed and cleared, if any line is valid.',
        ),
    }),
    body: z
      .string()
      .meta({ examples: ['phone_number,display_name\n+4915123456789,Ada Lovelace\n'] }),
    isCsv: true,
    bodyLimit: LONG_BODY_LIMIT,
    responses: { 200: { description: 'The result of each line.', body: SmsImport, tagged: false } },
    refusals: ['SMS_LIST_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { tenant } = request.caller;
      const target = list.targetOf(request);
      const { listId } = target;
      const lines = await readImport(request.body, { vault, listId, tenant });
      const members = lines.flatMap((line) => ('member' in line ? [line.member] : []));
      // A file without a valid line must not empty the list.
      const isReplacing = request.query.mode === 'replace' && members.length > 0;
      const counts = await runCommand(request, tenant.id, {
        type: isReplacing ? 'sms-member.replace' : 'sms-member.upsert',
        ...{ ...target, members, wantsResults: true, skipsInvalid: true },
      });
      return { status: 200, body: presentImport(listId, lines, counts) };
    },
  });

const removeMember = (): Route =>
  writeRoute({
    ...WRITE,
    method: 'DELETE',
    path: '/sms-lists/{id}/members/{memberId}',
    operationId: 'removeSmsMember',
    summary: 'Remove a member from an SMS list',
    command: 'sms-member.remove',
    description: `Emits \`sms_list.members_removed\`. ${ETAG_OF_LIST}`,
    params: params.extend({ memberId: idField("The member's id.") }),
    responses: { 204: { description: 'The member was removed.' } },
    refusals: ['SMS_LIST_NOT_FOUND', 'MEMBER_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      await runCommand(request, request.caller.tenant.id, {
        type: 'sms-member.remove',
        ...list.targetOf(request),
        memberId: parseSmsMemberId(request.params.memberId) ?? raiseSmsMemberNotFound(),
      });
      return { status: 204 };
    },
  });

const removeNumbers = ({ numbers: vault }: RouteParts): Route =>
  writeRoute({
    ...WRITE,
    method: 'POST',
    path: `${path}/remove`,
    operationId: 'removeSmsNumbers',
    summary: 'Remove numbers from an SMS list',
    command: 'sms-member.remove-by-number',
    description:
      'Takes up to 1,000 numbers; numbers that are not on the list are ignored. Emits one ' +
      `\`sms_list.members_removed\` if any were removed. ${COUNTS_ONLY} ${ETAG_OF_LIST}`,
    body: SmsNumbers,
    responses: { 200: { description: 'The number of changes.', body: SmsRemoval, tagged: false } },
    refusals: ['SMS_LIST_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { tenant } = request.caller;
      const target = list.targetOf(request);
      const { listId } = target;
      const counts = await runCommand(request, tenant.id, {
        type: 'sms-member.remove-by-number',
        ...target,
        keys: await numberKeysOf(request.body.phone_numbers, { vault, listId, tenant }),
      });
      return { status: 200, body: presentRemoval(listId, counts) };
    },
  });

/** Members of SMS lists (decisions.md 6). */
export const smsMemberRoutes = (parts: RouteParts): readonly Route[] =>
  [
    listMembers,
    listRecipients,
    upsertMembers,
    replaceMembers,
    importMembers,
    removeMember,
    removeNumbers,
  ].map((declare) => declare(parts));
