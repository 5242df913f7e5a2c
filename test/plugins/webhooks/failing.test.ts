import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json.js';
import type { PluginRecords } from '../../../src/plugin/contract.js';
import { createFailing } from '../../../plugins/webhooks/failing.js';
import { idOf, TENANT_ID } from '../../support/builders.js';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const HOUR = 3_600_000;
const target = { tenantId: TENANT_ID, id: idOf(7), epoch: 3 };
const hoursAgo = (hours: number): Date => new Date(NOW.getTime() - hours * HOUR);

let said: string[];
let changes: { readonly request: object; readonly change: string; readonly input: JsonObject }[];
let answer: () => Promise<JsonObject | null>;

beforeEach(() => {
  said = [];
  changes = [];
  answer = () => Promise.resolve({});
});

const failing = (disableAfter?: number) => {
  const say = (_fields: object, message: string) => void said.push(message);
  const change: PluginRecords['change'] = async (request, name, input) => {
    changes.push({ request, change: name, input });
    return answer();
  };
  return createFailing({
    host: {
      log: { debug: say, info: say, warn: say, error: say },
      records: { change } as PluginRecords,
    },
    disableAfter,
    now: () => NOW,
  });
};

const settled = () => new Promise(setImmediate);

describe('a registration that keeps failing', () => {
  it('is told to the operator after an hour, once for each time that it begins to fail', async () => {
    const fails = failing();
    fails(target, hoursAgo(0.9));
    expect(said).toEqual([]);
    for (let time = 0; time < 3; time += 1) fails(target, hoursAgo(1));
    expect(said).toEqual(['A webhook keeps failing; nothing reaches it.']);
    fails(target, hoursAgo(2));
    expect(said).toHaveLength(2);
    await settled();
  });

  it('is never disabled where the operator has not asked for it', async () => {
    failing()(target, hoursAgo(24 * 365));
    await settled();
    expect(changes).toEqual([]);
  });

  it('is disabled by the gateway itself after the time that the operator says', async () => {
    const fails = failing(48 * HOUR);
    fails(target, hoursAgo(47));
    await settled();
    expect(changes).toEqual([]);
    fails(target, hoursAgo(48));
    fails(target, hoursAgo(48));
    await settled();
    expect(changes).toMatchObject([
      {
        request: { tenantId: TENANT_ID, actor: { kind: 'system' }, source: 'system' },
        change: 'disable',
        input: {
          id: target.id,
          epoch: 3,
          reason: 'All deliveries have failed since 2026-11-19T12:00:00.000Z.',
        },
      },
    ]);
    expect(said).toContain('A webhook that kept failing is disabled.');
  });

  it('is tried to be disabled again where that failed', async () => {
    answer = () => Promise.reject(new Error('The database is away.'));
    const fails = failing(HOUR);
    fails(target, hoursAgo(2));
    await settled();
    answer = () => Promise.resolve(null);
    fails(target, hoursAgo(2));
    await settled();
    expect(changes).toHaveLength(2);
    expect(said).not.toContain('A webhook that kept failing is disabled.');
  });
});
