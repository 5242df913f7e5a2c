import type { JobId, SmsListId, SmsMemberId, TenantId } from '../domain/ids.js';
import type { JobPart } from '../domain/job.js';
import { type SmsList, smsListNameKey } from '../domain/sms-list.js';
import type { SmsEntry, SmsMember } from '../domain/sms-member.js';
import type { SmsListFields, SmsJobPartDocument, SmsMemberDocument } from './sms-documents.js';

export const toSmsListDocument = (list: SmsList): SmsListFields => ({
  _id: list.id,
  tenant: list.tenantId,
  v: list.version,
  folded: { name: smsListNameKey(list) },
  name: list.name,
  ...(list.externalId === null ? {} : { externalId: list.externalId }),
  validFrom: list.validFrom,
  validUntil: list.validUntil,
  memberCount: list.memberCount,
  nextPlace: list.nextPlace,
  pendingJob: list.pendingJob,
  createdAt: list.createdAt,
  updatedAt: list.updatedAt,
});

export const fromSmsListDocument = (document: SmsListFields): SmsList => ({
  id: document._id as SmsListId,
  tenantId: document.tenant as TenantId,
  name: document.name,
  externalId: document.externalId ?? null,
  validFrom: document.validFrom,
  validUntil: document.validUntil,
  memberCount: document.memberCount,
  nextPlace: document.nextPlace,
  version: document.v,
  pendingJob: document.pendingJob as JobId | null,
  createdAt: document.createdAt,
  updatedAt: document.updatedAt,
});

/** The ends of JavaScript's time, 275,000 years away: no request can name them. */
const SINCE_EVER = new Date(-8.64e15);
const FOR_EVER = new Date(8.64e15);

export const toSmsMemberDocument = (member: SmsMember): SmsMemberDocument => ({
  _id: member.id,
  tenant: member.tenantId,
  list: member.listId,
  key: member.number.key,
  sealed: member.number.sealed,
  displayName: member.displayName,
  place: member.place,
  from: member.validFrom ?? SINCE_EVER,
  until: member.validUntil ?? FOR_EVER,
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

export const toSmsJobPartDocument = ({
  id,
  tenantId,
  entries,
}: JobPart<SmsEntry>): SmsJobPartDocument => ({
  _id: id,
  tenant: tenantId,
  members: entries.map(({ memberId }) => memberId),
  after: entries.map(({ after }) => after && toSmsMemberDocument(after)),
});

export const fromSmsJobPartDocument = (document: SmsJobPartDocument): JobPart<SmsEntry> => ({
  id: document._id,
  tenantId: document.tenant as TenantId,
  entries: document.members.map((id, at) => {
    const after = document.after[at];
    return { memberId: id as SmsMemberId, after: after ? fromSmsMemberDocument(after) : null };
  }),
});
