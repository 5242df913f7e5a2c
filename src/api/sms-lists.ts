import type { SmsListId, TenantId } from '../domain/ids.js';
import type { SealedNumber } from '../domain/phone-number.js';
import type { SmsList } from '../domain/sms-list.js';
import type { SmsMember } from '../domain/sms-member.js';
import type { Page } from './tenants.js';

/** Which lists; all conditions must hold. */
export interface SmsListConditions {
  readonly externalId?: string;
  /** Lists whose own window holds then. */
  readonly validAt?: Date;
}

export interface SmsMemberConditions {
  /** Members whose own window holds then, whatever their list's says. */
  readonly validAt?: Date;
}

/** Whose window had ended, and where. */
export interface EndedMember {
  readonly tenantId: TenantId;
  readonly listId: SmsListId;
}

/**
 * Reads of SMS lists; they do not pass the pipeline. Lists come in the order of their creation,
 * members in that in which they came. A page and its total are one view. Rejects with RefusalError
 * UNAVAILABLE.
 */
export interface SmsListReader {
  readonly find: (tenantId: TenantId, id: SmsListId) => Promise<SmsList | undefined>;
  readonly page: (
    tenantId: TenantId,
    query: SmsListConditions & Page,
  ) => Promise<{ readonly lists: readonly SmsList[]; readonly total: number }>;
  /** Undefined where there is no such list. */
  readonly memberPage: (
    tenantId: TenantId,
    id: SmsListId,
    query: SmsMemberConditions & Page,
  ) => Promise<SmsMemberPage | undefined>;
  /** A member of any tenant whose window had ended by then, of none of these lists. */
  readonly findEnded: (
    by: Date,
    passedOver: readonly SmsListId[],
  ) => Promise<EndedMember | undefined>;
}

export interface SmsMemberPage {
  /** As it was at the same moment. */
  readonly list: SmsList;
  readonly members: readonly SmsMember[];
  readonly total: number;
}

/**
 * The only place in which numbers are turned into what the rest of the product knows of them, and
 * back (decisions.md 6). Numbers are in E.164.
 */
export interface NumberVault {
  /** By what the number is found on this list: says nothing of it to whoever lacks the secret key. */
  readonly keyOf: (listId: SmsListId, number: string) => string;
  readonly seal: (listId: SmsListId, number: string) => SealedNumber;
  /** Throws where it was sealed under another secret key. */
  readonly reveal: (number: SealedNumber) => string;
}
