import type { Facts } from './decider.js';

/** Members that one command changes at once; more are a job's (pipeline-rules.md 1). */
const MOST_AT_ONCE = 1_000;
/** Changes in one commit, before their events and what is owed for them. */
const MOST_CHANGES = 4_000;

/** Whether so many members can be changed in this commit, or a job should do it. */
export const fitsCommit = ({ changeCount }: Pick<Facts, 'changeCount'>, members: number): boolean =>
  members <= MOST_AT_ONCE && changeCount + members <= MOST_CHANGES;
