import { describe, expect, it } from 'vitest';
import { findProblems, type Observations } from '../../tools/shared/faults/find-problems.js';
import type { StoredState } from '../../tools/shared/faults/stored-state.js';

const NUMBERS = [1, 2, 3];

const state: StoredState = {
  slug: 'acme',
  users: NUMBERS.map((number) => ({ _id: `user-${number}`, email: `${number}@example.com` })),
  events: NUMBERS.map((seq) => ({
    _id: `event-${seq}`,
    seq,
    name: 'user.created',
    res: { id: `user-${seq}` },
  })),
  commands: NUMBERS.map((number) => ({ subject: { id: `user-${number}` } })),
  undelivered: 0,
  failedAttempts: 0,
  counters: { seq: 3, userCount: 3, seatsProvisioned: 3 },
};

type Request = Observations['requests'][number];

const delivery = (seq: number, more: object = {}): Request => ({
  path: '/hook',
  headers: { 'x-service-delivery': `delivery-${seq}` },
  json: { id: `event-${seq}`, seq },
  hasValidSignature: (secret) => secret === 'secret',
  ...more,
});
const requests = NUMBERS.map((seq) => delivery(seq));
const [first, second, third] = requests as [Request, Request, Request];

const entries = NUMBERS.map((number) => ({
  tenant: 'acme',
  email: `${number}@example.com`,
  response: JSON.stringify({ id: `user-${number}` }),
}));

const find = (observed: Partial<Observations>, stored: Partial<StoredState> = {}) =>
  findProblems({
    entries,
    requests,
    registrations: [{ tenant: 'acme', path: '/hook', secret: 'secret' }],
    states: [{ ...state, ...stored }],
    maxRepeats: 1,
    ...observed,
  });

describe('findProblems', () => {
  it('finds none if everything exists once', () => {
    expect(find({})).toEqual({ problems: [], events: 3, deliveries: 3, repeats: 0 });
  });

  it('allows repeats of deliveries that were unsettled at a fault', () => {
    expect(find({ requests: [...requests, first] })).toMatchObject({ problems: [], repeats: 1 });
  });

  it('allows repeats of failed attempts', () => {
    const repeated = { requests: [...requests, first, second] };
    expect(find(repeated, { failedAttempts: 1 }).problems).toEqual([]);
  });

  it('allows undelivered rows up to the limit', () => {
    expect(find({ maxUndelivered: 1 }, { undelivered: 1 }).problems).toEqual([]);
  });

  it.each<[string, Partial<Observations>, Partial<StoredState>]>([
    [
      'a create that was never acknowledged',
      { entries: [...entries, { tenant: 'acme', email: '4@example.com' }] },
      {},
    ],
    ['an acknowledged user that is not stored', {}, { users: state.users.slice(1) }],
    [
      'an acknowledged user with another id',
      {},
      { users: [{ _id: 'user-9', email: '1@example.com' }, ...state.users.slice(1)] },
    ],
    [
      'a user that is stored twice',
      {},
      { users: [...state.users, { ...state.users[0]!, _id: 'user-4' }] },
    ],
    ['a wrong seat count', {}, { counters: { seq: 3, userCount: 3, seatsProvisioned: 4 } }],
    ['a gap in the event log', {}, { events: state.events.filter(({ seq }) => seq !== 2) }],
    [
      'a last seq without an event',
      {},
      { counters: { seq: 4, userCount: 3, seatsProvisioned: 3 } },
    ],
    [
      'two user.created events of one user',
      {},
      { events: state.events.map((event) => ({ ...event, res: { id: 'user-1' } })) },
    ],
    [
      'two commands of one user',
      {},
      { commands: [...state.commands, { subject: { id: 'user-1' } }] },
    ],
    ['an event that was not delivered', { requests: [first, second] }, {}],
    [
      'an event under two delivery ids',
      { requests: [...requests, delivery(3, { headers: { 'x-service-delivery': 'other' } })] },
      {},
    ],
    [
      'a delivery of an event that is not in the log',
      { requests: [first, second, delivery(3, { json: { id: 'event-3', seq: 1 } })] },
      {},
    ],
    [
      'a wrong signature',
      { requests: [first, second, { ...third, hasValidSignature: () => false }] },
      {},
    ],
    ['undelivered events', {}, { undelivered: 1 }],
    ['more repeats than allowed', { requests: [...requests, first, second] }, {}],
  ])('finds %s', (_what, observed, stored) => {
    expect(find(observed, stored).problems).not.toEqual([]);
  });
});
