import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { NumberVault } from '../../ports/sms-lists.js';
import type { MemberCounts, SmsMemberCounts, SmsMemberInput } from '../../domain/commands.js';
import type { SmsListId, SmsMemberId } from '../../domain/kernel/ids.js';
import type { RefusalDetail } from '../../domain/kernel/refusals.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { newId } from '../../pipeline/submit.js';
import { toE164 } from '../../sms/phone-numbers.js';
import { invalidRequest } from '../routing/validate.js';
import { z } from 'zod';
import {
  changesOf,
  identifierField,
  idField,
  instantField,
  lineField,
  timeField,
  textLike,
} from '../../routes/fields.js';
import { toWire } from '../../routes/wire.js';
import type { SharedCaller } from '../../routes/caller.js';
import { maskNumber } from '../../domain/kernel/names.js';
import type { SmsList, SmsWindow, SmsMember } from '../../domain/sms/sms-list.js';

/** The bounds given in the request; omitted ones are absent. */
export const windowFrom = ({
  valid_from,
  valid_until,
}: {
  readonly valid_from?: string | null | undefined;
  readonly valid_until?: string | null | undefined;
}): Partial<SmsWindow> => ({
  ...(valid_from !== undefined && { validFrom: timeFrom(valid_from) }),
  ...(valid_until !== undefined && { validUntil: timeFrom(valid_until) }),
});

const timeFrom = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** Numbers processed between two yields, a few milliseconds. */
export const CHUNK_SIZE = 250;

export interface NumberContext {
  readonly vault: NumberVault;
  readonly listId: SmsListId;
  readonly tenant: Pick<Tenant, 'defaultCountry'>;
}

/** Why a text is refused as a phone number. */
export const messageFor = ({ defaultCountry }: NumberContext['tenant']): string =>
  defaultCountry === null
    ? 'must be a phone number with a country code, such as +49 for Germany'
    : 'must be a phone number';

interface NumberField {
  /** Path of the number at an index; responses never contain the number itself. */
  readonly path: (at: number) => string;
  /** Whether duplicates are allowed. */
  readonly mayRepeat: boolean;
}

/** Reads numbers as E.164. Throws RefusalError with the path of every invalid one. */
const readNumbers = async (
  texts: readonly string[],
  { tenant }: Pick<NumberContext, 'tenant'>,
  { path, mayRepeat }: NumberField,
): Promise<readonly string[]> => {
  const details: RefusalDetail[] = [];
  const first = new Map<string, number>();
  const numbers: string[] = [];
  for (const [at, text] of texts.entries()) {
    if (at % CHUNK_SIZE === CHUNK_SIZE - 1) await yieldToEventLoop();
    const number = toE164(text, tenant.defaultCountry);
    const earlier = number === undefined ? undefined : first.get(number);
    if (number === undefined) details.push({ path: path(at), message: messageFor(tenant) });
    else if (earlier === undefined) first.set(number, at);
    else if (!mayRepeat) details.push({ path: path(at), message: `duplicates ${path(earlier)}` });
    numbers.push(number ?? '');
  }
  if (details.length > 0) throw invalidRequest('body', details);
  return numbers;
};

/** The members of a request with encrypted numbers. */
export const sealMembers = async (
  members: readonly NewSmsMember[],
  context: NumberContext,
): Promise<readonly SmsMemberInput[]> => {
  const texts = members.map(({ phone_number }) => phone_number);
  const path = (at: number) => `members[${at}].phone_number`;
  const numbers = await readNumbers(texts, context, { path, mayRepeat: false });
  const sealed: SmsMemberInput[] = [];
  for (const [at, member] of members.entries()) {
    if (at % CHUNK_SIZE === CHUNK_SIZE - 1) await yieldToEventLoop();
    sealed.push(sealMember(member, numbers[at] ?? '', context));
  }
  return sealed;
};

/** A member with their encrypted number, given as E.164. */
export const sealMember = (
  { display_name, ...member }: NewSmsMember,
  number: string,
  { vault, listId }: NumberContext,
): SmsMemberInput => ({
  id: newId<SmsMemberId>(),
  number: vault.seal(listId, number),
  ...(display_name !== undefined && { displayName: display_name }),
  ...windowFrom(member),
});

/** The lookup keys of numbers on their list. */
export const numberKeysOf = async (
  texts: readonly string[],
  context: NumberContext,
): Promise<readonly string[]> => {
  const path = (at: number) => `phone_numbers[${at}]`;
  const numbers = await readNumbers(texts, context, { path, mayRepeat: true });
  return numbers.map((number) => context.vault.keyOf(context.listId, number));
};

const boundField = (description: string) => timeField().nullable().optional().describe(description);

const windowFields = {
  valid_from: boundField('Start of the validity window, inclusive. Null or omitted: no start.'),
  valid_until: boundField('End of the validity window, exclusive. Null or omitted: no end.'),
};

/** In responses. */
const windowViewFields = {
  valid_from: instantField('Start of the validity window, inclusive; null: no start.').nullable(),
  valid_until: instantField('End of the validity window, exclusive; null: no end.').nullable(),
};

// ── Lists ────────────────────────────────────────────────────────────────────────────────────────

const headFields = {
  name: lineField(256).describe("Unique among the tenant's SMS lists, ignoring case."),
  external_id: identifierField(256).nullable().optional().describe('Unique if set.'),
  ...windowFields,
};

export const NewSmsList = z.strictObject(headFields).meta({
  id: 'SmsListInput',
  examples: [{ name: 'Night shift', external_id: 'roster-7', valid_until: '2027-01-01T00:00:00Z' }],
});

export const SmsListChanges = changesOf(headFields).meta({
  id: 'SmsListChanges',
  examples: [{ valid_until: null }],
});

export const SmsListView = z
  .strictObject({
    id: idField("The list's id."),
    name: textLike('Night shift'),
    external_id: z.string().nullable(),
    ...windowViewFields,
    member_count: z.int().min(0),
    created_at: instantField('When the list was created.'),
    updated_at: instantField('When the list or its members were last changed.'),
  })
  .meta({ id: 'SmsList' });

export const presentSmsList = (list: SmsList) => toWire(SmsListView, list);

// ── Members ──────────────────────────────────────────────────────────────────────────────────────

/** Any text; the phone number library decides whether it is a number. */
const numberField = () =>
  z
    .string()
    .min(1)
    .max(64)
    .describe(
      'In any international form; stored and returned as E.164. A number without a country code ' +
        "uses the tenant's default country, if an operator has set one.",
    );

export const NewSmsMember = z
  .strictObject({
    phone_number: numberField(),
    display_name: lineField(256).nullable().optional(),
    ...windowFields,
  })
  .meta({ id: 'SmsMemberInput' });

export type NewSmsMember = z.output<typeof NewSmsMember>;

/** Maximum per request, except for replacing the complete list. */
const MAX_MEMBERS_PER_REQUEST = 1_000;

export const SmsMembers = z
  .strictObject({ members: z.array(NewSmsMember).min(1).max(MAX_MEMBERS_PER_REQUEST) })
  .meta({ id: 'SmsMembers' });

export const SmsMemberList = z
  .strictObject({ members: z.array(NewSmsMember) })
  .meta({ id: 'ReplaceSmsMembers' });

export const SmsNumbers = z
  .strictObject({ phone_numbers: z.array(numberField()).min(1).max(MAX_MEMBERS_PER_REQUEST) })
  .meta({ id: 'SmsNumbers' });

export const SmsMemberView = z
  .strictObject({
    id: idField("The member's id."),
    phone_number: z.string().describe('E.164; masked for operators: `+49•••••••89`.'),
    display_name: z.string().nullable(),
    ...windowViewFields,
    created_at: instantField('When the number was added to the list.'),
  })
  .meta({ id: 'SmsMember' });

export const presentSmsMember =
  ({ reveal }: Pick<NumberVault, 'reveal'>, { isMasked }: Pick<SharedCaller, 'isMasked'>) =>
  (member: SmsMember) => {
    const number = reveal(member.number);
    return toWire(SmsMemberView, {
      ...member,
      phoneNumber: isMasked ? maskNumber(number) : number,
    });
  };

const countFields = {
  list_id: idField("The list's id."),
  members_added: z.int().min(0).describe('New numbers on the list.'),
  members_updated: z
    .int()
    .min(0)
    .describe('Members with a changed display name or validity window.'),
  members_removed: z.int().min(0),
  results: z
    .array(z.enum(['added', 'updated', 'unchanged']))
    .optional()
    .describe('Of each member in the request, in order; only with `results=true`.'),
};

export const SmsUpsert = z
  .strictObject(countFields)
  .omit({ members_removed: true })
  .meta({ id: 'SmsUpsert' });

export const SmsReplacement = z.strictObject(countFields).meta({ id: 'SmsReplacement' });

export const SmsRemoval = z
  .strictObject({ list_id: countFields.list_id, members_removed: countFields.members_removed })
  .meta({ id: 'SmsRemoval' });

export const presentUpsert = (
  listId: SmsList['id'],
  { added, updated, results }: SmsMemberCounts,
) => ({
  list_id: listId,
  members_added: added,
  members_updated: updated,
  ...(results && { results: [...results] }),
});

export const presentReplacement = (listId: SmsList['id'], counts: SmsMemberCounts) => ({
  ...presentUpsert(listId, counts),
  members_removed: counts.removed,
});

export const presentRemoval = (
  listId: SmsList['id'],
  { removed }: MemberCounts,
): z.output<typeof SmsRemoval> => ({ list_id: listId, members_removed: removed });
