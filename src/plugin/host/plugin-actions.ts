import type { JsonValue } from '../../domain/kernel/json.js';
import { raise } from '../../domain/kernel/refusals.js';
import type { ActionKey, ActionState } from '../../domain/kernel/stored-response.js';
import type { PluginActions } from '../contract/host.js';

/** Stores the results of actions for 24 hours (decisions.md 3). */
export interface ActionMemory {
  /** Begins the action where it is new; one that was begun and never ended is new after a minute. */
  readonly begin: (key: ActionKey) => Promise<ActionState>;
  readonly end: (key: ActionKey, result: JsonValue) => Promise<void>;
  /** It failed, and can be retried. */
  readonly forget: (key: ActionKey) => Promise<void>;
}

/**
 * Does what is no command once for an Idempotency-Key (pipeline-rules.md 13): it is noted as begun
 * first, so that of two requests that come together one does it. What it throws is not kept.
 */
export const createPluginActions = (memory: ActionMemory): PluginActions => ({
  once: async ({ tenantId, idempotency }, act) => {
    if (!idempotency) return { result: await act(), isReplay: false };
    const key = { ...idempotency, tenantId };
    const known = await memory.begin(key);
    if (known.state === 'done') return { result: known.result, isReplay: true };
    if (known.state !== 'new') return refuseRepeat(known.state);
    const result = await act().catch(async (error: unknown) => {
      await memory.forget(key);
      throw error;
    });
    await memory.end(key, result);
    return { result, isReplay: false };
  },
});

const refuseRepeat = (state: 'running' | 'of another body'): never =>
  state === 'running'
    ? raise(
        'IDEMPOTENCY_CONFLICT',
        'A request with this Idempotency-Key is still in progress. Retry shortly.',
        { retryAfter: 2 },
      )
    : raise(
        'IDEMPOTENCY_CONFLICT',
        'This Idempotency-Key was used with another body. Use a new key for a new request.',
      );
