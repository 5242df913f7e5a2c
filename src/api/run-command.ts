import type { Actor, Source } from '../domain/kernel/actor.js';
import type { CommandOf, CommandType, Results } from '../domain/commands.js';
import type { TenantId } from '../domain/kernel/ids.js';
import type { Idempotency } from '../domain/kernel/stored-response.js';
import { resultOf, type Submit } from '../pipeline/submit.js';

/** The parts of a request that a command needs. */
interface CommandRequest {
  readonly caller: { readonly actor: Actor };
  readonly source: Source;
  readonly requestId: string;
  readonly idempotency?: Idempotency;
  readonly submit: Submit;
}

/** Submits a command for a request. Throws a RefusalError if it is refused. */
export const runCommand = async <Type extends CommandType>(
  { caller, source, requestId, idempotency, submit }: CommandRequest,
  tenantId: TenantId,
  command: CommandOf<Type> & { readonly type: Type },
): Promise<Results[Type]> =>
  resultOf<Type>(
    await submit<Type>({
      tenantId,
      command,
      actor: caller.actor,
      source,
      requestId,
      ...(idempotency && { idempotency }),
    }),
  );
