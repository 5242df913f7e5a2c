import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { NumberVault } from '../../api/sms-lists.js';
import type { SmsMemberInput } from '../../domain/commands.js';
import type { SmsListId, SmsMemberId } from '../../domain/kernel/ids.js';
import type { RefusalDetail } from '../../domain/kernel/refusals.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { newId } from '../../pipeline/submit.js';
import { toE164 } from '../../sms/phone-numbers.js';
import { invalidRequest } from '../routing/validate.js';
import type { NewSmsMember } from './sms-bodies.js';
import { windowFrom } from './sms-routing.js';

/** Numbers processed between two yields, a few milliseconds. */
const CHUNK_SIZE = 250;

interface NumberContext {
  readonly vault: NumberVault;
  readonly listId: SmsListId;
  readonly tenant: Pick<Tenant, 'defaultCountry'>;
}

const messageFor = ({ defaultCountry }: NumberContext['tenant']): string =>
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
    const { display_name } = member;
    sealed.push({
      id: newId<SmsMemberId>(),
      number: context.vault.seal(context.listId, numbers[at] ?? ''),
      ...(display_name !== undefined && { displayName: display_name }),
      ...windowFrom(member),
    });
  }
  return sealed;
};

/** The lookup keys of numbers on their list. */
export const numberKeysOf = async (
  texts: readonly string[],
  context: NumberContext,
): Promise<readonly string[]> => {
  const path = (at: number) => `phone_numbers[${at}]`;
  const numbers = await readNumbers(texts, context, { path, mayRepeat: true });
  return numbers.map((number) => context.vault.keyOf(context.listId, number));
};
