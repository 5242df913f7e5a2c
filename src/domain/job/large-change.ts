import type { Facts } from '../kernel/decider.js';
import type { Job } from './job.js';
import { type Effect, NO_EFFECT } from '../kernel/effect.js';
import type { Change } from '../tables.js';
import type { StartedJob } from './start-job.js';

/** Whether a commit has capacity for changes of so many members. */
export const fitsCommit = (
  { changeCount, limits }: Pick<Facts, 'changeCount' | 'limits'>,
  members: number,
): boolean => members <= limits.membersAtOnce && changeCount + members <= limits.changesAtOnce;

interface LargeChange {
  /** Number of members that it changes. */
  readonly members: number;
  readonly inline: () => Effect;
  readonly start: () => StartedJob;
  /** Makes other changes of the same members wait for the job. */
  readonly block: (job: Job) => readonly Change[];
}

/** Makes a change in this commit if it fits, else by a job (pipeline-rules.md 1). */
export const applyOrStartJob = (
  facts: Facts,
  { members, inline, start, block }: LargeChange,
): Effect => {
  if (members === 0 || !facts.tenant) return NO_EFFECT;
  if (fitsCommit(facts, members)) return inline();
  const { job, changes } = start();
  return { changes: [...changes, ...block(job)], events: [] };
};
