import type { JobId, SmsListId, TenantId } from '../../domain/kernel/ids.js';
import { type SmsList, smsListNameKey } from '../../domain/sms/sms-list.js';
import { SEGMENTS, type SegmentCounts } from './segments.js';
import { defineCollection, MIXED, uniqueWhereSet } from './collection.js';
import { nameWords } from './name-words.js';
import { defineTable } from './table.js';

/** A list of recipients. */
export interface SmsListDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly v: number;
  /** Empty only while names are swapped within a commit (pipeline-rules.md 10). */
  readonly folded: { readonly name?: string; readonly words?: readonly string[] };
  readonly name: string;
  readonly externalId?: string;
  readonly validFrom: Date | null;
  readonly validUntil: Date | null;
  readonly memberCount: number;
  readonly nextPlace: number;
  /** How many members each segment of places has (segments.ts). */
  readonly [SEGMENTS]: SegmentCounts;
  readonly pendingJob: JobId | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A list's document without the counts that only its pages need. */
export type SmsListFields = Omit<SmsListDocument, typeof SEGMENTS>;

export const smsLists = defineCollection<SmsListDocument>({
  name: 'sms_lists',
  fields: {
    _id: String,
    tenant: String,
    v: Number,
    folded: MIXED,
    name: String,
    externalId: String,
    validFrom: Date,
    validUntil: Date,
    memberCount: Number,
    nextPlace: Number,
    [SEGMENTS]: MIXED,
    pendingJob: String,
    createdAt: Date,
    updatedAt: Date,
  },
  indexes: [
    { key: { tenant: 1, 'folded.name': 1 }, ...uniqueWhereSet('folded.name') },
    { key: { tenant: 1, 'folded.words': 1 } },
    { key: { tenant: 1, externalId: 1 }, ...uniqueWhereSet('externalId') },
    { key: { tenant: 1, createdAt: 1, _id: 1 } },
  ],
  purge: 'by tenant',
});

export const toSmsListFields = (list: SmsList): SmsListFields => {
  const { id, tenantId, version, externalId, ...rest } = list;
  return {
    _id: id,
    tenant: tenantId,
    v: version,
    ...rest,
    ...(externalId === null ? {} : { externalId }),
    folded: { name: smsListNameKey(list), words: nameWords([list.name]) },
  };
};

export const fromSmsListFields = (fields: SmsListFields): SmsList => {
  const { _id, tenant, v, externalId = null, folded: _folded, ...list } = fields;
  return { id: _id as SmsListId, tenantId: tenant as TenantId, version: v, externalId, ...list };
};

/** Segment counts are for pages of members only. */
export const SMS_LIST_PROJECTION = { [SEGMENTS]: 0 } as const;

export const smsListTable = defineTable<'smsLists', SmsListDocument>(smsLists, {
  keys: { id: '_id', name: 'folded.name', externalId: 'externalId' },
  fromDocument: fromSmsListFields,
  projection: SMS_LIST_PROJECTION,
});
