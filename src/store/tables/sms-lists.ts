import type { JobId, SmsListId, TenantId, SmsMemberId } from '../../domain/kernel/ids.js';
import {
  type SmsList,
  parseEndedSmsPageKey,
  parseSmsPageKey,
  type SmsEntry,
  type SmsMember,
} from '../../domain/sms/sms-list.js';
import { SEGMENTS, type SegmentCounts } from './segments.js';
import { defineCollection, MIXED, uniqueWhereSet, defineTable, whereSet } from './collection.js';
import { foldedName } from './folded-name.js';
import type { JobPart } from '../../domain/job/job.js';

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
type SmsListFields = Omit<SmsListDocument, typeof SEGMENTS>;

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
    folded: foldedName('name', list.name),
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

export interface SmsMemberDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly list: string;
  /** The keyed hash of list and number. */
  readonly key: string;
  /** The number, encrypted. */
  readonly sealed: string;
  readonly displayName: string | null;
  readonly place: number;
  /** The validity window for index scans: an open end is the end of time. */
  readonly from: Date;
  readonly until: Date;
  /** The ends of the window that are not open: members without any need not be counted one by one. */
  readonly starts?: Date;
  readonly ends?: Date;
  readonly createdAt: Date;
}

export const smsMembers = defineCollection<SmsMemberDocument>({
  name: 'sms_members',
  fields: {
    _id: String,
    tenant: String,
    list: String,
    key: String,
    sealed: String,
    displayName: String,
    place: Number,
    from: Date,
    until: Date,
    starts: Date,
    ends: Date,
    createdAt: Date,
  },
  indexes: [
    { key: { tenant: 1, key: 1 }, unique: true },
    // Selects the recipients at a time without reading documents.
    { key: { tenant: 1, list: 1, place: 1, from: 1, until: 1 } },
    { key: { tenant: 1, list: 1, starts: 1, place: 1 }, ...whereSet('starts') },
    { key: { tenant: 1, list: 1, ends: 1, place: 1 }, ...whereSet('ends') },
    { key: { ends: 1 }, ...whereSet('ends') },
  ],
  purge: 'by tenant',
});

/** The limits of JavaScript's dates, which no request can contain. */
const START_OF_TIME = new Date(-8.64e15);
const END_OF_TIME = new Date(8.64e15);

const toSmsMemberDocument = (member: SmsMember): SmsMemberDocument => ({
  _id: member.id,
  tenant: member.tenantId,
  list: member.listId,
  key: member.number.key,
  sealed: member.number.sealed,
  displayName: member.displayName,
  place: member.place,
  from: member.validFrom ?? START_OF_TIME,
  until: member.validUntil ?? END_OF_TIME,
  ...(member.validFrom && { starts: member.validFrom }),
  ...(member.validUntil && { ends: member.validUntil }),
  createdAt: member.createdAt,
});

export const fromSmsMemberDocument = (document: SmsMemberDocument): SmsMember => ({
  id: document._id as SmsMemberId,
  tenantId: document.tenant as TenantId,
  listId: document.list as SmsListId,
  number: { key: document.key, sealed: document.sealed },
  displayName: document.displayName,
  place: document.place,
  validFrom: document.starts ?? null,
  validUntil: document.ends ?? null,
  createdAt: document.createdAt,
});

export const smsMemberTable = defineTable<'smsMembers', SmsMemberDocument>(smsMembers, {
  keys: { id: '_id', number: 'key', list: 'list' },
  pages: {
    first: (key) => {
      const { listId, limit } = parseSmsPageKey(key);
      return { conditions: { list: listId }, sort: { place: 1 }, limit };
    },
    ended: (key) => {
      const { listId, limit, endedBy } = parseEndedSmsPageKey(key);
      return { conditions: { list: listId, ends: { $lte: endedBy } }, sort: { ends: 1 }, limit };
    },
  },
  fromDocument: fromSmsMemberDocument,
  writes: { toDocument: toSmsMemberDocument },
});

/** Entries of a job on a list, one array per field. */
export interface SmsJobPartDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly members: readonly string[];
  /** Each member after the job; null: removed. */
  readonly after: readonly (SmsMemberDocument | null)[];
}

export const smsJobParts = defineCollection<SmsJobPartDocument>({
  name: 'sms_job_parts',
  fields: { _id: String, tenant: String, members: [String], after: MIXED },
  indexes: [{ key: { tenant: 1 } }],
  purge: 'by tenant',
});

const toSmsJobPartDocument = ({
  id,
  tenantId,
  entries,
}: JobPart<SmsEntry>): SmsJobPartDocument => ({
  _id: id,
  tenant: tenantId,
  members: entries.map(({ memberId }) => memberId),
  after: entries.map(({ after }) => after && toSmsMemberDocument(after)),
});

const fromSmsJobPartDocument = (document: SmsJobPartDocument): JobPart<SmsEntry> => ({
  id: document._id,
  tenantId: document.tenant as TenantId,
  entries: document.members.map((id, at) => {
    const after = document.after[at];
    return { memberId: id as SmsMemberId, after: after ? fromSmsMemberDocument(after) : null };
  }),
});

export const smsJobPartTable = defineTable<'smsJobParts', SmsJobPartDocument>(smsJobParts, {
  keys: { id: '_id' },
  fromDocument: fromSmsJobPartDocument,
  // Each has hundreds of members, some fifty kilobytes.
  writes: { toDocument: toSmsJobPartDocument, insertSize: 4 },
});
