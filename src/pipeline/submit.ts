import { randomUUID } from 'node:crypto';
import type { AnyId, CommandId } from '../domain/kernel/ids.js';
import type { CommandType, Envelope, Results } from '../domain/commands.js';
import type { JobProgress } from '../domain/job/job.js';
import { type Refusal, RefusalError } from '../domain/kernel/refusals.js';

/** A new id of the type that the call site expects. Deciders never call it: they must be pure. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export const newId = <Id extends AnyId>(): Id => randomUUID() as string as Id;

/** A command as the edge submits it. */
export interface Submission<Type extends CommandType = CommandType> extends Omit<
  Envelope<Type>,
  'id' | 'scope'
> {
  /** Generated if absent. */
  readonly commandId?: CommandId;
  /** Size of the request's body: approximately the memory that the command takes while it waits. */
  readonly bytes?: number;
  /** W3C `traceparent` of the span that submits it, if there is one. */
  readonly traceparent?: string | undefined;
}

/** The result of a command, after its batch is committed (majority, journaled). */
export type Outcome<Type extends CommandType = CommandType> =
  | {
      readonly ok: true;
      readonly result: Results[Type];
      /** False if the state already matched the request: no event, no new version. */
      readonly changed: boolean;
      /** Jobs that complete the change after the commit. Absent: none. */
      readonly jobs?: readonly JobProgress[];
      /** The outcome of an earlier request with the same Idempotency-Key, or of the same change. */
      readonly isReplay?: true;
    }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * The only way to change state. Resolves with the outcome, also of a refused command, and never
 * rejects: internal errors are the refusals INTERNAL and UNAVAILABLE, with the cause in the log.
 */
export type Submit = <Type extends CommandType>(
  submission: Submission<Type>,
) => Promise<Outcome<Type>>;

/** The result of a successful command; throws a RefusalError for a refused one. */
export const resultOf = <Type extends CommandType>(outcome: Outcome<Type>): Results[Type] => {
  if (!outcome.ok) throw new RefusalError(outcome.refusal);
  return outcome.result;
};
