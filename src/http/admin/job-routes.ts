import { z } from 'zod';
import { PAGE_FIELDS, pageOf } from '../../api/fields.js';
import type { JobReader } from '../../api/jobs.js';
import { operatorRoute, type Route } from '../../api/route.js';
import type { TenantReader } from '../../api/tenants.js';
import { absentJob, JOB_STATES, jobIdIn, JobView, presentJob } from '../job-view.js';
import { SLUG_PARAM, tenantInPath } from './tenant-in-path.js';

export interface JobRouteParts {
  readonly tenants: Pick<TenantReader, 'findBySlug'>;
  readonly jobs: JobReader;
}

const routing = { tag: 'Jobs' } as const;
const path = '/tenants/{slug}/jobs';
const listJobs = ({ tenants, jobs }: JobRouteParts): Route =>
  operatorRoute({
    ...routing,
    method: 'GET',
    path,
    operationId: 'listJobs',
    summary: "List a tenant's jobs",
    description: 'Newest first. Finished jobs are kept for a week.',
    params: z.object(SLUG_PARAM),
    query: z.strictObject({
      ...PAGE_FIELDS,
      state: z.enum(JOB_STATES).optional().describe('Only jobs in this state.'),
    }),
    answers: { 200: { description: 'A page of jobs.', body: pageOf('jobs', JobView, 'JobList') } },
    refusals: ['TENANT_NOT_FOUND'],
    handler: async ({ params: { slug }, query: { limit, offset, state } }) => {
      const { id } = await tenantInPath(tenants, slug);
      const asked = { limit, offset, ...(state && { isFinished: state === 'done' }) };
      const page = await jobs.page(id, asked);
      return {
        status: 200,
        body: { jobs: page.jobs.map(presentJob), total: page.total, limit, offset },
      };
    },
  });

const readJob = ({ tenants, jobs }: JobRouteParts): Route =>
  operatorRoute({
    ...routing,
    method: 'GET',
    path: `${path}/{id}`,
    operationId: 'getJob',
    summary: 'Get a job',
    params: z.object({ ...SLUG_PARAM, id: z.string().describe("The job's id.") }),
    answers: { 200: { description: 'The job.', body: JobView } },
    refusals: ['TENANT_NOT_FOUND', 'JOB_NOT_FOUND'],
    handler: async ({ params }) => {
      const { id } = await tenantInPath(tenants, params.slug);
      const job = await jobs.find(id, jobIdIn(params.id));
      return { status: 200, body: presentJob(job ?? absentJob()) };
    },
  });

/** What is left of changes that were too large for one commit (decisions.md 3). */
export const jobRoutes = (parts: JobRouteParts): readonly Route[] =>
  [listJobs, readJob].map((declare) => declare(parts));
