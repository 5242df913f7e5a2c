import { type Job, type JobPart, jobPartIdOf, type RosterEntry } from '../job.js';
import type { SmsEntry } from '../sms-member.js';
import type { Change } from '../tables.js';
import { type Asker, beginJob } from './begin-job.js';
import type { Facts } from './decider.js';
import type { Effect } from './effect.js';
import { NO_STEP, type Step } from './step.js';

/** Where parts with entries of one kind are kept. */
export interface PartTable<Entry> {
  readonly find: (facts: Facts, id: string) => JobPart<Entry> | undefined;
  readonly change: (before: JobPart<Entry> | null, after: JobPart<Entry> | null) => Change;
}

export const ROSTER_PARTS: PartTable<RosterEntry> = {
  find: (facts, id) => facts.find('jobParts', 'id', id),
  change: (before, after) => ({ table: 'jobParts', before, after }),
};

export const SMS_PARTS: PartTable<SmsEntry> = {
  find: (facts, id) => facts.find('smsJobParts', 'id', id),
  change: (before, after) => ({ table: 'smsJobParts', before, after }),
};

/** The list that a job goes through, cut into what one step does. */
const cutIntoParts = <Entry>(
  { id, tenantId }: Job,
  entries: readonly Entry[],
  size: number,
): readonly JobPart<Entry>[] =>
  Array.from({ length: Math.ceil(entries.length / size) }, (_, part) => ({
    id: jobPartIdOf(id, part),
    tenantId,
    entries: entries.slice(part * size, (part + 1) * size),
  }));

/** What a job is to do, entry by entry. */
export interface Entries<Entry> extends Pick<Job, 'tenantId' | 'work'> {
  readonly table: PartTable<Entry>;
  readonly entries: readonly Entry[];
}

/** A job that goes through these entries, and what has to be written for it to begin. */
export const beginJobOfParts = <Entry>(
  facts: Facts,
  asker: Asker,
  { table, entries, tenantId, work }: Entries<Entry>,
): { readonly job: Job; readonly changes: readonly Change[] } => {
  const job = beginJob(facts, asker, { tenantId, work, cursor: '0', total: entries.length });
  const parts = cutIntoParts(job, entries, facts.limits.stepSize);
  return {
    job,
    changes: [
      { table: 'jobs', before: null, after: job },
      ...parts.map((part) => table.change(null, part)),
    ],
  };
};

/** Does the part at which the job stands, and removes it. */
export const applyPart = <Entry>(
  facts: Facts,
  job: Job,
  {
    table,
    apply,
  }: { readonly table: PartTable<Entry>; readonly apply: (entries: readonly Entry[]) => Effect },
): Step => {
  const number = Number(job.cursor);
  const part = table.find(facts, jobPartIdOf(job.id, number));
  if (!part) return NO_STEP;
  const { changes, events } = apply(part.entries);
  const done = part.entries.length;
  const isLast = job.done + done >= job.total;
  return {
    effect: { changes: [...changes, table.change(part, null)], events },
    done,
    next: isLast ? null : String(number + 1),
  };
};
