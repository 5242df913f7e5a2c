import { setImmediate as othersFirst } from 'node:timers/promises';
import type { NumberVault } from '../../api/sms-lists.js';
import type { GivenSmsMember } from '../../domain/commands.js';
import type { SmsListId, SmsMemberId } from '../../domain/ids.js';
import type { RefusalDetail } from '../../domain/refusals.js';
import type { Tenant } from '../../domain/tenant.js';
import { newId } from '../../pipeline/new-id.js';
import { toE164 } from '../phone-numbers.js';
import { invalidRequest } from '../routing/explain-issues.js';
import type { NewSmsMember } from './sms-bodies.js';
import { windowIn } from './sms-routing.js';

/** Numbers that are read in one go, some milliseconds' worth: then others get their turn. */
const AT_ONCE = 250;

interface Reading {
  readonly vault: NumberVault;
  readonly listId: SmsListId;
  readonly tenant: Pick<Tenant, 'defaultCountry'>;
}

const faultOf = ({ defaultCountry }: Reading['tenant']): string =>
  defaultCountry === null
    ? 'must be a phone number with a country code, such as +49 for Germany'
    : 'must be a phone number';

interface Place {
  /** Names the place of the number at this index: the number itself is in no answer. */
  readonly path: (at: number) => string;
  /** Whether the same number may come more than once. */
  readonly mayRepeat: boolean;
}

/** All numbers in E.164. Throws RefusalError with every place where there is none. */
const readNumbers = async (
  texts: readonly string[],
  { tenant }: Pick<Reading, 'tenant'>,
  { path, mayRepeat }: Place,
): Promise<readonly string[]> => {
  const faults: RefusalDetail[] = [];
  const first = new Map<string, number>();
  const numbers: string[] = [];
  for (const [at, text] of texts.entries()) {
    if (at % AT_ONCE === AT_ONCE - 1) await othersFirst();
    const number = toE164(text, tenant.defaultCountry);
    const earlier = number === undefined ? undefined : first.get(number);
    if (number === undefined) faults.push({ path: path(at), message: faultOf(tenant) });
    else if (earlier === undefined) first.set(number, at);
    else if (!mayRepeat) faults.push({ path: path(at), message: `duplicates ${path(earlier)}` });
    numbers.push(number ?? '');
  }
  if (faults.length > 0) throw invalidRequest('body', faults);
  return numbers;
};

/** The members of a request, their numbers sealed: from here on nobody can read them. */
export const sealMembers = async (
  members: readonly NewSmsMember[],
  reading: Reading,
): Promise<readonly GivenSmsMember[]> => {
  const texts = members.map(({ phone_number }) => phone_number);
  const path = (at: number) => `members[${at}].phone_number`;
  const numbers = await readNumbers(texts, reading, { path, mayRepeat: false });
  const sealed: GivenSmsMember[] = [];
  for (const [at, member] of members.entries()) {
    if (at % AT_ONCE === AT_ONCE - 1) await othersFirst();
    const { display_name } = member;
    sealed.push({
      id: newId<SmsMemberId>(),
      number: reading.vault.seal(reading.listId, numbers[at] ?? ''),
      ...(display_name !== undefined && { displayName: display_name }),
      ...windowIn(member),
    });
  }
  return sealed;
};

/** By what the numbers of a request are found on their list. */
export const keysOf = async (
  texts: readonly string[],
  reading: Reading,
): Promise<readonly string[]> => {
  const path = (at: number) => `phone_numbers[${at}]`;
  const numbers = await readNumbers(texts, reading, { path, mayRepeat: true });
  return numbers.map((number) => reading.vault.keyOf(reading.listId, number));
};
