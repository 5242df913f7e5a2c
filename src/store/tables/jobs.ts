import type { CommandId, JobId, TenantId, UserId } from '../../domain/kernel/ids.js';
import {
  type Job,
  type JobPart,
  jobSubjectOf,
  type RosterEntry,
  type JobWork,
} from '../../domain/job/job.js';
import type { Scope } from '../../domain/scopes.js';
import { defineCollection, EXPIRES, MIXED, uniqueWhereSet, defineTable } from './collection.js';

export interface JobDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly work: JobWork;
  /** Set while it is unfinished and no other job may have the same subject. */
  readonly subject?: string;
  readonly cursor: string;
  readonly done: number;
  readonly total: number;
  readonly readableBy: readonly Scope[];
  readonly requestId: string;
  readonly restartedBy?: CommandId;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly finishedAt: Date | null;
  /** Set once it is finished. */
  readonly expireAt?: Date;
}

export const jobs = defineCollection<JobDocument>({
  name: 'jobs',
  fields: {
    _id: String,
    tenant: String,
    work: MIXED,
    subject: String,
    cursor: String,
    done: Number,
    total: Number,
    readableBy: [String],
    requestId: String,
    restartedBy: String,
    createdAt: Date,
    updatedAt: Date,
    finishedAt: Date,
    expireAt: Date,
  },
  indexes: [
    { key: { tenant: 1, subject: 1 }, ...uniqueWhereSet('subject') },
    { key: { tenant: 1, createdAt: -1, _id: 1 } },
    { key: { finishedAt: 1, updatedAt: 1 } },
    EXPIRES,
  ],
  purge: 'by tenant',
});

/** How long a finished job is kept, in milliseconds: a week. */
const RETENTION_MS = 7 * 24 * 60 * 60 * 1_000;

const toJobDocument = (job: Job): JobDocument => {
  const { id, tenantId, ...rest } = job;
  const subject = jobSubjectOf(job);
  return {
    _id: id,
    tenant: tenantId,
    ...rest,
    ...(subject === null ? {} : { subject }),
    ...(job.finishedAt && { expireAt: new Date(job.finishedAt.getTime() + RETENTION_MS) }),
  };
};

export const fromJobDocument = (document: JobDocument): Job => {
  const { _id, tenant, subject: _subject, expireAt: _expireAt, ...rest } = document;
  return { id: _id as JobId, tenantId: tenant as TenantId, ...rest };
};

export const jobTable = defineTable<'jobs', JobDocument>(jobs, {
  keys: { id: '_id', subject: 'subject' },
  fromDocument: fromJobDocument,
  writes: { toDocument: toJobDocument },
});

/** Entries of a job, one array per field. */
export interface JobPartDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly users: readonly string[];
  readonly actions: readonly RosterEntry['action'][];
  readonly tx: readonly boolean[];
}

export const jobParts = defineCollection<JobPartDocument>({
  name: 'job_parts',
  fields: { _id: String, tenant: String, users: [String], actions: [String], tx: [Boolean] },
  indexes: [{ key: { tenant: 1 } }],
  purge: 'by tenant',
});

const toJobPartDocument = ({ id, tenantId, entries }: JobPart<RosterEntry>): JobPartDocument => ({
  _id: id,
  tenant: tenantId,
  users: entries.map(({ userId }) => userId),
  actions: entries.map(({ action }) => action),
  tx: entries.map(({ txPermission }) => txPermission),
});

const fromJobPartDocument = ({ _id, tenant, ...part }: JobPartDocument): JobPart<RosterEntry> => ({
  id: _id,
  tenantId: tenant as TenantId,
  entries: part.users.map((user, at) => ({
    userId: user as UserId,
    action: part.actions[at] ?? 'set',
    txPermission: part.tx[at] ?? false,
  })),
});

export const jobPartTable = defineTable<'jobParts', JobPartDocument>(jobParts, {
  keys: { id: '_id' },
  fromDocument: fromJobPartDocument,
  // Each has hundreds of entries.
  writes: { toDocument: toJobPartDocument, insertSize: 8 },
});
