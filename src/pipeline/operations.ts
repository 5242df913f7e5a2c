import type { Envelope, RunBulk } from '../domain/commands.js';
import type { SingleType } from '../domain/decide/deciders.js';
import type { Refusal } from '../domain/refusals.js';

export type SingleEnvelope = Envelope<SingleType>;
export type BulkEnvelope = Envelope & { readonly command: RunBulk };

export const isBulk = (envelope: Envelope): envelope is BulkEnvelope =>
  envelope.command.type === 'bulk';

/** An operation of a Bulk, or why the edge could not read it. */
export type Operation = SingleEnvelope | { readonly refusal: Refusal };

/** A Bulk is its operations, each by its own id (pipeline-rules.md 6). */
export const operationsOf = (envelope: BulkEnvelope): readonly Operation[] =>
  envelope.command.operations.map((operation) =>
    'command' in operation ? { ...envelope, ...operation } : operation,
  );

/** The commands that an envelope holds. */
export const commandsOf = (envelope: Envelope): readonly SingleEnvelope[] =>
  isBulk(envelope)
    ? operationsOf(envelope).flatMap((operation) => ('command' in operation ? [operation] : []))
    : // What holds no Bulk holds one of the others: TypeScript does not narrow it by that.
      [envelope as SingleEnvelope];
