import type { JobId, TenantId } from '../domain/ids.js';
import type { Job } from '../domain/job.js';
import type { Page } from './tenants.js';

export interface JobQuery extends Page {
  readonly isFinished?: boolean;
}

/** Reads of jobs: newest first. One that has ended is kept for a week. */
export interface JobReader {
  readonly find: (tenantId: TenantId, id: JobId) => Promise<Job | undefined>;
  /** Those of these that exist. */
  readonly findSome: (tenantId: TenantId, ids: readonly JobId[]) => Promise<readonly Job[]>;
  readonly page: (
    tenantId: TenantId,
    query: JobQuery,
  ) => Promise<{ readonly jobs: readonly Job[]; readonly total: number }>;
}
