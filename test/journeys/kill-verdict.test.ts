import { describe, expect, it } from 'vitest';
import type { Stock } from '../../scripts/crash/stock-taking.js';
import { type Evidence, judge, type Received } from '../../scripts/crash/verdict.js';

const NUMBERS = [1, 2, 3];

const stock: Stock = {
  slug: 'acme',
  users: NUMBERS.map((number) => ({ id: `user-${number}`, email: `${number}@example.com` })),
  events: NUMBERS.map((seq) => ({
    id: `event-${seq}`,
    seq,
    name: 'user.created',
    subject: `user-${seq}`,
  })),
  applied: NUMBERS.map((number) => `user-${number}`),
  undelivered: 0,
  failedAttempts: 0,
  counted: { seq: 3, users: 3, seats: 3 },
};

const received: readonly Received[] = NUMBERS.map((seq) => ({
  tenant: 'acme',
  deliveryId: `delivery-${seq}`,
  eventId: `event-${seq}`,
  seq,
  isGenuine: true,
}));

const acknowledged = NUMBERS.map((number) => ({
  tenant: 'acme',
  email: `${number}@example.com`,
  userId: `user-${number}`,
}));

const judged = (more: Partial<Evidence>, changed: Partial<Stock> = {}) =>
  judge({
    creates: 3,
    acknowledged,
    stocks: [{ ...stock, ...changed }],
    received,
    mostRepeats: 1,
    ...more,
  });

describe('the verdict on a run with kills', () => {
  it('finds no problems in a complete run', () => {
    expect(judged({})).toEqual({ problems: [], events: 3, deliveries: 3, repeats: 0 });
  });

  it('allows repeats of deliveries that were unacknowledged at a kill', () => {
    expect(judged({ received: [...received, received[0]!] })).toMatchObject({
      problems: [],
      repeats: 1,
    });
  });

  const [first, second, third] = received as [Received, Received, Received];
  it.each<[string, Partial<Evidence>, Partial<Stock>]>([
    ['a create was never acknowledged', { creates: 4 }, {}],
    ['an acknowledged user is missing', {}, { users: stock.users.slice(1) }],
    [
      'an acknowledged user has another id',
      {},
      { users: [{ id: 'user-9', email: '1@example.com' }, ...stock.users.slice(1)] },
    ],
    ['a user exists twice', {}, { users: [...stock.users, { ...stock.users[0]!, id: 'user-4' }] }],
    ['the seats are miscounted', {}, { counted: { seq: 3, users: 3, seats: 4 } }],
    ['the log has a gap', {}, { events: stock.events.filter(({ seq }) => seq !== 2) }],
    [
      'the sequence number exceeds the number of events',
      {},
      { counted: { seq: 4, users: 3, seats: 3 } },
    ],
    [
      'a user was created twice in the log',
      {},
      { events: stock.events.map((event) => ({ ...event, subject: 'user-1' })) },
    ],
    ['a command was applied twice', {}, { applied: [...stock.applied, 'user-1'] }],
    ['an event was never delivered', { received: [first, second] }, {}],
    [
      'an event was delivered under two ids',
      { received: [...received, { ...third, deliveryId: 'delivery-4' }] },
      {},
    ],
    [
      'an event was delivered that is not in the log',
      { received: [first, second, { ...third, seq: 1 }] },
      {},
    ],
    ['a signature is wrong', { received: [first, second, { ...third, isGenuine: false }] }, {}],
    ['deliveries are still pending', {}, { undelivered: 1 }],
    ['more deliveries were repeated than allowed', { received: [...received, first, second] }, {}],
  ])('reports that %s', (_what, more, changed) => {
    expect(judged(more, changed).problems).not.toEqual([]);
  });
});
