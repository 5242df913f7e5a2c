import { jobPartIdOf, type ApplyToSmsList, type Job, newJob } from '../job.js';
import type { SmsList } from '../sms-list.js';
import { type SmsEntry, type SmsMember, smsPageKey } from '../sms-member.js';
import type { Change } from '../tables.js';
import type { Facts } from './decider.js';
import { type Effect, NO_EFFECT } from './effect.js';
import { nextJobId } from './next-job-id.js';
import type { Asker } from './roles.js';
import { fitsCommit } from './row-budget.js';
import { touchSmsList } from './sms-list-steps.js';

/** A member that comes (before is null), changes, or leaves (after is null). */
export interface SmsMemberChange {
  readonly before: SmsMember | null;
  readonly after: SmsMember | null;
}

/** Changes members, and their list counts them. */
const applyChanges = (
  facts: Facts,
  listId: SmsList['id'],
  members: readonly SmsMemberChange[],
): Effect => {
  const list = facts.find('smsLists', 'id', listId);
  if (!list || members.length === 0) return NO_EFFECT;
  const by = members.reduce(
    (sum, { before, after }) => sum + Number(after !== null) - Number(before !== null),
    0,
  );
  return {
    changes: [
      ...members.map((change) => ({ table: 'smsMembers', ...change }) as const),
      touchSmsList(facts, list, { by }),
    ],
    events: [],
  };
};

const entryOf = ({ before, after }: SmsMemberChange): readonly SmsEntry[] => {
  const member = after ?? before;
  return member ? [{ memberId: member.id, after }] : [];
};

/** What of an entry there is to do, as things are now. */
const changesBy = (facts: Facts, entries: readonly SmsEntry[]): readonly SmsMemberChange[] => {
  facts.require(
    entries.map(({ memberId }) => ({ table: 'smsMembers', index: 'id', key: memberId }) as const),
  );
  return entries
    .map(({ memberId, after }) => ({
      before: facts.find('smsMembers', 'id', memberId) ?? null,
      after,
    }))
    .filter(({ before, after }) => before !== null || after !== null);
};

const partsOf = (job: Job, entries: readonly SmsEntry[], size: number): readonly Change[] =>
  Array.from({ length: Math.ceil(entries.length / size) }, (_, part) => {
    const after = {
      id: jobPartIdOf(job.id, part),
      tenantId: job.tenantId,
      entries: entries.slice(part * size, (part + 1) * size),
    };
    return { table: 'smsJobParts', before: null, after } as const;
  });

const jobFor = (facts: Facts, asker: Asker, given: Pick<Job, 'tenantId' | 'work' | 'total'>): Job =>
  newJob(
    facts,
    { id: given.tenantId },
    {
      id: nextJobId(facts, asker.id),
      requestId: asker.requestId,
      work: given.work,
      cursor: '0',
      done: 0,
      total: given.total,
    },
  );

/**
 * Changes members of a list so: at once where they fit into the commit, else by a job
 * until whose end other changes of the same members wait (pipeline-rules.md 1).
 */
export const changeSmsMembers = (
  facts: Facts,
  asker: Asker,
  { list, changes }: { readonly list: SmsList; readonly changes: readonly SmsMemberChange[] },
): Effect => {
  if (changes.length === 0) return NO_EFFECT;
  if (fitsCommit(facts, changes.length)) return applyChanges(facts, list.id, changes);
  const job = jobFor(facts, asker, {
    tenantId: list.tenantId,
    work: { kind: 'sms-list.apply', listId: list.id },
    total: changes.length,
  });
  return {
    changes: [
      { table: 'jobs', before: null, after: job },
      ...partsOf(job, changes.flatMap(entryOf), facts.limits.stepSize),
      touchSmsList(facts, list, { pendingJob: job.id }),
    ],
    events: [],
  };
};

/** Removes the members of a list that is gone, at once or by a job. */
export const clearSmsList = (facts: Facts, asker: Asker, list: SmsList): Effect => {
  const { id: listId, memberCount } = list;
  if (memberCount === 0) return NO_EFFECT;
  if (fitsCommit(facts, memberCount)) {
    const members = facts.list('smsMembers', 'list', listId);
    return {
      changes: members.map((before) => ({ table: 'smsMembers', before, after: null }) as const),
      events: [],
    };
  }
  const work = { kind: 'sms-list.clear', listId } as const;
  const job = jobFor(facts, asker, { tenantId: list.tenantId, work, total: memberCount });
  return { changes: [{ table: 'jobs', before: null, after: job }], events: [] };
};

/** A piece of a job on a list: what it does, of how many members, and where the next one begins. */
export interface SmsStep {
  readonly effect: Effect;
  readonly done: number;
  /** Null: there is no more. */
  readonly next: string | null;
}

const ENDED: SmsStep = { effect: NO_EFFECT, done: 0, next: null };

export const applySmsPart = (facts: Facts, job: Job, { listId }: ApplyToSmsList): SmsStep => {
  const number = Number(job.cursor);
  const part = facts.find('smsJobParts', 'id', jobPartIdOf(job.id, number));
  if (!part) return ENDED;
  const { entries } = part;
  const { changes } = applyChanges(facts, listId, changesBy(facts, entries));
  const isLast = job.done + entries.length >= job.total;
  return {
    effect: {
      changes: [...changes, { table: 'smsJobParts', before: part, after: null }],
      events: [],
    },
    done: entries.length,
    next: isLast ? null : String(number + 1),
  };
};

/** What is done is gone, so whoever is still there is at the front. */
export const clearSmsPage = (facts: Facts, listId: SmsList['id']): SmsStep => {
  const { stepSize } = facts.limits;
  const page = facts.list('smsMembers', 'first', smsPageKey({ listId, limit: stepSize }));
  return {
    effect: {
      changes: page.map((before) => ({ table: 'smsMembers', before, after: null }) as const),
      events: [],
    },
    done: page.length,
    next: page.length < stepSize ? null : '0',
  };
};

/** The members can be changed by others again. */
export const releaseSmsList = (facts: Facts, { id, work }: Job): Effect => {
  if (work.kind !== 'sms-list.apply') return NO_EFFECT;
  const list = facts.find('smsLists', 'id', work.listId);
  return list?.pendingJob === id
    ? { changes: [touchSmsList(facts, list, { pendingJob: null })], events: [] }
    : NO_EFFECT;
};
