import type { UserId } from '../ids.js';
import type { ClearRoster, FormerRole, Job, RecomputeRoles } from '../job.js';
import { type Membership, rosterPageKey } from '../membership.js';
import type { User } from '../user.js';
import { changeMembers, endMemberships } from './change-members.js';
import type { Decider, Facts } from './decider.js';
import { type Effect, inOrder, NO_EFFECT } from './effect.js';
import { applyPart, ROSTER_PARTS } from './job-parts.js';
import { applyRoleMappings, renameDefaultRole } from './roles.js';
import { holderOf, touchHolder } from './roster.js';
import { applySmsPart, clearSmsPage, releaseSmsList } from './sms-large-change.js';
import type { Step } from './step.js';
import { unchanged } from './user-steps.js';

const pageOf = (facts: Facts, rosterId: string, after: string): readonly Membership[] =>
  facts.list(
    'memberships',
    'page',
    rosterPageKey({ rosterId, after, limit: facts.limits.stepSize }),
  );

/** Whoever is still there is at the front: what is done is gone, so it needs no cursor. */
const clearPage = (facts: Facts, { rosterId, holder, lastly }: ClearRoster): Step => {
  const page = pageOf(facts, rosterId, '');
  const { changes, events } = endMemberships(facts, page, { rosterId, namedAs: holder });
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
  if (rosterId === null) return renamePage(facts, job, formerRoles);
  const ids = pageOf(facts, rosterId, job.cursor).map(({ userId }) => userId);
  return { effect: applyRoleMappings(facts, ids), done: ids.length, next: nextAfter(facts, ids) };
};

/** Who came to be since has never had the role of another name. */
const renamePage = (
  facts: Facts,
  { cursor, createdAt }: Job,
  formerRoles: readonly FormerRole[],
): Step => {
  const users = defaultRoleHolders(facts, cursor, facts.limits.stepSize);
  const ids = users.map(({ id }) => id);
  const effect = renameDefaultRole(
    facts,
    users.filter((user) => user.createdAt < createdAt),
    formerRoles,
  );
  return { effect, done: ids.length, next: nextAfter(facts, ids) };
};

/** Users whom no mapping gives a role, in the order of their ids. */
export const defaultRoleHolders = (facts: Facts, after: string, limit: number): readonly User[] =>
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

const moveOn = (job: Job, { done, next }: Step, now: Date): Job => ({
  ...job,
  done: job.done + done,
  cursor: next ?? job.cursor,
  updatedAt: now,
  finishedAt: next === null ? now : null,
});

/** The members can be changed by others again. */
const release =
  (job: Job) =>
  (facts: Facts): Effect => {
    const { work, id } = job;
    if (!('rosterId' in work)) return releaseSmsList(facts, job);
    if (work.kind === 'roles.recompute') return NO_EFFECT;
    const holder = holderOf(facts, work.rosterId);
    const keeper = holder.room ?? holder.group;
    return keeper?.pendingJob === id
      ? { changes: touchHolder(facts, holder, { pendingJob: null }), events: [] }
      : NO_EFFECT;
  };

/**
 * The next piece of a job: everything is worked out from how things are now, and the cursor moves in
 * the same commit (pipeline-rules.md 1). One that has ended changes nothing.
 */
export const stepJob: Decider<'job.step'> = {
  needs: ({ jobId }) => [{ table: 'jobs', index: 'id', key: jobId }],
  decide: ({ command: { jobId } }, facts) => {
    const before = facts.find('jobs', 'id', jobId) ?? null;
    // Of a tenant that is deleted nothing changes any more: what is left is purged.
    if (!facts.tenant) return unchanged(null);
    if (!before || before.finishedAt !== null) return unchanged(before);
    const step = stepOf(facts, before);
    const after = moveOn(before, step, facts.now);
    const effect = inOrder(facts, [
      () => step.effect,
      () => ({ changes: [{ table: 'jobs', before, after }], events: [] }),
      after.finishedAt === null ? () => NO_EFFECT : release(after),
    ]);
    return { ...effect, result: after };
  },
  recall: ({ jobId }, facts) => facts.find('jobs', 'id', jobId) ?? null,
};
