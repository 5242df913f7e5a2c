import type { NewEvent } from '../events.js';
import type { RosterId } from '../ids.js';
import {
  type ApplyToRoster,
  type ClearRoster,
  type Job,
  type JobPart,
  jobPartIdOf,
  newJob,
  type RosterEntry,
} from '../job.js';
import type { JsonObject } from '../json.js';
import type { Change } from '../tables.js';
import { changeMembers, endMemberships } from './change-members.js';
import type { Facts } from './decider.js';
import { type Effect, NO_EFFECT } from './effect.js';
import { nextJobId } from './next-job-id.js';
import type { Asker } from './roles.js';
import { holderOf, touchHolder } from './roster.js';
import { fitsCommit } from './row-budget.js';

const partsOf = (job: Job, entries: readonly RosterEntry[], size: number): readonly Change[] =>
  Array.from({ length: Math.ceil(entries.length / size) }, (_, part) => {
    const after: JobPart = {
      id: jobPartIdOf(job.id, part),
      tenantId: job.tenantId,
      entries: entries.slice(part * size, (part + 1) * size),
    };
    return { table: 'jobParts', before: null, after } as const;
  });

const startJob = (
  facts: Facts,
  job: Job & { readonly work: ApplyToRoster | ClearRoster },
  entries: readonly RosterEntry[],
): Effect => {
  const holder = holderOf(facts, job.work.rosterId);
  return {
    changes: [
      { table: 'jobs', before: null, after: job },
      ...partsOf(job, entries, facts.limits.stepSize),
      ...touchHolder(facts, holder, { pendingJob: job.id }),
    ],
    events: [],
  };
};

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
  const job = newJob(facts, tenant, {
    id: nextJobId(facts, asker.id),
    requestId: asker.requestId,
    work: { kind: 'roster.apply', rosterId },
    cursor: '0',
    done: 0,
    total: entries.length,
  });
  return startJob(facts, job, entries);
};

/** A roster that is nobody's any more, or no more a group's. */
export interface Clearing {
  readonly rosterId: RosterId;
  readonly memberCount: number;
  /** `data.room` of the events; null: none happen. */
  readonly room: JsonObject | null;
  /** What happens when all have left. */
  readonly lastly: readonly NewEvent[];
}

/** Ends all memberships of a roster, at once or by a job; then happens what is to happen lastly. */
export const clearRoster = (
  facts: Facts,
  asker: Asker,
  { rosterId, memberCount, room, lastly }: Clearing,
): Effect => {
  const { tenant } = facts;
  if (!tenant) return NO_EFFECT;
  if (memberCount === 0) return { changes: [], events: lastly };
  if (fitsCommit(facts, memberCount)) {
    const memberships = facts.list('memberships', 'roster', rosterId);
    const { changes, events } = endMemberships(facts, memberships, { rosterId, room });
    return { changes, events: [...events, ...lastly] };
  }
  const job = newJob(facts, tenant, {
    id: nextJobId(facts, asker.id),
    requestId: asker.requestId,
    work: { kind: 'roster.clear', rosterId, room, lastly },
    cursor: '',
    done: 0,
    total: memberCount,
  });
  return startJob(facts, job, []);
};
