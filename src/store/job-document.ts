import type { JobId, TenantId, UserId } from '../domain/ids.js';
import { type Job, type JobPart, jobSubjectOf, type RosterEntry } from '../domain/job.js';
import type { JobDocument, JobPartDocument } from './documents.js';

/** How long a finished job can be looked at, in milliseconds: a week. */
const KEEP_MS = 7 * 24 * 60 * 60 * 1_000;

export const toJobDocument = (job: Job): JobDocument => {
  const { id, tenantId, ...rest } = job;
  const subject = jobSubjectOf(job);
  return {
    _id: id,
    tenant: tenantId,
    ...rest,
    ...(subject === null ? {} : { subject }),
    ...(job.finishedAt && { expireAt: new Date(job.finishedAt.getTime() + KEEP_MS) }),
  };
};

export const fromJobDocument = (document: JobDocument): Job => {
  const { _id, tenant, subject: _subject, expireAt: _expireAt, ...rest } = document;
  return { id: _id as JobId, tenantId: tenant as TenantId, ...rest };
};

export const toJobPartDocument = ({
  id,
  tenantId,
  entries,
}: JobPart<RosterEntry>): JobPartDocument => ({
  _id: id,
  tenant: tenantId,
  users: entries.map(({ userId }) => userId),
  actions: entries.map(({ action }) => action),
  tx: entries.map(({ txPermission }) => txPermission),
});

export const fromJobPartDocument = ({
  _id,
  tenant,
  ...part
}: JobPartDocument): JobPart<RosterEntry> => ({
  id: _id,
  tenantId: tenant as TenantId,
  entries: part.users.map((user, at) => ({
    userId: user as UserId,
    action: part.actions[at] ?? 'set',
    txPermission: part.tx[at] ?? false,
  })),
});
