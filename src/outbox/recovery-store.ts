import type { Recovery } from './delivery-record.js';
import type { TenantId } from '../domain/kernel/ids.js';

/** A recovery that an instance runs. */
export interface RecoveryJob {
  readonly id: string;
  readonly tenantId: TenantId;
  readonly plugin: string;
  /** The key that gets the deliveries again. */
  readonly to: string;
}

/** The recoveries in the database. Methods reject if it is unavailable. */
export interface RecoveryStore {
  /** Leases the recovery that has waited longest; undefined if none waits. */
  readonly take: (instanceId: string) => Promise<RecoveryJob | undefined>;
  /** Requeues at most this number of deliveries; false if none is left or the lease has expired. */
  readonly step: (instanceId: string, job: RecoveryJob, limit: number) => Promise<boolean>;
  readonly end: (
    instanceId: string,
    job: RecoveryJob,
    state: Exclude<Recovery['state'], 'running'>,
  ) => Promise<void>;
}
