import { z } from 'zod';
import { PAGE_FIELDS, pageOf } from '../../api/fields.js';
import type { JobReader } from '../../api/jobs.js';
import { operatorRoute, type Route } from '../../api/route.js';
import type { TenantReader } from '../../api/tenants.js';
import { raiseJobNotFound, JOB_STATES, jobIdFrom, JobView, presentJob } from '../job-view.js';
import { SLUG_PARAM, tenantBySlug } from './tenant-by-slug.js';

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
    responses: {
      200: { description: 'A page of jobs.', body: pageOf('jobs', JobView, 'JobList') },
    },
    refusals: ['TENANT_NOT_FOUND'],
    handler: async ({ params: { slug }, query: { limit, offset, state } }) => {
      const { id } = await tenantBySlug(tenants, slug);
      const jobQuery = { limit, offset, ...(state && { isFinished: state === 'done' }) };
      const page = await jobs.page(id, jobQuery);
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
    responses: { 200: { description: 'The job.', body: JobView } },
    refusals: ['TENANT_NOT_FOUND', 'JOB_NOT_FOUND'],
    handler: async ({ params }) => {
      const { id } = await tenantBySlug(tenants, params.slug);
      const job = await jobs.find(id, jobIdFrom(params.id));
      return { status: 200, body: presentJob(job ?? raiseJobNotFound()) };
    },
  });

/** A tenant's jobs, which complete large changes (decisions.md 3). */
export const jobRoutes = (parts: JobRouteParts): readonly Route[] =>
  [listJobs, readJob].map((declare) => declare(parts));
