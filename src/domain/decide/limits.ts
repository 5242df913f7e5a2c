/** How much of a change is made at once; what is more becomes a job (pipeline-rules.md 1). */
export interface Limits {
  /** Members that one command changes in its own commit. */
  readonly membersAtOnce: number;
  /** Changes in one commit, before their events and what is owed for them. */
  readonly changesAtOnce: number;
  /** Members that a job changes in one step: what others can wait for, at 0.1 ms a row. */
  readonly stepSize: number;
}

export const LIMITS: Limits = { membersAtOnce: 1_000, changesAtOnce: 4_000, stepSize: 250 };
