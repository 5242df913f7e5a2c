import type { Recovery } from './delivery-record.js';
import type { TenantId } from './ids.js';

/** A recovery that an instance goes on with. */
export interface RecoveryJob {
  readonly id: string;
  readonly tenantId: TenantId;
  readonly plugin: string;
  /** The key that failed deliveries are owed to anew. */
  readonly to: string;
}

/** What whoever goes on with recoveries asks of the database; rejects where it does not answer. */
export interface RecoveryStore {
  /** Takes the one that waits longest, for a limited time; undefined where none does. */
  readonly take: (own: string) => Promise<RecoveryJob | undefined>;
  /** Owes so many deliveries again at most; false where there are no more, or the time was over. */
  readonly step: (own: string, job: RecoveryJob, most: number) => Promise<boolean>;
  readonly end: (
    own: string,
    job: RecoveryJob,
    state: Exclude<Recovery['state'], 'running'>,
  ) => Promise<void>;
}
