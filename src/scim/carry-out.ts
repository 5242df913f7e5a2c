import type { CommandOf, CommandType, Results } from '../domain/commands.js';
import { resultOf } from '../pipeline/submit.js';
import type { ScimRequest } from './scim-request.js';

/** Carries out a command on behalf of the caller; throws the RefusalError of one that is refused. */
export const carryOut = async <Type extends CommandType>(
  { caller, requestId, submit, bytes }: ScimRequest,
  command: CommandOf<Type>,
): Promise<Results[Type]> =>
  resultOf(
    await submit<Type>({
      tenantId: caller.tenant.id,
      command,
      actor: caller.actor,
      source: 'scim',
      requestId,
      ...(bytes !== undefined && { bytes }),
    }),
  );
