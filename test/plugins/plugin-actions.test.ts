import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/domain/kernel/json.js';
import type { ActionState } from '../../src/domain/kernel/stored-response.js';
import type { RefusalError } from '../../src/domain/kernel/refusals.js';
import type { PluginActions } from '../../src/plugin/contract/host.js';
import { createPluginActions } from '../../src/plugin/host/plugin-actions.js';
import { TENANT_ID } from '../support/builders.js';

const idempotency = { id: 'id', fingerprint: 'body' };
const KEY = { ...idempotency, tenantId: TENANT_ID };

let known: ActionState;
let steps: unknown[];
let actions: PluginActions;

beforeEach(() => {
  known = { state: 'new' };
  steps = [];
  const noted = (...step: unknown[]): Promise<void> => {
    steps.push(step);
    return Promise.resolve();
  };
  actions = createPluginActions({
    begin: async (key) => {
      await noted('begin', key);
      return known;
    },
    end: (key, result) => noted('end', key, result),
    forget: (key) => noted('forget', key),
  });
});

const once = (act: () => Promise<JsonValue>, request: object = { idempotency }) =>
  actions.once({ tenantId: TENANT_ID, ...request }, act);
const done = (): Promise<JsonValue> => {
  steps.push('act');
  return Promise.resolve({ n: 1 });
};

describe('an action', () => {
  it('is recorded as running, then done with its result', async () => {
    expect(await once(done)).toEqual({ result: { n: 1 }, isReplay: false });
    expect(steps).toEqual([['begin', KEY], 'act', ['end', KEY, { n: 1 }]]);
  });

  it('without a key runs, and is not recorded', async () => {
    await once(done, {});
    await once(done, {});
    expect(steps).toEqual(['act', 'act']);
  });

  it('that was done before returns its result and does not run', async () => {
    known = { state: 'done', result: { n: 7 } };
    expect(await once(done)).toEqual({ result: { n: 7 }, isReplay: true });
    expect(steps).toEqual([['begin', KEY]]);
  });

  it.each([
    ['running', 2],
    ['of another body', undefined],
  ] as const)('is refused while its key is %s', async (state, retryAfter) => {
    known = { state };
    const refusal = await once(done).catch((error: unknown) => (error as RefusalError).refusal);
    expect(refusal).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    expect((refusal as { retryAfter?: number }).retryAfter).toBe(retryAfter);
    expect(steps).toEqual([['begin', KEY]]);
  });

  it('that fails is forgotten, so that it can be repeated', async () => {
    await expect(once(() => Promise.reject(new Error('No.')))).rejects.toThrow('No.');
    expect(steps).toEqual([
      ['begin', KEY],
      ['forget', KEY],
    ]);
  });
});
