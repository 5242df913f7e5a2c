import type { SmsListId, TenantId } from '../domain/kernel/ids.js';
import type { SmsList, SealedNumber, SmsMember } from '../domain/sms/sms-list.js';
import type { EntityReader, Page } from './entity-reader.js';

/** All conditions must match. */
export interface SmsListConditions {
  readonly externalId?: string;
  /** Lists whose window includes this time. */
  readonly validAt?: Date;
}

export interface SmsMemberConditions {
  /** Members whose own window includes this time, regardless of the list's. */
  readonly validAt?: Date;
}

/** A member whose window has ended. */
export interface EndedMember {
  readonly tenantId: TenantId;
  readonly listId: SmsListId;
}

/**
 * Reads SMS lists in order of creation, and members in order of addition. A page and its total are
 * consistent. Rejects with a RefusalError UNAVAILABLE.
 */
export interface SmsListReader extends EntityReader<SmsListId, SmsList, SmsListConditions> {
  /** Undefined if the list does not exist. */
  readonly memberPage: (
    tenantId: TenantId,
    id: SmsListId,
    query: SmsMemberConditions & Page,
  ) => Promise<SmsMemberPage | undefined>;
  /** A member of any tenant whose window has ended by then, not on one of the skipped lists. */
  readonly findEnded: (by: Date, skipped: readonly SmsListId[]) => Promise<EndedMember | undefined>;
}

export interface SmsMemberPage {
  /** At the time of the read. */
  readonly list: SmsList;
  readonly members: readonly SmsMember[];
  readonly total: number;
}

/** Encrypts and decrypts phone numbers, which are in E.164 (decisions.md 6). */
export interface NumberVault {
  /** The number's lookup key on this list: a hash with the gateway's secret key. */
  readonly keyOf: (listId: SmsListId, number: string) => string;
  readonly seal: (listId: SmsListId, number: string) => SealedNumber;
  /** Throws if it was encrypted with another secret key. */
  readonly reveal: (number: SealedNumber) => string;
}
