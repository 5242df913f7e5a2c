import type { Asked } from '../domain/commands.js';
import { isRefused, type Verdict } from '../domain/decide/decider.js';
import { refuse } from '../domain/refusals.js';
import { KEEP_ANSWER_MS, type RememberedAnswer } from '../domain/remembered-answer.js';
import { awaitedJobs } from './started-jobs.js';
import type { Workspace } from './workspace.js';

/**
 * What was answered before to the same Idempotency-Key, or undefined where it is new. Asked inside
 * the lane, so that two requests with one key that arrive together have one effect, too.
 */
export const findFirstAnswer = (
  { idempotency }: Asked,
  workspace: Workspace,
): Verdict<unknown> | undefined => {
  if (!idempotency) return undefined;
  const first = workspace.find('rememberedAnswers', 'id', idempotency.id);
  if (!first) return undefined;
  if (!isKept(first, workspace.now)) return undefined;
  if (first.fingerprint !== idempotency.fingerprint) return { refusal: otherBody() };
  const { result, jobs } = first;
  return { changes: [], events: [], result, begun: jobs, isReplay: true };
};

const otherBody = () =>
  refuse(
    'IDEMPOTENCY_CONFLICT',
    'This Idempotency-Key was used with another body. Use a new key for a new request.',
  );

/** The database removes what has expired a while afterwards. */
const isKept = ({ at }: RememberedAnswer, now: Date): boolean =>
  now.getTime() - at.getTime() < KEEP_ANSWER_MS;

/**
 * Keeps what was done for the next time, in the commit of the batch. A refusal changed nothing, so
 * it is decided again (pipeline-rules.md 13).
 */
export const rememberAnswer = (
  { idempotency, tenantId }: Asked,
  verdict: Verdict<unknown>,
  workspace: Workspace,
): void => {
  if (!idempotency || !workspace.tenant || isRefused(verdict)) return;
  const before = workspace.find('rememberedAnswers', 'id', idempotency.id) ?? null;
  const after: RememberedAnswer = {
    ...idempotency,
    tenantId,
    at: workspace.now,
    result: verdict.result,
    jobs: awaitedJobs(verdict),
  };
  workspace.apply([{ table: 'rememberedAnswers', before, after }]);
};
