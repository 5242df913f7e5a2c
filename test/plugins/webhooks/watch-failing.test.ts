import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/kernel/json.js';
import type { PluginRecords } from '../../../src/plugin/contract/host.js';
import type { PluginMetrics } from '../../../src/plugin/contract/extension.js';
import { type Failing, type Outcome, createWatch } from '../../../plugins/webhooks/failing.js';
import { idOf, TENANT_ID } from '../../support/builders.js';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const HOUR = 3_600_000;
const target = { tenantId: TENANT_ID, id: idOf(7), epoch: 3 };
const FAILED: Outcome = { status: 'failed', reason: 'The receiver responded with 503.' };
const SUCCESS: Outcome = { status: 'success' };

const failing = (hours: number, epoch = 3): Failing => ({
  since: new Date(NOW.getTime() - hours * HOUR).toISOString(),
  epoch,
  keeps: hours >= 1,
});

let said: { readonly level: string; readonly message: string; readonly fields: object }[];
let counted: Record<string, number>;
let changes: { readonly request: object; readonly change: string; readonly input: JsonObject }[];
let answer: () => Promise<JsonObject | null>;

beforeEach(() => {
  said = [];
  counted = {};
  changes = [];
  answer = () => Promise.resolve({});
});

const metrics: PluginMetrics = {
  gauge: () => undefined,
  counter:
    ({ name }) =>
    ({ event } = {}, by = 1) => {
      const key = `${name} ${event}`;
      counted[key] = (counted[key] ?? 0) + by;
    },
};

const watching = (disableAfter?: number) => {
  const say = (level: string) => (fields: object, message: string) =>
    void said.push({ level, message, fields });
  const change: PluginRecords['change'] = async (request, name, input) => {
    changes.push({ request, change: name, input });
    return answer();
  };
  const watch = createWatch({
    host: {
      log: { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') },
      records: { change } as PluginRecords,
      metrics,
    },
    disableAfter,
    now: () => NOW,
  });
  /** An attempt failed, where deliveries had failed for so many hours before and have now. */
  const failed = (before: number | undefined, after: number): void =>
    watch(
      { target, outcome: FAILED, isTest: false },
      { before: before === undefined ? undefined : failing(before), after: failing(after) },
    );
  return { watch, failed };
};

const messages = (): readonly string[] => said.map(({ message }) => message);
const settled = () => new Promise(setImmediate);
const counts = (began: number, recovered: number, disabled: number) => ({
  'failing_events_total began': began,
  'failing_events_total recovered': recovered,
  'failing_events_total disabled': disabled,
});

describe('a registration that keeps failing', () => {
  it('is reported to the operator after an hour, once, with the reason', () => {
    const { failed } = watching();
    failed(undefined, 0);
    failed(0.5, 0.9);
    expect(said).toEqual([]);
    failed(0.9, 1);
    failed(1, 1.5);
    expect(said).toEqual([
      {
        level: 'error',
        message: 'all deliveries to a webhook fail',
        fields: {
          tenant: TENANT_ID,
          webhook: target.id,
          since: '2026-11-21T11:00:00.000Z',
          reason: 'The receiver responded with 503.',
        },
      },
    ]);
    expect(counted).toEqual(counts(1, 0, 0));
  });

  it('is reported as recovered with the first success, also of a test call', () => {
    const { watch } = watching();
    for (const isTest of [false, true])
      watch({ target, outcome: SUCCESS, isTest }, { before: failing(30), after: undefined });
    const line = {
      level: 'info',
      message: 'deliveries to a failing webhook succeed again',
      fields: { tenant: TENANT_ID, webhook: target.id, since: '2026-11-20T06:00:00.000Z' },
    };
    expect(said).toEqual([line, line]);
    expect(counted).toEqual(counts(0, 2, 0));
  });

  it('is not reported if it failed for less, or before it was disabled and enabled', () => {
    const { watch } = watching();
    const succeeded = { target, outcome: SUCCESS, isTest: false };
    watch(succeeded, { before: failing(0.9), after: undefined });
    watch(succeeded, { before: failing(5, 1), after: undefined });
    expect(said).toEqual([]);
    expect(counted).toEqual(counts(0, 0, 0));
  });

  it('is reported again after it was disabled and enabled', () => {
    const { watch } = watching();
    watch({ target, outcome: FAILED, isTest: false }, { before: failing(9, 1), after: failing(1) });
    expect(messages()).toEqual(['all deliveries to a webhook fail']);
  });

  it('is never disabled unless the operator has configured it', async () => {
    watching().failed(1, 24 * 365);
    await settled();
    expect(changes).toEqual([]);
  });

  it('is disabled by the gateway after the configured time', async () => {
    const { failed } = watching(48 * HOUR);
    failed(46, 47);
    await settled();
    expect(changes).toEqual([]);
    failed(47, 48);
    failed(48, 48);
    await settled();
    expect(changes).toMatchObject([
      {
        request: { tenantId: TENANT_ID, actor: { kind: 'system' }, source: 'system' },
        change: 'disable',
        input: {
          id: target.id,
          epoch: 3,
          reason: 'All deliveries have failed since 19 November 2026 at 12:00 UTC.',
        },
      },
    ]);
    expect(messages()).toEqual(['disabled a failing webhook; it receives no further events']);
    expect(counted).toEqual(counts(0, 0, 1));
  });

  it('is not disabled for a test call that fails', async () => {
    const tried = { target, outcome: FAILED, isTest: true };
    watching(HOUR).watch(tried, { before: failing(2), after: failing(2) });
    await settled();
    expect(changes).toEqual([]);
  });

  it('is disabled by a later attempt if that failed', async () => {
    answer = () => Promise.reject(new Error('The database is away.'));
    const { failed } = watching(HOUR);
    failed(2, 2);
    await settled();
    answer = () => Promise.resolve(null);
    failed(2, 2);
    await settled();
    expect(changes).toHaveLength(2);
    expect(messages()).toEqual(['could not disable a failing webhook']);
    expect(counted).toEqual(counts(0, 0, 0));
  });
});
