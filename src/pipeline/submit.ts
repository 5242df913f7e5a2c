import type { Actor, Source } from '../domain/actor.js';
import type { CommandOf, CommandType, Results } from '../domain/commands.js';
import type { CommandId, TenantId } from '../domain/ids.js';
import type { JobProgress } from '../domain/job.js';
import type { Idempotency } from '../domain/remembered-answer.js';
import { type Refusal, RefusalError } from '../domain/refusals.js';

/** What the edge hands in. */
export interface Submission<Type extends CommandType = CommandType> {
  readonly tenantId: TenantId;
  readonly command: CommandOf<Type>;
  readonly actor: Actor;
  readonly source: Source;
  readonly requestId: string;
  /** Made when absent. */
  readonly commandId?: CommandId;
  /** Asked again with the same one, the first outcome is given again and nothing is done. */
  readonly idempotency?: Idempotency;
  /** How long the request's body was: what waits takes about so much memory. */
  readonly bytes?: number;
}

/** How a command ended, told once its batch is committed with majority and journalled. */
export type Outcome<Type extends CommandType = CommandType> =
  | {
      readonly ok: true;
      readonly result: Results[Type];
      /** False where everything was as asked already: no event, no new version. */
      readonly changed: boolean;
      /** What is left of it after the commit. Absent: nothing. */
      readonly jobs?: readonly JobProgress[];
      /** It was done before, by a request with the same Idempotency-Key. */
      readonly isReplay?: true;
    }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * The one way in which state changes. Resolves with the outcome, refusals included; it rejects
 * never: a fault of ours is the refusal INTERNAL or UNAVAILABLE, with its cause in the log.
 */
export type Submit = <Type extends CommandType>(
  submission: Submission<Type>,
) => Promise<Outcome<Type>>;

/** The result of a command that succeeded; throws the RefusalError of one that did not. */
export const resultOf = <Type extends CommandType>(outcome: Outcome<Type>): Results[Type] => {
  if (!outcome.ok) throw new RefusalError(outcome.refusal);
  return outcome.result;
};
