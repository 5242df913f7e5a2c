import type { Envelope } from '../commands.js';
import { type CommandId, type JobId, jobIdOf } from '../ids.js';
import type { Job } from '../job.js';
import type { Facts } from './decider.js';

/** The command that asks; a job that completes it is known by it. */
export type Asker = Pick<Envelope, 'id' | 'requestId'>;

/** A command's first job has its id, further ones are numbered. */
const nextJobId = (facts: Facts, commandId: CommandId): JobId => {
  let number = 0;
  while (facts.find('jobs', 'id', jobIdOf(commandId, number))) number += 1;
  return jobIdOf(commandId, number);
};

/** A job that begins now, to complete what a command asked for (pipeline-rules.md 1). */
export const beginJob = (
  facts: Facts,
  { id, requestId }: Asker,
  given: Pick<Job, 'tenantId' | 'work' | 'cursor' | 'total'>,
): Job => ({
  ...given,
  id: nextJobId(facts, id),
  requestId,
  done: 0,
  createdAt: facts.now,
  updatedAt: facts.now,
  finishedAt: null,
});
