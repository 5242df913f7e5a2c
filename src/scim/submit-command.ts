import type { CommandOf, CommandType, Results } from '../domain/commands.js';
import { type Outcome, resultOf } from '../pipeline/submit.js';
import type { Group } from '../domain/group/group.js';
import type { ScimRequest } from './scim-request.js';

/** Submits a command for the caller. */
const submitFor = <Type extends CommandType>(
  { caller, requestId, submit }: ScimRequest,
  command: CommandOf<Type>,
): Promise<Outcome<Type>> =>
  submit<Type>({
    tenantId: caller.tenant.id,
    command,
    actor: caller.actor,
    source: 'scim',
    requestId,
  });

/**
 * Submits a command for the caller and returns its result. Throws RefusalError if it is refused.
 */
export const submitCommand = async <Type extends CommandType>(
  request: ScimRequest,
  command: CommandOf<Type>,
): Promise<Results[Type]> => resultOf(await submitFor(request, command));

/**
 * Submits a command on a group and returns the group. If the command started a job, the group is
 * read again, because each step of the job changes its version.
 */
export const submitGroupCommand = async <Type extends 'group.create' | 'group.change'>(
  request: ScimRequest,
  command: CommandOf<Type>,
): Promise<Group> => {
  const outcome = await submitFor<Type>(request, command);
  const group: Group = resultOf(outcome);
  if (request.isDryRun || !outcome.ok || !outcome.jobs) return group;
  return (await request.groups.find(request.caller.tenant.id, group.id)) ?? group;
};
