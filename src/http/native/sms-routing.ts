import { idField } from '../../api/fields.js';
import type { RouteResponse } from '../../api/route.js';
import type { NumberVault, SmsListReader } from '../../api/sms-lists.js';
import { smsListNotFound, smsMemberNotFound } from '../../domain/kernel/refusals.js';
import {
  parseSmsListId,
  parseSmsMemberId,
  type SmsListId,
  type SmsMemberId,
} from '../../domain/kernel/ids.js';
import type { SmsList, SmsWindow } from '../../domain/sms/sms-list.js';
import { presentSmsList } from './sms-bodies.js';
import { throwRefusal } from '../errors.js';

export interface SmsRouteParts {
  readonly smsLists: SmsListReader;
  readonly numbers: NumberVault;
}

export const LIST_PARAM = { id: idField("The list's id.") };

export const raiseListNotFound = (): never => throwRefusal(smsListNotFound());

export const listIdFrom = (text: string): SmsListId => parseSmsListId(text) ?? raiseListNotFound();

export const memberIdFrom = (text: string): SmsMemberId =>
  parseSmsMemberId(text) ?? throwRefusal(smsMemberNotFound());

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

export const respondWithList = (status: number, list: SmsList): RouteResponse => ({
  status,
  body: presentSmsList(list),
  version: list.version,
});
