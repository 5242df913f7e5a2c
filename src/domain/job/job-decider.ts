import {
  type Decider,
  type Facts,
  unchanged,
  combineInOrder,
  type Effect,
  NO_EFFECT,
} from '../kernel/decider.js';
import type { UserId } from '../kernel/ids.js';
import type { ClearRoster, FormerRole, Job, RecomputeRoles } from './job.js';
import { type Membership, rosterPageKey } from '../room/room.js';
import { applyRoleMappings, updateDefaultRole } from '../role/roles.js';
import { changeMembers, removeMemberships } from '../room/change-members.js';
import { ownerOf, touchOwner } from '../room/roster.js';
import { applySmsPart, clearSmsPage, unblockSmsList } from '../sms/change-sms-members.js';
import type { User } from '../user/user.js';
import { applyPart, ROSTER_PARTS, type Step } from './start-job.js';

const membersAfter = (facts: Facts, rosterId: string, after: string): readonly Membership[] =>
  facts.list(
    'memberships',
    'page',
    rosterPageKey({ rosterId, after, limit: facts.limits.stepSize }),
  );

/** Always takes the first page: removed members are gone, so no cursor is needed. */
const clearPage = (facts: Facts, { rosterId, holder: owner, lastly }: ClearRoster): Step => {
  const page = membersAfter(facts, rosterId, '');
  const { changes, events } = removeMemberships(facts, page, { rosterId, owner });
  const isLast = page.length < facts.limits.stepSize;
  return {
    effect: { changes, events: isLast ? [...events, ...lastly] : events },
    done: page.length,
    next: isLast ? null : '',
  };
};

const nextAfter = ({ limits }: Facts, ids: readonly UserId[]): string | null =>
  ids.length < limits.stepSize ? null : (ids.at(-1) ?? null);

const recomputePage = (
  facts: Facts,
  job: Job,
  { rosterId, formerRoles = [] }: RecomputeRoles,
): Step => {
  if (rosterId === null) return updateDefaultRolePage(facts, job, formerRoles);
  const ids = membersAfter(facts, rosterId, job.cursor).map(({ userId }) => userId);
  return { effect: applyRoleMappings(facts, ids), done: ids.length, next: nextAfter(facts, ids) };
};

/** Skips users created after the job started, who never had a former role. */
const updateDefaultRolePage = (
  facts: Facts,
  { cursor, createdAt }: Job,
  formerRoles: readonly FormerRole[],
): Step => {
  const users = usersWithDefaultRole(facts, cursor, facts.limits.stepSize);
  const ids = users.map(({ id }) => id);
  const effect = updateDefaultRole(
    facts,
    users.filter((user) => user.createdAt < createdAt),
    formerRoles,
  );
  return { effect, done: ids.length, next: nextAfter(facts, ids) };
};

/** Users without a mapped role, in the order of their ids. */
export const usersWithDefaultRole = (facts: Facts, after: string, limit: number): readonly User[] =>
  facts.list('users', 'withDefaultRole', rosterPageKey({ rosterId: '', after, limit }));

const stepOf = (facts: Facts, job: Job): Step => {
  const { work } = job;
  switch (work.kind) {
    case 'roster.apply':
      return applyPart(facts, job, {
        table: ROSTER_PARTS,
        apply: (entries) => changeMembers(facts, work.rosterId, entries),
      });
    case 'roster.clear':
      return clearPage(facts, work);
    case 'roles.recompute':
      return recomputePage(facts, job, work);
    case 'sms-list.apply':
      return applySmsPart(facts, job, work);
    case 'sms-list.clear':
      return clearSmsPage(facts, work.listId);
  }
};

const advance = (job: Job, { done, next }: Step, now: Date): Job => ({
  ...job,
  done: job.done + done,
  cursor: next ?? job.cursor,
  updatedAt: now,
  finishedAt: next === null ? now : null,
});

/** Lets other commands change the members again. */
const unblock =
  (job: Job) =>
  (facts: Facts): Effect => {
    const { work, id } = job;
    if (!('rosterId' in work)) return unblockSmsList(facts, job);
    if (work.kind === 'roles.recompute') return NO_EFFECT;
    const owner = ownerOf(facts, work.rosterId);
    return (owner.room ?? owner.group)?.pendingJob === id
      ? { changes: touchOwner(facts, owner, { pendingJob: null }), events: [] }
      : NO_EFFECT;
  };

/**
 * Runs the next step of a job on the current state and advances its cursor in the same commit
 * (pipeline-rules.md 1). A finished job is not changed.
 */
export const stepJob: Decider<'job.step'> = {
  lookups: ({ jobId }) => [{ table: 'jobs', index: 'id', key: jobId }],
  decide: ({ command: { jobId } }, facts) => {
    const before = facts.find('jobs', 'id', jobId) ?? null;
    // The data of a deleted tenant is purged.
    if (!facts.tenant) return unchanged(null);
    if (!before || before.finishedAt !== null) return unchanged(before);
    const step = stepOf(facts, before);
    const after = advance(before, step, facts.now);
    const effect = combineInOrder(facts, [
      () => step.effect,
      () => ({ changes: [{ table: 'jobs', before, after }], events: [] }),
      after.finishedAt === null ? () => NO_EFFECT : unblock(after),
    ]);
    return { ...effect, result: after };
  },
  recall: ({ jobId }, facts) => facts.find('jobs', 'id', jobId) ?? null,
};
