import type { SmsListId, SmsMemberId, TenantId } from './ids.js';
import type { SealedNumber } from './phone-number.js';
import type { SmsWindow } from './sms-window.js';

/** One number on a list: a document of its own, so that a change costs what it changes. */
export interface SmsMember extends SmsWindow {
  readonly id: SmsMemberId;
  readonly tenantId: TenantId;
  readonly listId: SmsListId;
  readonly number: SealedNumber;
  readonly displayName: string | null;
  /** In the order in which they came; never given again. */
  readonly place: number;
  readonly createdAt: Date;
}

/** What is to become of one member of a list. */
export interface SmsEntry {
  readonly memberId: SmsMemberId;
  /** Null: the number leaves the list. */
  readonly after: SmsMember | null;
}

/** A question for some members of a list: the first ones in their order. */
export interface SmsPage {
  readonly listId: string;
  readonly limit: number;
}

export const smsPageKey = ({ listId, limit }: SmsPage): string => `${listId}>${limit}`;

export const readSmsPageKey = (key: string): SmsPage => {
  const [listId = '', limit] = key.split('>');
  return { listId, limit: Number(limit) };
};

/** A question for members whose window had ended by then. */
export interface EndedSmsPage extends SmsPage {
  readonly endedBy: Date;
}

export const endedSmsPageKey = ({ listId, limit, endedBy }: EndedSmsPage): string =>
  `${listId}>${limit}>${endedBy.getTime()}`;

export const readEndedSmsPageKey = (key: string): EndedSmsPage => {
  const [, , endedBy] = key.split('>');
  return { ...readSmsPageKey(key), endedBy: new Date(Number(endedBy)) };
};
