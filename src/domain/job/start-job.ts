import type { CommandContext } from '../commands.js';
import { type Facts, type Effect, NO_EFFECT } from '../kernel/decider.js';
import { type CommandId, type JobId, jobIdOf } from '../kernel/ids.js';
import { type Job, type JobPart, jobPartIdOf, type RosterEntry } from './job.js';
import type { Scope } from '../scopes.js';
import type { Change } from '../tables.js';
import type { SmsEntry } from '../sms/sms-list.js';

/** The jobs that a command has started, in their current state. */
export const jobsStartedBy = (facts: Facts, commandId: CommandId): readonly Job[] => {
  const jobs: Job[] = [];
  for (;;) {
    const job = facts.find('jobs', 'id', jobIdOf(commandId, jobs.length));
    if (!job) return jobs;
    jobs.push(job);
  }
};

const nextJobId = (facts: Facts, commandId: CommandId): JobId =>
  jobIdOf(commandId, jobsStartedBy(facts, commandId).length);

/** The scope of the request (decisions.md 3); none for operators. */
const scopesOf = ({ scope }: CommandContext): readonly Scope[] =>
  scope === undefined ? [] : [scope];

/** The scopes that may read a job after a further request has joined it. */
export const readersAfter = (job: Job, context: CommandContext): readonly Scope[] => [
  ...new Set([...job.readableBy, ...scopesOf(context)]),
];

/** A new job, and the changes that create it. */
interface StartedJob {
  readonly job: Job;
  readonly changes: readonly Change[];
}

/** Starts a job that completes a command (pipeline-rules.md 1). */
export const startJob = (
  facts: Facts,
  context: CommandContext,
  given: Pick<Job, 'work' | 'cursor' | 'total'>,
): StartedJob => {
  const job: Job = {
    ...given,
    tenantId: context.tenantId,
    id: nextJobId(facts, context.id),
    readableBy: scopesOf(context),
    requestId: context.requestId,
    done: 0,
    createdAt: facts.now,
    updatedAt: facts.now,
    finishedAt: null,
  };
  return { job, changes: [{ table: 'jobs', before: null, after: job }] };
};

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
interface PartTable<Entry> {
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
interface JobEntries<Entry> extends Pick<Job, 'work'> {
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

/** Whether a commit has capacity for changes of so many members. */
export const fitsCommit = (
  { changeCount, limits }: Pick<Facts, 'changeCount' | 'limits'>,
  members: number,
): boolean => members <= limits.membersAtOnce && changeCount + members <= limits.changesAtOnce;

interface LargeChange {
  /** Number of members that it changes. */
  readonly members: number;
  readonly inline: () => Effect;
  readonly start: () => StartedJob;
  /** Makes other changes of the same members wait for the job. */
  readonly block: (job: Job) => readonly Change[];
}

/** Makes a change in this commit if it fits, else by a job (pipeline-rules.md 1). */
export const applyOrStartJob = (
  facts: Facts,
  { members, inline, start, block }: LargeChange,
): Effect => {
  if (members === 0 || !facts.tenant) return NO_EFFECT;
  if (fitsCommit(facts, members)) return inline();
  const { job, changes } = start();
  return { changes: [...changes, ...block(job)], events: [] };
};
