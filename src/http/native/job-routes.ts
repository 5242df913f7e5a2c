import { z } from 'zod';
import type { JobReader } from '../../api/jobs.js';
import { nativeRoute, type Route } from '../../api/route.js';
import { raiseJobNotFound, jobIdFrom, JobView, presentJob } from '../job-view.js';

export interface NativeJobRouteParts {
  readonly jobs: Pick<JobReader, 'find'>;
}

/** 404 for a key without the scope of the request that started the job. */
const readJob = ({ jobs }: NativeJobRouteParts): Route =>
  nativeRoute({
    tag: 'Jobs',
    method: 'GET',
    path: '/jobs/{id}',
    scope: 'any key',
    operationId: 'getOwnJob',
    summary: 'Get a job',
    description:
      'A key without the scope of the request that started the job gets 404. Finished jobs are ' +
      'kept for a week.',
    params: z.object({ id: z.string().describe('Id of the job, from the 202 response.') }),
    responses: { 200: { description: 'The job.', body: JobView } },
    refusals: ['JOB_NOT_FOUND'],
    handler: async ({ caller: { tenant, key }, params: { id } }) => {
      const job = await jobs.find(tenant.id, jobIdFrom(id));
      const isReadable = job?.readableBy.some((scope) => key.scopes.includes(scope)) ?? false;
      return { status: 200, body: presentJob(job && isReadable ? job : raiseJobNotFound()) };
    },
  });

/** Jobs, which complete large changes (decisions.md 3). */
export const nativeJobRoutes = (parts: NativeJobRouteParts): readonly Route[] => [readJob(parts)];
