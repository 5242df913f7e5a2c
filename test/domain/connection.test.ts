import { describe, expect, it } from 'vitest';
import {
  clientOf,
  type Connection,
  connectionState,
  NO_CONNECTION,
  usualIntervalMs,
} from '../../src/domain/tenant/connection.js';
import { durationInWords } from '../../src/domain/kernel/in-words.js';
import { NOW } from '../support/builders.js';

const MINUTE = 60_000;

const before = (minutes: number): Date => new Date(NOW.getTime() - minutes * MINUTE);

/** Cycles that began so many minutes ago. */
const cyclesAt = (...minutesAgo: readonly number[]) =>
  minutesAgo.map((minutes) => ({
    from: before(minutes),
    until: before(minutes - 1),
    requests: 10,
    refused: 0,
    usersChanged: 0,
  }));

/** Cycles every 40 minutes, as Entra's, the last one so many minutes ago. */
const everyForty = (last: number) =>
  cyclesAt(...[5, 4, 3, 2, 1, 0].map((number) => last + number * 40));

const connection = (more: Partial<Connection>): Connection => ({
  ...NO_CONNECTION,
  lastRequestAt: more.cycles?.at(-1)?.until ?? null,
  ...more,
});

const stateOf = (more: Partial<Connection>, key: { readonly expiresAt?: Date } = {}) =>
  connectionState(connection(more), key, NOW);

describe('the client of a connection', () => {
  it.each([
    ['Microsoft Azure AD SCIM provisioning 1.0.0', 'Microsoft Entra'],
    ['Okta SCIM Client 1.0.0', 'Okta'],
    ['authentik@2024.8.2', 'authentik'],
    ['python-requests/2.31.0', 'python-requests'],
    ['Apache-HttpClient/4.5 (Java/17)', 'Apache-HttpClient'],
    ['(unnamed)', null],
    [null, null],
  ])('with the agent %s is %s', (agent, client) => {
    expect(clientOf(agent)).toBe(client);
  });
});

describe('the usual interval', () => {
  it('is the median of those between cycles', () => {
    expect(usualIntervalMs(everyForty(0))).toBe(40 * MINUTE);
  });

  it('is the same after one outage', () => {
    expect(usualIntervalMs(cyclesAt(400, 360, 320, 80, 40, 0))).toBe(40 * MINUTE);
  });

  it('is not known from fewer than six cycles', () => {
    expect(usualIntervalMs(everyForty(0).slice(1))).toBeNull();
  });

  it('is not known of a client that sends each change at once', () => {
    expect(usualIntervalMs(cyclesAt(900, 890, 600, 595, 100, 0))).toBeNull();
  });
});

describe('the state of a connection', () => {
  it('is silent after three usual intervals, and at least two hours', () => {
    expect(stateOf({ cycles: everyForty(121) }).state).toBe('active');
    expect(stateOf({ cycles: everyForty(361) })).toEqual({
      state: 'silent',
      text: 'Silent for 6 h, usually every 40 min.',
    });
    const everyFive = cyclesAt(136, 131, 126, 121, 116, 111);
    expect(stateOf({ cycles: everyFive }).state).toBe('active');
  });

  it('is refused if a fifth of the requests was, and at least ten', () => {
    const cycles = everyForty(5);
    expect(stateOf({ cycles, requests: 9, refused: 9 }).state).toBe('active');
    expect(stateOf({ cycles, requests: 100, refused: 19 }).state).toBe('active');
    expect(stateOf({ cycles, requests: 100, refused: 20 })).toEqual({
      state: 'refused',
      text: '20 of 100 requests refused in 24 h.',
    });
  });

  it('is refused if the last request was, with the reason', () => {
    const cycles = everyForty(5);
    const lastRefusal = { at: before(5), code: 'X', message: 'Why.', requestId: 'r-1' };
    expect(stateOf({ cycles, lastRefusal, lastSuccessAt: before(6) })).toEqual({
      state: 'refused',
      text: 'The last request was refused: Why.',
    });
    expect(stateOf({ cycles, lastRefusal, lastSuccessAt: before(4) })).toEqual({
      state: 'active',
      text: 'Last request 4 min ago, usually every 40 min.',
    });
  });

  it('is refused once the key has expired, whether or not requests come', () => {
    const expired = {
      state: 'refused',
      text: 'The key expired on 21 November 2026 at 08:59 UTC: requests with it are refused.',
    };
    const key = { expiresAt: before(1) };
    expect(stateOf({ cycles: everyForty(5) }, key)).toEqual(expired);
    expect(stateOf({ cycles: everyForty(361) }, key)).toEqual(expired);
    expect(stateOf({}, key)).toEqual(expired);
    expect(stateOf({}, { expiresAt: before(-1) }).state).toBe('never_used');
  });

  it('of a key that was never used says so', () => {
    expect(stateOf({})).toEqual({ state: 'never_used', text: 'No request yet.' });
  });
});

describe('a duration in words', () => {
  it.each([
    [0.5, 'less than a minute'],
    [40, '40 min'],
    [90, '90 min'],
    [360, '6 h'],
    [36 * 60, '36 h'],
    [72 * 60, '3 d'],
  ])('of %d minutes is %s', (minutes, words) => {
    expect(durationInWords(minutes * MINUTE)).toBe(words);
  });
});
