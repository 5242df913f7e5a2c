import { type CommandId, type JobId, jobIdOf } from '../ids.js';
import type { Facts } from './decider.js';

/** A command's first job has its id, further ones are numbered. */
export const nextJobId = (facts: Facts, commandId: CommandId): JobId => {
  let number = 0;
  while (facts.find('jobs', 'id', jobIdOf(commandId, number))) number += 1;
  return jobIdOf(commandId, number);
};
