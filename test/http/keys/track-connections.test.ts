import { describe, expect, it } from 'vitest';
import type { ApiKeyId } from '../../../src/domain/kernel/ids.js';
import { refuse } from '../../../src/domain/kernel/refusals.js';
import type { CountedFailure, KeyActivity } from '../../../src/ports/connections.js';
import { startConnectionTracker } from '../../../src/http/access/track-connections.js';
import { idOf, NOW } from '../../support/builders.js';
import { createFakeLog } from '../../support/fake-log.js';

const KEY = idOf<ApiKeyId>(1);
const SECOND = 1_000;

const start = () => {
  const clock = { at: NOW.getTime() };
  const activities: KeyActivity[] = [];
  const failures: CountedFailure[] = [];
  const state = { isAway: false };
  const { log, lines } = createFakeLog();
  const away = () => Promise.reject(new Error('away'));
  const tracker = startConnectionTracker({
    store: {
      add: (given) =>
        state.isAway ? away() : Promise.resolve(void activities.push(...given.values())),
      addFailures: (given) =>
        state.isAway ? away() : Promise.resolve(void failures.push(...given)),
    },
    now: () => new Date(clock.at),
    log,
  });
  const request = (more: object = {}) =>
    tracker.requestEnded(KEY, {
      ...{ userAgent: 'Okta SCIM Client 1.0.0', durationMs: 5, requestId: 'request-1' },
      ...{ refusal: undefined, isAborted: false },
      ...more,
    });
  const change = (user: number, apiKeyId: ApiKeyId | null = KEY) =>
    tracker.eventCommitted({ apiKeyId, data: { user: { id: idOf(user) } } });
  const fail = (more: Partial<Parameters<typeof tracker.authenticationFailed>[0]> = {}) =>
    tracker.authenticationFailed({
      ...{ slug: 'acme', address: '203.0.113.7', keyPrefix: 'rg_00000000' },
      reason: 'unknown_key',
      ...more,
    });
  return { tracker, clock, activities, failures, state, lines, request, change, fail };
};

const after = (milliseconds: number): Date => new Date(NOW.getTime() + milliseconds);

describe('the requests of a key', () => {
  it('are added up until they are stored', async () => {
    const { tracker, clock, activities, request } = start();
    request();
    clock.at += SECOND;
    request({ refusal: refuse('USERNAME_TAKEN', 'Taken: +4915112345678.') });
    clock.at += SECOND;
    request({ isAborted: true });
    await tracker.flush();
    await tracker.stop();
    expect(activities).toEqual([
      {
        from: after(-5),
        until: after(2 * SECOND),
        requests: 3,
        refused: 1,
        usersChanged: 0,
        userAgent: 'Okta SCIM Client 1.0.0',
        lastSuccessAt: NOW,
        lastRefusal: {
          at: after(SECOND),
          code: 'USERNAME_TAKEN',
          message: 'Taken: +49•••••••78.',
          requestId: 'request-1',
        },
      },
    ]);
  });

  it('begin with the first request, not with its events', async () => {
    const { tracker, activities, request, change } = start();
    change(1);
    request({ durationMs: 20.5 });
    request();
    await tracker.stop();
    expect(activities).toMatchObject([{ from: after(-21), until: NOW, requests: 2 }]);
  });

  it('count a user once per cycle, also when it was stored in between', async () => {
    const { tracker, clock, activities, request, change } = start();
    const changed = async () => {
      await tracker.flush();
      return activities.splice(0).map(({ usersChanged }) => usersChanged);
    };
    for (const user of [1, 2, 1]) change(user);
    change(9, null);
    request();
    expect(await changed()).toEqual([2]);
    clock.at += 100 * SECOND;
    for (const user of [1, 3]) change(user);
    expect(await changed()).toEqual([1]);
    clock.at += 121 * SECOND;
    change(1);
    expect(await changed()).toEqual([1]);
    await tracker.stop();
  });

  it('are lost while the database is away, with a warning', async () => {
    const { tracker, state, lines, activities, failures, request, fail } = start();
    state.isAway = true;
    request();
    fail();
    await tracker.flush();
    state.isAway = false;
    await tracker.stop();
    expect([activities, failures]).toEqual([[], []]);
    expect(lines.map(({ message }) => message)).toEqual([
      'could not store the requests of API keys',
      'could not store failed authentications',
    ]);
  });
});

describe('failed authentications', () => {
  it('are stored when a flush ends, also if another one has taken them', async () => {
    const { tracker, failures, request, fail } = start();
    request();
    fail();
    void tracker.flush();
    await tracker.flush();
    expect(failures).toHaveLength(1);
    await tracker.stop();
  });

  it('are one entry if they are the same', async () => {
    const { tracker, clock, failures, fail } = start();
    fail({ keyHash: 'a hash' });
    clock.at += SECOND;
    fail({ keyHash: 'a hash' });
    fail({ reason: 'no_key', keyPrefix: null });
    fail({ slug: '../etc' });
    await tracker.stop();
    expect(failures).toMatchObject([
      { count: 2, firstAt: NOW, lastAt: after(SECOND), keyHash: 'a hash', scope: null },
      { count: 1, reason: 'no_key' },
    ]);
  });

  it('of an attack with 10,000 keys are a few entries, hour by hour', async () => {
    const { tracker, clock, failures, fail } = start();
    for (let key = 0; key < 10_000; key += 1) {
      fail({ keyPrefix: `rg_${String(key).padStart(8, '0')}` });
      if (key % 1_000 === 0) await tracker.flush();
    }
    await tracker.flush();
    expect(new Set(failures.map(({ keyPrefix }) => keyPrefix)).size).toBe(6);
    expect(failures.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
    clock.at += 3_600 * SECOND;
    fail({ keyPrefix: 'rg_next0000' });
    await tracker.stop();
    expect(failures.at(-1)).toMatchObject({ keyPrefix: 'rg_next0000', count: 1 });
  });

  it('from 10,000 addresses are at most 1,000 entries at once', async () => {
    const { tracker, failures, fail } = start();
    for (let address = 0; address < 10_000; address += 1) fail({ address: `2001:db8::${address}` });
    await tracker.stop();
    expect(failures).toHaveLength(1_000);
  });
});
