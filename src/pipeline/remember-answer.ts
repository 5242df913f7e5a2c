import type { Asked } from '../domain/commands.js';
import { isRefused, type Verdict } from '../domain/decide/decider.js';
import { refuse } from '../domain/refusals.js';
import type { RememberedAnswer } from '../domain/remembered-answer.js';
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
  if (first.fingerprint !== idempotency.fingerprint) return { refusal: otherBody() };
  const { outcome } = first;
  return outcome.ok
    ? { changes: [], events: [], result: outcome.result }
    : { refusal: outcome.refusal };
};

const otherBody = () =>
  refuse(
    'IDEMPOTENCY_CONFLICT',
    'This Idempotency-Key was used with another body. Use a new key for a new request.',
  );

/** Keeps the verdict for the next time, in the commit of the batch (pipeline-rules.md 13). */
export const rememberAnswer = (
  { idempotency, tenantId }: Asked,
  verdict: Verdict<unknown>,
  workspace: Workspace,
): void => {
  if (!idempotency || !workspace.tenant) return;
  // It has not been answered yet.
  if (isRefused(verdict) && verdict.postponed) return;
  const after: RememberedAnswer = {
    ...idempotency,
    tenantId,
    at: workspace.now,
    outcome: isRefused(verdict)
      ? { ok: false, refusal: verdict.refusal }
      : { ok: true, result: verdict.result },
  };
  workspace.apply([{ table: 'rememberedAnswers', before: null, after }]);
};
