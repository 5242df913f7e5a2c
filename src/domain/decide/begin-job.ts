import type { Asked } from '../commands.js';
import { type CommandId, type JobId, jobIdOf } from '../ids.js';
import type { Job } from '../job.js';
import type { Scope } from '../scopes.js';
import type { Facts } from './decider.js';

/** The command that asks; a job that completes it is known by it. */
export type Asker = Pick<Asked, 'id' | 'requestId' | 'actor' | 'scope'>;

/** The jobs that a command began, as they are now. */
export const jobsBegunBy = (facts: Facts, commandId: CommandId): readonly Job[] => {
  const jobs: Job[] = [];
  for (;;) {
    const job = facts.find('jobs', 'id', jobIdOf(commandId, jobs.length));
    if (!job) return jobs;
    jobs.push(job);
  }
};

/** A command's first job has its id, further ones are numbered. */
const nextJobId = (facts: Facts, commandId: CommandId): JobId =>
  jobIdOf(commandId, jobsBegunBy(facts, commandId).length);

/** The scope of the request (decisions.md 3); none where an operator acted. */
const scopesOf = ({ scope }: Asker): readonly Scope[] => (scope === undefined ? [] : [scope]);

/** The job, which a further request has asked for as well: a key of either may read it. */
export const readableByToo = (job: Job, asker: Asker): readonly Scope[] => [
  ...new Set([...job.readableBy, ...scopesOf(asker)]),
];

/** A job that begins now, to complete what a command asked for (pipeline-rules.md 1). */
export const beginJob = (
  facts: Facts,
  asker: Asker,
  given: Pick<Job, 'tenantId' | 'work' | 'cursor' | 'total'>,
): Job => ({
  ...given,
  id: nextJobId(facts, asker.id),
  readableBy: scopesOf(asker),
  requestId: asker.requestId,
  done: 0,
  createdAt: facts.now,
  updatedAt: facts.now,
  finishedAt: null,
});
