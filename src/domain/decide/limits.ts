/** How much one commit changes; larger changes become jobs (pipeline-rules.md 1). */
export interface Limits {
  /** Maximum number of members that one command changes in its commit. */
  readonly membersAtOnce: number;
  /** Maximum number of changes in one commit, without events and outbox rows. */
  readonly changesAtOnce: number;
  /** Members that a job changes per step. Other commands wait for it, at 0.1 ms per row. */
  readonly stepSize: number;
}

export const LIMITS: Limits = { membersAtOnce: 1_000, changesAtOnce: 4_000, stepSize: 250 };
