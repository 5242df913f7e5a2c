import { nameKey } from '../kernel/names.js';
import type { JobId, SmsListId, TenantId, SmsMemberId } from '../kernel/ids.js';

/** A half-open time window: from ≤ t < until (decisions.md 6). */
export interface SmsWindow {
  /** Null: no start. */
  readonly validFrom: Date | null;
  /** Null: no end. */
  readonly validUntil: Date | null;
}

/** Whether the window ends after it starts. */
export const isSmsWindow = ({ validFrom, validUntil }: SmsWindow): boolean =>
  validFrom === null || validUntil === null || validFrom < validUntil;

/** Whether the window includes the time. */
export const holdsAt = ({ validFrom, validUntil }: SmsWindow, at: Date): boolean =>
  (validFrom === null || validFrom <= at) && (validUntil === null || at < validUntil);

/** A list of recipients of text messages (decisions.md 6). */
export interface SmsList extends SmsWindow {
  readonly id: SmsListId;
  readonly tenantId: TenantId;
  /** Unique per tenant, case-insensitively. */
  readonly name: string;
  /** Unique per tenant if set. */
  readonly externalId: string | null;
  readonly memberCount: number;
  /** The `place` of the next new member. */
  readonly nextPlace: number;
  /** Counts the changes of the list and its members, from 1. */
  readonly version: number;
  /** The job that is changing its members; other changes of them wait for it. */
  readonly pendingJob: JobId | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const smsListNameKey = ({ name }: Pick<SmsList, 'name'>): string => nameKey(name);

/**
 * An encrypted phone number. No command, event, job or document contains a readable number, so none
 * can leak (decisions.md 6).
 */
export interface SealedNumber {
  /** A keyed hash of list and number: equal for the same number on the same list. */
  readonly key: string;
  /** The number in E.164, encrypted. */
  readonly sealed: string;
}

/** A number on a list. A document of its own, so that a change costs the same for any list size. */
export interface SmsMember extends SmsWindow {
  readonly id: SmsMemberId;
  readonly tenantId: TenantId;
  readonly listId: SmsListId;
  readonly number: SealedNumber;
  readonly displayName: string | null;
  /** Position in the order of addition; never reused. */
  readonly place: number;
  readonly createdAt: Date;
}

/** A change of one member of a list. */
export interface SmsEntry {
  readonly memberId: SmsMemberId;
  /** Null: removed. */
  readonly after: SmsMember | null;
}

/** The first members of a list. */
interface SmsPage {
  readonly listId: string;
  readonly limit: number;
}

export const smsPageKey = ({ listId, limit }: SmsPage): string => `${listId}>${limit}`;

export const parseSmsPageKey = (key: string): SmsPage => {
  const [listId = '', limit] = key.split('>');
  return { listId, limit: Number(limit) };
};

/** The first members whose window has ended by then. */
interface EndedSmsPage extends SmsPage {
  readonly endedBy: Date;
}

export const endedSmsPageKey = ({ listId, limit, endedBy }: EndedSmsPage): string =>
  `${listId}>${limit}>${endedBy.getTime()}`;

export const parseEndedSmsPageKey = (key: string): EndedSmsPage => {
  const [, , endedBy] = key.split('>');
  return { ...parseSmsPageKey(key), endedBy: new Date(Number(endedBy)) };
};
