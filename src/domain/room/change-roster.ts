import type { CommandContext } from '../commands.js';
import type { Facts } from '../kernel/decider.js';
import type { NewEvent } from '../events.js';
import type { RosterId } from '../kernel/ids.js';
import type { Job, RosterEntry } from '../job/job.js';
import { ROSTER_PARTS, startJobOfParts } from '../job/job-parts.js';
import { applyOrStartJob } from '../job/large-change.js';
import { startJob } from '../job/start-job.js';
import type { Effect } from '../kernel/effect.js';
import type { Change } from '../tables.js';
import { changeMembers, removeMemberships } from './change-members.js';
import type { OwnerSummary } from './member-events.js';
import { ownerOf, touchOwner } from './roster.js';

const blockFor =
  (facts: Facts, rosterId: RosterId) =>
  (job: Job): readonly Change[] =>
    touchOwner(facts, ownerOf(facts, rosterId), { pendingJob: job.id });

/** Changes members by these entries: in this commit, or by a job if there are too many. */
export const changeRoster = (
  facts: Facts,
  context: CommandContext,
  { rosterId, entries }: { readonly rosterId: RosterId; readonly entries: readonly RosterEntry[] },
): Effect =>
  applyOrStartJob(facts, {
    members: entries.length,
    inline: () => changeMembers(facts, rosterId, entries),
    start: () =>
      startJobOfParts(facts, context, {
        work: { kind: 'roster.apply', rosterId },
        table: ROSTER_PARTS,
        entries,
      }),
    block: blockFor(facts, rosterId),
  });

/** A roster whose room or group was removed, or that is no longer a group's. */
export interface Clearing {
  readonly rosterId: RosterId;
  readonly memberCount: number;
  /** The former room or group, for the events. */
  readonly owner: OwnerSummary;
  /** Events after the last removal. */
  readonly finalEvents: readonly NewEvent[];
}

/** Removes all memberships of a roster: in this commit, or by a job if there are too many. */
export const clearRoster = (
  facts: Facts,
  context: CommandContext,
  { rosterId, memberCount, owner, finalEvents }: Clearing,
): Effect => {
  if (memberCount === 0) return { changes: [], events: facts.tenant ? finalEvents : [] };
  return applyOrStartJob(facts, {
    members: memberCount,
    inline: () => {
      const memberships = facts.list('memberships', 'roster', rosterId);
      const effect = removeMemberships(facts, memberships, { rosterId, owner });
      return { ...effect, events: [...effect.events, ...finalEvents] };
    },
    start: () =>
      startJob(facts, context, {
        work: { kind: 'roster.clear', rosterId, holder: owner, lastly: finalEvents },
        cursor: '',
        total: memberCount,
      }),
    block: blockFor(facts, rosterId),
  });
};
