import type { CommandContext } from '../domain/commands.js';
import { isRefused, type Verdict } from '../domain/decide/decider.js';
import { refuse } from '../domain/refusals.js';
import { KEEP_ANSWER_MS, type RememberedAnswer } from '../domain/remembered-answer.js';
import { awaitedJobs } from './started-jobs.js';
import type { Workspace } from './workspace.js';

/**
 * The first response to the same Idempotency-Key; undefined if the key is new. Looked up in the
 * lane, so two requests with one key that arrive together take effect once.
 */
export const findStoredResponse = (
  { idempotency }: CommandContext,
  workspace: Workspace,
): Verdict<unknown> | undefined => {
  if (!idempotency) return undefined;
  const stored = workspace.find('rememberedAnswers', 'id', idempotency.id);
  if (!stored || hasExpired(stored, workspace.now)) return undefined;
  if (stored.fingerprint !== idempotency.fingerprint) return { refusal: differentBody() };
  const { result, jobs } = stored;
  return { changes: [], events: [], result, jobs, isReplay: true };
};

const differentBody = () =>
  refuse(
    'IDEMPOTENCY_CONFLICT',
    'This Idempotency-Key was already used with a different body. Use a new key for a new request.',
  );

/** The database deletes expired documents with a delay. */
const hasExpired = ({ at }: RememberedAnswer, now: Date): boolean =>
  now.getTime() - at.getTime() >= KEEP_ANSWER_MS;

/**
 * Stores the response in the commit of the batch. A refusal changed nothing, so a repeated request
 * is decided again (pipeline-rules.md 13).
 */
export const storeResponse = (
  { idempotency, tenantId }: CommandContext,
  decision: Verdict<unknown>,
  workspace: Workspace,
): void => {
  if (!idempotency || !workspace.tenant || isRefused(decision)) return;
  const before = workspace.find('rememberedAnswers', 'id', idempotency.id) ?? null;
  const after: RememberedAnswer = {
    ...idempotency,
    tenantId,
    at: workspace.now,
    result: decision.result,
    jobs: awaitedJobs(decision),
  };
  workspace.apply([{ table: 'rememberedAnswers', before, after }]);
};
