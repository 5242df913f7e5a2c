import type { SmsListId, TenantId, SmsMemberId } from '../../domain/kernel/ids.js';
import {
  type SmsList,
  smsListNameKey,
  parseEndedSmsPageKey,
  parseSmsPageKey,
  type SmsEntry,
  type SmsMember,
} from '../../domain/sms/sms-list.js';
import type { JobPart } from '../../domain/job/job.js';
import { createCodec, VERSIONED } from './codec.js';
import { defineTenantCollection, type DocumentOf, uniqueWhereSet, whereSet } from './collection.js';
import { nullable, optional, typed } from './fields.js';
import { defineTable } from './table.js';
import { type FoldedName, foldedName } from './folded-name.js';
import { SEGMENTS, type SegmentCounts } from './segments.js';

/** The lists of recipients. */
const smsLists = defineTenantCollection({
  name: 'sms_lists',
  fields: {
    v: Number,
    /** Empty only while names are swapped within a commit (pipeline-rules.md 10). */
    folded: typed<Partial<FoldedName<'name'>>>(Object),
    name: String,
    /** Absent where the list has none. */
    externalId: optional(nullable(String)),
    validFrom: nullable(Date),
    validUntil: nullable(Date),
    memberCount: Number,
    nextPlace: Number,
    /** How many members each segment of places has (segments.ts). */
    [SEGMENTS]: typed<SegmentCounts>(Object),
    pendingJob: nullable(String),
    createdAt: Date,
    updatedAt: Date,
  },
  indexes: [
    { key: { tenant: 1, 'folded.name': 1 }, ...uniqueWhereSet('folded.name') },
    { key: { tenant: 1, 'folded.words': 1 } },
    { key: { tenant: 1, externalId: 1 }, ...uniqueWhereSet('externalId') },
    { key: { tenant: 1, createdAt: 1, _id: 1 } },
  ],
});

export type SmsListDocument = DocumentOf<typeof smsLists>;

/** Without the counts, which only pages of members need. */
export const smsListCodec = createCodec<SmsList, Omit<SmsListDocument, typeof SEGMENTS>>({
  names: VERSIONED,
  absent: ['externalId'],
  derived: { folded: ({ name }) => foldedName('name', name) },
});

/** Segment counts are for pages of members only. */
export const SMS_LIST_PROJECTION = { [SEGMENTS]: 0 } as const;

export const smsListTable = defineTable('smsLists', smsLists, {
  keys: { id: '_id', name: 'folded.name', externalId: 'externalId' },
  unique: { path: 'folded.name', keyOf: smsListNameKey },
  fromDocument: smsListCodec.fromDocument,
  projection: SMS_LIST_PROJECTION,
});

const smsMembers = defineTenantCollection({
  name: 'sms_members',
  fields: {
    list: String,
    /** The keyed hash of list and number. */
    key: String,
    /** The number, encrypted. */
    sealed: String,
    displayName: nullable(String),
    place: Number,
    /** The validity window for index scans: an open end is the end of time. */
    from: Date,
    until: Date,
    /** The ends of the window that are not open: members without any need not be counted one by one. */
    starts: optional(Date),
    ends: optional(Date),
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
});

export type SmsMemberDocument = DocumentOf<typeof smsMembers>;

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

export const smsMemberTable = defineTable('smsMembers', smsMembers, {
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
  toDocument: toSmsMemberDocument,
  fromDocument: fromSmsMemberDocument,
});

/** Entries of a job on a list, one array per field. */
const smsJobParts = defineTenantCollection({
  name: 'sms_job_parts',
  fields: {
    members: [String],
    /** Each member after the job; null: removed. */
    after: typed<readonly (SmsMemberDocument | null)[]>(Object),
  },
  indexes: [{ key: { tenant: 1 } }],
});

export const smsJobPartTable = defineTable('smsJobParts', smsJobParts, {
  keys: { id: '_id' },
  toDocument: ({ id, tenantId, entries }) => ({
    _id: id,
    tenant: tenantId,
    members: entries.map(({ memberId }) => memberId),
    after: entries.map(({ after }) => after && toSmsMemberDocument(after)),
  }),
  fromDocument: ({ _id, tenant, members, after }): JobPart<SmsEntry> => ({
    id: _id,
    tenantId: tenant as TenantId,
    entries: members.map((id, at) => {
      const member = after[at];
      return { memberId: id as SmsMemberId, after: member ? fromSmsMemberDocument(member) : null };
    }),
  }),
  // Each has hundreds of members, some fifty kilobytes.
  insertSize: 4,
});
