import type { JobId, TenantId } from '../domain/kernel/ids.js';
import type { Job } from '../domain/job/job.js';
import type { Page } from './tenants.js';

export interface JobQuery extends Page {
  readonly isFinished?: boolean;
}

/** Reads jobs, newest first. Finished jobs are kept for a week. */
export interface JobReader {
  readonly find: (tenantId: TenantId, id: JobId) => Promise<Job | undefined>;
  /** The jobs with these ids that exist. */
  readonly findByIds: (tenantId: TenantId, ids: readonly JobId[]) => Promise<readonly Job[]>;
  readonly page: (
    tenantId: TenantId,
    query: JobQuery,
  ) => Promise<{ readonly jobs: readonly Job[]; readonly total: number }>;
}
