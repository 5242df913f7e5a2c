import type { CommandOf, CommandType, Results } from '../domain/commands.js';
import { type Outcome, resultOf } from '../pipeline/submit.js';
import type { Group } from '../domain/group.js';
import type { ScimRequest } from './scim-request.js';

/** Submits a command on behalf of the caller. */
const submitFor = <Type extends CommandType>(
  { caller, requestId, submit, bytes }: ScimRequest,
  command: CommandOf<Type>,
): Promise<Outcome<Type>> =>
  submit<Type>({
    tenantId: caller.tenant.id,
    command,
    actor: caller.actor,
    source: 'scim',
    requestId,
    ...(bytes !== undefined && { bytes }),
  });

/** Carries out a command on behalf of the caller; throws the RefusalError of one that is refused. */
export const carryOut = async <Type extends CommandType>(
  request: ScimRequest,
  command: CommandOf<Type>,
): Promise<Results[Type]> => resultOf(await submitFor(request, command));

/**
 * The same for a command on a group, with the group as the job leaves it that such a command may
 * begin: its version moves with each step.
 */
export const carryOutOnGroup = async <Type extends 'group.create' | 'group.change'>(
  request: ScimRequest,
  command: CommandOf<Type>,
): Promise<Group> => {
  const outcome = await submitFor<Type>(request, command);
  const group: Group = resultOf(outcome);
  if (request.isDryRun || !outcome.ok || !outcome.jobs) return group;
  return (await request.groups.find(request.caller.tenant.id, group.id)) ?? group;
};
