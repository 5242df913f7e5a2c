import { z } from 'zod';
import { instantField, PAGE_FIELDS, pageOf } from '../../routes/fields.js';
import { type JobId, parseJobId } from '../../domain/kernel/ids.js';
import type { Job, JobWork } from '../../domain/job/job.js';
import { raise } from '../../domain/kernel/refusals.js';
import type { SharedCaller } from '../../routes/caller.js';
import { readRoute, type Route, tenantRoute } from '../../routes/route.js';
import { toWire } from '../../routes/wire.js';
import type { RouteParts } from './route-parts.js';

const KINDS = [
  'roster.apply',
  'roster.clear',
  'roles.recompute',
  'sms-list.apply',
  'sms-list.clear',
] as const satisfies readonly JobWork['kind'][];

const JOB_STATES = ['running', 'done'] as const;

/** A job in responses to tenants and operators. */
const JobView = z
  .strictObject({
    id: z.string().describe('Id of the command that the job completes; a second job appends `-1`.'),
    kind: z
      .enum(KINDS)
      .describe(
        'What it does: change or remove members (`roster.…`, `sms-list.…`), or recompute roles.',
      ),
    state: z.enum(JOB_STATES),
    done: z.int().min(0).describe('Number of users or members processed.'),
    total: z.int().min(0).describe('Number of users or members to process.'),
    created_at: instantField('When the job started.'),
    finished_at: instantField('When the job finished; null while it runs.').nullable(),
  })
  .meta({ id: 'Job' });

const presentJob = (job: Job) =>
  toWire(JobView, {
    ...job,
    kind: job.work.kind,
    state: job.finishedAt ? 'done' : 'running',
  });

const jobIdFrom = (text: string): JobId => parseJobId(text) ?? raise('JOB_NOT_FOUND');

const tag = 'Jobs';

const listJobs = ({ jobs }: RouteParts): Route =>
  tenantRoute({
    method: 'GET',
    path: '/jobs',
    operationId: 'listJobs',
    tag,
    summary: "List a tenant's jobs",
    description: 'Newest first. Finished jobs are kept for a week.',
    query: z.strictObject({
      ...PAGE_FIELDS,
      state: z.enum(JOB_STATES).optional().describe('Only jobs in this state.'),
    }),
    responses: {
      200: { description: 'A page of jobs.', body: pageOf('jobs', JobView, 'JobList') },
    },
    handler: async ({ caller: { tenant }, query: { limit, offset, state } }) => {
      const jobQuery = { limit, offset, ...(state && { isFinished: state === 'done' }) };
      const page = await jobs.page(tenant.id, jobQuery);
      return {
        status: 200,
        body: { jobs: page.items.map(presentJob), total: page.total, limit, offset },
      };
    },
  });

/** A key without the scope of the request that started the job must not learn of it. */
const mayRead = (job: Job, { actor }: SharedCaller): boolean =>
  actor.kind === 'operator' || job.readableBy.some((scope) => actor.scopes.includes(scope));

const readJob = ({ jobs }: RouteParts): Route =>
  readRoute({
    path: '/jobs/{id}',
    scope: 'any key',
    operationId: 'getOwnJob',
    operators: { operationId: 'getJob', tag },
    tag,
    summary: 'Get a job',
    description:
      'Finished jobs are kept for a week. A key without the scope of the request that started the ' +
      'job gets 404.',
    params: z.object({ id: z.string().describe('Id of the job, from the 202 response.') }),
    responses: { 200: { description: 'The job.', body: JobView } },
    refusals: ['JOB_NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => {
      const job = await jobs.find(caller.tenant.id, jobIdFrom(id));
      return {
        status: 200,
        body: presentJob(job && mayRead(job, caller) ? job : raise('JOB_NOT_FOUND')),
      };
    },
  });

/** Jobs, which complete large changes (decisions.md 3). */
export const jobRoutes = (parts: RouteParts): readonly Route[] =>
  [listJobs, readJob].map((declare) => declare(parts));
