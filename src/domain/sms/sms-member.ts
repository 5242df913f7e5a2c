import type { SmsListId, SmsMemberId, TenantId } from '../kernel/ids.js';
import type { SmsWindow } from './sms-list.js';

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
export interface SmsPage {
  readonly listId: string;
  readonly limit: number;
}

export const smsPageKey = ({ listId, limit }: SmsPage): string => `${listId}>${limit}`;

export const parseSmsPageKey = (key: string): SmsPage => {
  const [listId = '', limit] = key.split('>');
  return { listId, limit: Number(limit) };
};

/** The first members whose window has ended by then. */
export interface EndedSmsPage extends SmsPage {
  readonly endedBy: Date;
}

export const endedSmsPageKey = ({ listId, limit, endedBy }: EndedSmsPage): string =>
  `${listId}>${limit}>${endedBy.getTime()}`;

export const parseEndedSmsPageKey = (key: string): EndedSmsPage => {
  const [, , endedBy] = key.split('>');
  return { ...parseSmsPageKey(key), endedBy: new Date(Number(endedBy)) };
};
