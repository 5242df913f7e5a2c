import { idField } from '../../api/fields.js';
import type { RouteAnswer } from '../../api/route.js';
import type { NumberVault, SmsListReader } from '../../api/sms-lists.js';
import { noSuchSmsList, noSuchSmsMember } from '../../domain/kernel/not-found.js';
import {
  parseSmsListId,
  parseSmsMemberId,
  type SmsListId,
  type SmsMemberId,
} from '../../domain/ids.js';
import { RefusalError } from '../../domain/refusals.js';
import type { SmsList } from '../../domain/sms-list.js';
import type { SmsWindow } from '../../domain/sms-window.js';
import { presentSmsList } from './sms-bodies.js';

export interface SmsRouteParts {
  readonly smsLists: SmsListReader;
  readonly numbers: NumberVault;
}

export const LIST_PARAM = { id: idField("The list's id.") };

export const absentList = (): never => {
  throw new RefusalError(noSuchSmsList().refusal);
};

const absentMember = (): never => {
  throw new RefusalError(noSuchSmsMember().refusal);
};

export const listIdIn = (text: string): SmsListId => parseSmsListId(text) ?? absentList();

export const memberIdIn = (text: string): SmsMemberId => parseSmsMemberId(text) ?? absentMember();

/** Either end as the request says it; one that is left out is left out. */
export const windowIn = ({
  valid_from,
  valid_until,
}: {
  readonly valid_from?: string | null | undefined;
  readonly valid_until?: string | null | undefined;
}): Partial<SmsWindow> => ({
  ...(valid_from !== undefined && { validFrom: timeIn(valid_from) }),
  ...(valid_until !== undefined && { validUntil: timeIn(valid_until) }),
});

const timeIn = (text: string | null): Date | null => (text === null ? null : new Date(text));

export const answerWithList = (status: number, list: SmsList): RouteAnswer => ({
  status,
  body: presentSmsList(list),
  version: list.version,
});
