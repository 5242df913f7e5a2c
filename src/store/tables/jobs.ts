import type { TenantId, UserId } from '../../domain/kernel/ids.js';
import {
  type Job,
  type JobPart,
  jobSubjectOf,
  type RosterEntry,
  type JobWork,
} from '../../domain/job/job.js';
import type { Scope } from '../../domain/scopes.js';
import { createCodec, OF_TENANT } from './codec.js';
import { defineTenantCollection, type DocumentOf, EXPIRES, uniqueWhereSet } from './collection.js';
import { nullable, optional, typed } from './fields.js';
import { defineTable } from './table.js';

const jobs = defineTenantCollection({
  name: 'jobs',
  fields: {
    work: typed<JobWork>(Object),
    /** Set while it is unfinished and no other job may have the same subject. */
    subject: optional(String),
    cursor: String,
    done: Number,
    total: Number,
    readableBy: typed<readonly Scope[]>([String]),
    requestId: String,
    restartedBy: optional(String),
    createdAt: Date,
    updatedAt: Date,
    finishedAt: nullable(Date),
    /** Set once it is finished. */
    expireAt: optional(Date),
  },
  indexes: [
    { key: { tenant: 1, subject: 1 }, ...uniqueWhereSet('subject') },
    { key: { tenant: 1, createdAt: -1, _id: 1 } },
    { key: { finishedAt: 1, updatedAt: 1 } },
    EXPIRES,
  ],
});

export type JobDocument = DocumentOf<typeof jobs>;

/** How long a finished job is kept, in milliseconds: a week. */
const RETENTION_MS = 7 * 24 * 60 * 60 * 1_000;

export const jobTable = defineTable('jobs', jobs, {
  keys: { id: '_id', subject: 'subject' },
  ...createCodec<Job, JobDocument>({
    names: OF_TENANT,
    derived: {
      subject: (job) => jobSubjectOf(job) ?? undefined,
      expireAt: ({ finishedAt }) =>
        finishedAt ? new Date(finishedAt.getTime() + RETENTION_MS) : undefined,
    },
  }),
});

/** Entries of a job, one array per field. */
const jobParts = defineTenantCollection({
  name: 'job_parts',
  fields: {
    users: [String],
    actions: typed<readonly RosterEntry['action'][]>([String]),
    tx: [Boolean],
  },
  indexes: [{ key: { tenant: 1 } }],
});

export const jobPartTable = defineTable('jobParts', jobParts, {
  keys: { id: '_id' },
  toDocument: ({ id, tenantId, entries }) => ({
    _id: id,
    tenant: tenantId,
    users: entries.map(({ userId }) => userId),
    actions: entries.map(({ action }) => action),
    tx: entries.map(({ txPermission }) => txPermission),
  }),
  fromDocument: ({ _id, tenant, users, actions, tx }): JobPart<RosterEntry> => ({
    id: _id,
    tenantId: tenant as TenantId,
    entries: users.map((user, at) => ({
      userId: user as UserId,
      action: actions[at] ?? 'set',
      txPermission: tx[at] ?? false,
    })),
  }),
  // Each has hundreds of entries.
  insertSize: 8,
});
