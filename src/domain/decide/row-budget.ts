import type { Facts } from './decider.js';

/** Whether so many members can be changed in this commit, or a job should do it. */
export const fitsCommit = (
  { changeCount, limits }: Pick<Facts, 'changeCount' | 'limits'>,
  members: number,
): boolean => members <= limits.membersAtOnce && changeCount + members <= limits.changesAtOnce;
