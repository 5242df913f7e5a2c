import { z } from 'zod';
import { instantField, PAGE_FIELDS, pageOf } from '../../api/fields.js';
import type { JobReader } from '../../api/jobs.js';
import { operatorRoute, type Route } from '../../api/route.js';
import type { TenantReader } from '../../api/tenants.js';
import { type JobId, parseJobId } from '../../domain/ids.js';
import type { Job, Work } from '../../domain/job.js';
import { raise } from '../../domain/refusals.js';
import { SLUG_PARAM, tenantInPath } from './tenant-in-path.js';

export interface JobRouteParts {
  readonly tenants: Pick<TenantReader, 'findBySlug'>;
  readonly jobs: JobReader;
}

const routing = { tag: 'Jobs' } as const;
const path = '/tenants/{slug}/jobs';
const KINDS = [
  'roster.apply',
  'roster.clear',
  'roles.recompute',
  'sms-list.apply',
  'sms-list.clear',
] as const satisfies readonly Work['kind'][];
const STATES = ['running', 'done'] as const;

const JobView = z
  .strictObject({
    id: z.string().describe('The id of the command that it completes; a second job adds `-1`.'),
    kind: z
      .enum(KINDS)
      .describe(
        'Members are changed, members leave, roles are worked out again, or the same for the ' +
          'members of an SMS list.',
      ),
    state: z.enum(STATES),
    done: z.int().min(0).describe('How many users or members it has gone through.'),
    total: z.int().min(0).describe('How many there were when it began.'),
    created_at: instantField('When it began.'),
    finished_at: instantField('When it ended; null while it runs.').nullable(),
  })
  .meta({
    id: 'Job',
    examples: [
      {
        id: '7a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d',
        kind: 'roster.clear',
        state: 'running',
        done: 40_250,
        total: 100_000,
        created_at: '2026-01-31T12:00:00.000Z',
        finished_at: null,
      },
    ],
  });

const present = (job: Job): z.output<typeof JobView> => ({
  id: job.id,
  kind: job.work.kind,
  state: job.finishedAt ? 'done' : 'running',
  done: job.done,
  total: job.total,
  created_at: job.createdAt.toISOString(),
  finished_at: job.finishedAt?.toISOString() ?? null,
});

const absent = (): never =>
  raise('JOB_NOT_FOUND', 'This tenant has no job with this id; one that is done is kept a week.');

const jobIdIn = (text: string): JobId => parseJobId(text) ?? absent();

const listJobs = ({ tenants, jobs }: JobRouteParts): Route =>
  operatorRoute({
    ...routing,
    method: 'GET',
    path,
    operationId: 'listJobs',
    summary: 'List the jobs of large changes',
    description: 'Newest first. A job that is done is kept for a week.',
    params: z.object(SLUG_PARAM),
    query: z.strictObject({
      ...PAGE_FIELDS,
      state: z.enum(STATES).optional().describe('Only those that run, or that are done.'),
    }),
    answers: { 200: { description: 'A page of jobs.', body: pageOf('jobs', JobView, 'JobList') } },
    refusals: ['TENANT_NOT_FOUND'],
    handler: async ({ params: { slug }, query: { limit, offset, state } }) => {
      const { id } = await tenantInPath(tenants, slug);
      const asked = { limit, offset, ...(state && { isFinished: state === 'done' }) };
      const page = await jobs.page(id, asked);
      return {
        status: 200,
        body: { jobs: page.jobs.map(present), total: page.total, limit, offset },
      };
    },
  });

const readJob = ({ tenants, jobs }: JobRouteParts): Route =>
  operatorRoute({
    ...routing,
    method: 'GET',
    path: `${path}/{id}`,
    operationId: 'getJob',
    summary: 'Read how far a job is',
    params: z.object({ ...SLUG_PARAM, id: z.string().describe("The job's id.") }),
    answers: { 200: { description: 'The job.', body: JobView } },
    refusals: ['TENANT_NOT_FOUND', 'JOB_NOT_FOUND'],
    handler: async ({ params }) => {
      const { id } = await tenantInPath(tenants, params.slug);
      const job = await jobs.find(id, jobIdIn(params.id));
      return { status: 200, body: present(job ?? absent()) };
    },
  });

/** What is left of changes that were too large for one commit (decisions.md 3). */
export const jobRoutes = (parts: JobRouteParts): readonly Route[] =>
  [listJobs, readJob].map((declare) => declare(parts));
