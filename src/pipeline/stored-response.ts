import type { CommandContext } from '../domain/commands.js';
import { isRefused, type Decision } from '../domain/kernel/decider.js';
import { refuse } from '../domain/kernel/refusals.js';
import { RESPONSE_TTL_MS, type StoredResponse } from '../domain/kernel/stored-response.js';
import { awaitedJobs } from './batch.js';
import type { Workspace } from './workspace.js';

/**
 * The first response to the same Idempotency-Key; undefined if the key is new. Looked up in the
 * lane, so two requests with one key that arrive together take effect once.
 */
export const findStoredResponse = (
  { idempotency }: CommandContext,
  workspace: Workspace,
): Decision<unknown> | undefined => {
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
const hasExpired = ({ at }: StoredResponse, now: Date): boolean =>
  now.getTime() - at.getTime() >= RESPONSE_TTL_MS;

/**
 * Stores the response in the commit of the batch. A refusal changed nothing, so a repeated request
 * is decided again (pipeline-rules.md 13).
 */
export const storeResponse = (
  { idempotency, tenantId }: CommandContext,
  decision: Decision<unknown>,
  workspace: Workspace,
): void => {
  if (!idempotency || !workspace.tenant || isRefused(decision)) return;
  const before = workspace.find('rememberedAnswers', 'id', idempotency.id) ?? null;
  const after: StoredResponse = {
    ...idempotency,
    tenantId,
    at: workspace.now,
    result: decision.result,
    jobs: awaitedJobs(decision),
  };
  workspace.apply([{ table: 'rememberedAnswers', before, after }]);
};
