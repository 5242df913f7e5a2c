import type { CommandContext } from '../commands.js';
import type { Facts } from '../kernel/decider.js';
import { type CommandId, type JobId, jobIdOf } from '../kernel/ids.js';
import type { Job } from './job.js';
import type { Scope } from '../scopes.js';
import type { Change } from '../tables.js';

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
export interface StartedJob {
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
