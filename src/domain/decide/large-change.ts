import type { MemberHolder, NewEvent } from '../events.js';
import type { RosterId } from '../ids.js';
import type { Job, RosterEntry } from '../job.js';
import type { Change } from '../tables.js';
import { type Asker, beginJob } from './begin-job.js';
import { changeMembers, endMemberships } from './change-members.js';
import type { Facts } from './decider.js';
import { type Effect, NO_EFFECT } from './effect.js';
import { beginJobOfParts, ROSTER_PARTS } from './job-parts.js';
import { holderOf, touchHolder } from './roster.js';
import { fitsCommit } from './row-budget.js';

/** These members wait for the job's end. */
const holdFor = (facts: Facts, job: Job, rosterId: RosterId): readonly Change[] =>
  touchHolder(facts, holderOf(facts, rosterId), { pendingJob: job.id });

/**
 * Changes members by these entries: at once where they fit into the commit, else by a job until
 * whose end other changes of the same members wait (pipeline-rules.md 1).
 */
export const changeMembersOf = (
  facts: Facts,
  asker: Asker,
  { rosterId, entries }: { readonly rosterId: RosterId; readonly entries: readonly RosterEntry[] },
): Effect => {
  const { tenant } = facts;
  if (entries.length === 0 || !tenant) return NO_EFFECT;
  if (fitsCommit(facts, entries.length)) return changeMembers(facts, rosterId, entries);
  const { job, changes } = beginJobOfParts(facts, asker, {
    tenantId: tenant.id,
    work: { kind: 'roster.apply', rosterId },
    table: ROSTER_PARTS,
    entries,
  });
  return { changes: [...changes, ...holdFor(facts, job, rosterId)], events: [] };
};

/** A roster that is nobody's any more, or no more a group's. */
export interface Clearing {
  readonly rosterId: RosterId;
  readonly memberCount: number;
  /** What held it, for the events. */
  readonly holder: MemberHolder;
  /** What happens when all have left. */
  readonly lastly: readonly NewEvent[];
}

/** Ends all memberships of a roster, at once or by a job; then happens what is to happen lastly. */
export const clearRoster = (
  facts: Facts,
  asker: Asker,
  { rosterId, memberCount, holder, lastly }: Clearing,
): Effect => {
  const { tenant } = facts;
  if (!tenant) return NO_EFFECT;
  if (memberCount === 0) return { changes: [], events: lastly };
  if (fitsCommit(facts, memberCount)) {
    const memberships = facts.list('memberships', 'roster', rosterId);
    const { changes, events } = endMemberships(facts, memberships, {
      rosterId,
      namedAs: holder,
    });
    return { changes, events: [...events, ...lastly] };
  }
  const work = { kind: 'roster.clear', rosterId, holder, lastly } as const;
  const job = beginJob(facts, asker, {
    tenantId: tenant.id,
    work,
    cursor: '',
    total: memberCount,
  });
  return {
    changes: [{ table: 'jobs', before: null, after: job }, ...holdFor(facts, job, rosterId)],
    events: [],
  };
};
