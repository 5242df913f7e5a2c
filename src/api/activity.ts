import type { TenantId } from '../domain/kernel/ids.js';
import type { LogOutcome } from '../pipeline/commit-store.js';

/** From `from`, before `until`. */
export interface Period {
  readonly from: Date;
  readonly until: Date;
}

/** Numbers of commands by outcome, and of events. */
export interface ActivityPoint {
  readonly at: Date;
  readonly applied: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly failed: number;
  readonly events: number;
}

/** Commands that are counted at most: per outcome, and per hour or shorter step. */
export const MAX_COUNTED_COMMANDS = 100_000;

/** Counts of the provisioning log, from its indexes. */
export interface ActivityReader {
  /** Commands with this outcome, counted up to `MAX_COUNTED_COMMANDS`. */
  readonly count: (tenantId: TenantId, outcome: LogOutcome, period: Period) => Promise<number>;
  /** One point per step. Both ends must be multiples of the step, which divides an hour or is a multiple of it. */
  readonly points: (
    tenantId: TenantId,
    period: Period & { readonly stepMs: number },
  ) => Promise<readonly ActivityPoint[]>;
}
