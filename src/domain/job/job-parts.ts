import type { CommandContext } from '../commands.js';
import type { Facts } from '../kernel/decider.js';
import { type Job, type JobPart, jobPartIdOf, type RosterEntry } from './job.js';
import { type Effect, NO_EFFECT } from '../kernel/effect.js';
import type { SmsEntry } from '../sms/sms-member.js';
import type { Change } from '../tables.js';
import { type StartedJob, startJob } from './start-job.js';

/** One step of a job. */
export interface Step {
  readonly effect: Effect;
  /** Number of members that it processed. */
  readonly done: number;
  /** The cursor of the next step; null after the last one. */
  readonly next: string | null;
}

export const NO_STEP: Step = { effect: NO_EFFECT, done: 0, next: null };

/** The table of parts with one kind of entries. */
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

/** Splits a job's entries into parts of one step each. */
const splitIntoParts = <Entry>(
  { id, tenantId }: Job,
  entries: readonly Entry[],
  size: number,
): readonly JobPart<Entry>[] =>
  Array.from({ length: Math.ceil(entries.length / size) }, (_, part) => ({
    id: jobPartIdOf(id, part),
    tenantId,
    entries: entries.slice(part * size, (part + 1) * size),
  }));

/** The work of a job, entry by entry. */
export interface JobEntries<Entry> extends Pick<Job, 'work'> {
  readonly table: PartTable<Entry>;
  readonly entries: readonly Entry[];
}

/** Starts a job that processes these entries. */
export const startJobOfParts = <Entry>(
  facts: Facts,
  context: CommandContext,
  { table, entries, work }: JobEntries<Entry>,
): StartedJob => {
  const { job, changes } = startJob(facts, context, { work, cursor: '0', total: entries.length });
  const parts = splitIntoParts(job, entries, facts.limits.stepSize);
  return { job, changes: [...changes, ...parts.map((part) => table.change(null, part))] };
};

/** Processes the part at the job's cursor and removes it. */
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
