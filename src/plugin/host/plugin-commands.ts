import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { CommandType } from '../../domain/commands.js';
import type { CommandId } from '../../domain/kernel/ids.js';
import type { ConnectorCommandType } from '../../domain/permissions.js';
import { createFairSlots } from '../../pipeline/fair-slots.js';
import type { PreviewCommand } from '../../pipeline/preview.js';
import type { Outcome, Submission, Submit } from '../../pipeline/submit.js';
import type { Clock } from '../contract/clock.js';
import type { CommandRequest, PluginCommands } from '../contract/host.js';

export interface PluginCommandsParts {
  readonly submit: Submit;
  readonly preview: PreviewCommand;
  /** What the plugin declares. */
  readonly submits: readonly ConnectorCommandType[];
  /** Aborts if the gateway stops. */
  readonly stopping: AbortSignal;
  readonly clock: Clock;
}

/** Commands in flight; enough for batches that fill a commit, and one batch of a tenant at most. */
const SLOTS = { overall: 400, perKey: 200 };
/** Before a command is submitted again that the gateway could not take, in milliseconds. */
const FIRST_WAIT = 100;
const MAX_WAIT = 5_000;

/** `host.commands` of a plugin. */
export const createPluginCommands = (parts: PluginCommandsParts): PluginCommands => {
  const { submit, preview, submits, stopping, clock } = parts;
  const slots = createFairSlots(SLOTS);

  const requireDeclared = ({ type }: { readonly type: CommandType }): void => {
    if (submits.some((declared) => declared === type)) return;
    throw new TypeError(`The plugin does not declare the command ${type} in "submits".`);
  };

  const submitUntilTaken = async <Type extends ConnectorCommandType>(
    submission: Submission<Type>,
    signal: AbortSignal,
  ): Promise<Outcome<Type>> => {
    for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, MAX_WAIT)) {
      const outcome = await submit(submission);
      if (outcome.ok || outcome.refusal.code !== 'UNAVAILABLE') return outcome;
      await sleep(clock, wait, signal);
    }
  };

  // One for all commands of a run: each combined signal takes memory until its parts are gone.
  const combined = new WeakMap<AbortSignal, AbortSignal>();
  const orStopping = (signal: AbortSignal): AbortSignal => {
    const known = combined.get(signal);
    if (known) return known;
    const either = AbortSignal.any([signal, stopping]);
    // One listener for each command that waits.
    setMaxListeners(0, either);
    combined.set(signal, either);
    return either;
  };

  return {
    submit: async ({ key, signal, ...request }) => {
      requireDeclared(request.command);
      const either = orStopping(signal);
      const { connector, tenantId } = request;
      return slots.run(tenantId, either, () =>
        submitUntilTaken(
          {
            ...submissionOf(request),
            commandId: idOf<CommandId>('command', connector, tenantId, key),
            takesEffectOnce: true,
          },
          either,
        ),
      );
    },
    preview: async (request) => {
      requireDeclared(request.command);
      return preview(submissionOf(request));
    },
    idFor: (tenantId, key) => idOf('resource', tenantId, key),
  };
};

const submissionOf = <Type extends ConnectorCommandType>({
  tenantId,
  connector,
  command,
  requestId,
}: CommandRequest<Type>): Submission<Type> => ({
  tenantId,
  actor: { kind: 'connector', name: connector },
  source: 'connector',
  command,
  requestId,
});

/** A UUID (RFC 9562, version 8) that stands for these words. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
const idOf = <Id extends string>(...words: readonly string[]): Id => {
  const bytes = createHash('sha256').update(JSON.stringify(words)).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [8, 12, 16, 20, 32]
    .map((end, index) => hex.slice([0, 8, 12, 16, 20][index], end))
    .join('-') as Id;
};

const sleep = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
