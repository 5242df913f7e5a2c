import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { CommandOf } from '../../domain/commands.js';
import type { CommandId } from '../../domain/kernel/ids.js';
import type { ConnectorCommandType } from '../../domain/permissions.js';
import { FairSlots } from '../../pipeline/fair-slots.js';
import type { PreviewCommand } from '../../pipeline/preview.js';
import type { Outcome, Submission, Submit } from '../../pipeline/submit.js';
import type { SourceClock } from '../contract/connector-contract.js';
import type { RunnerParts } from './connector-runner.js';

export interface ConnectorCommandsParts {
  readonly submit: Submit;
  readonly preview: PreviewCommand;
  /** Aborts if the gateway stops. */
  readonly stopping: AbortSignal;
  readonly clock: Pick<SourceClock, 'sleep'>;
}

/** Commands in flight; enough for batches that fill a commit, and one batch of a tenant at most. */
const SLOTS = { overall: 400, perKey: 200 };
/** Before a command is submitted again that the gateway could not take, in milliseconds. */
const FIRST_WAIT = 100;
const MAX_WAIT = 5_000;

/** `host.commandsOf`: the slots are shared by all connectors. */
export const createConnectorCommands = ({
  submit,
  preview,
  stopping,
  clock,
}: ConnectorCommandsParts): RunnerParts['commandsOf'] => {
  const slots = new FairSlots(SLOTS);

  const submitUntilTaken = async <Type extends ConnectorCommandType>(
    submission: Submission<Type>,
    signal: AbortSignal,
  ): Promise<Outcome<Type>> => {
    for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, MAX_WAIT)) {
      const outcome = await submit(submission);
      if (outcome.ok || outcome.refusal.code !== 'UNAVAILABLE') return outcome;
      await clock.sleep(wait, signal);
    }
  };

  return ({ tenantId, connector, requestId, signal }) => {
    const either = AbortSignal.any([signal, stopping]);
    // One listener for each command that waits.
    setMaxListeners(0, either);
    const submissionOf = <Type extends ConnectorCommandType>(
      command: CommandOf<Type>,
    ): Submission<Type> => ({
      tenantId,
      actor: { kind: 'connector', name: connector },
      source: 'connector',
      command,
      requestId,
    });
    return {
      submit: (key, command) => {
        const commandId = idOf<CommandId>('command', connector, tenantId, key);
        const submission = { ...submissionOf(command), commandId, takesEffectOnce: true } as const;
        return slots.run(tenantId, either, () => submitUntilTaken(submission, either));
      },
      preview: (command) => preview(submissionOf(command)),
      idFor: (key) => idOf('resource', tenantId, `${connector}:${key}`),
    };
  };
};

/** A UUID (RFC 9562, version 8) that stands for these words. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
const idOf = <Id extends string>(...words: readonly string[]): Id => {
  const bytes = createHash('sha256').update(JSON.stringify(words)).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') as Id;
};
