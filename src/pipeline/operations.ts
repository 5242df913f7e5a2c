import type { SingleCommandType } from '../domain/command-catalogue.js';
import type { Envelope, RunBulk } from '../domain/commands.js';
import type { Refusal } from '../domain/kernel/refusals.js';

export type SingleEnvelope = Envelope<SingleCommandType>;
export type BulkEnvelope = Envelope & { readonly command: RunBulk };

export const isBulk = (envelope: Envelope): envelope is BulkEnvelope =>
  envelope.command.type === 'bulk';

/** An operation of a Bulk, or the refusal of one that the edge could not read. */
export type Operation = SingleEnvelope | { readonly refusal: Refusal };

/** The operations of a Bulk, each with an id of its own (pipeline-rules.md 6). */
export const operationsOf = (envelope: BulkEnvelope): readonly Operation[] =>
  envelope.command.operations.map((operation) =>
    'command' in operation ? { ...envelope, ...operation } : operation,
  );

/** The command, or those of a Bulk's operations. */
export const commandsOf = (envelope: Envelope): readonly SingleEnvelope[] =>
  isBulk(envelope)
    ? operationsOf(envelope).flatMap((operation) => ('command' in operation ? [operation] : []))
    : // The command is no Bulk, which TypeScript does not infer from `isBulk`.
      [envelope as SingleEnvelope];
