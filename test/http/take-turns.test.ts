import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLoopShares, type LoopShares } from '../../src/http/access/loop-shares.js';
import { takeTurns } from '../../src/http/take-turns.js';
import { LoopScheduler } from '../../src/pipeline/loop-scheduler.js';

/** Milliseconds that each request takes. */
let cost: number;

interface Sent {
  readonly destroyed?: boolean;
  readonly address?: string;
}

let now: number;
let handled: string[];
let shares: LoopShares;
let arrive: (credentials: string, name: string, sent?: Sent) => void;

const requestWith = (authorization: string, url: string, { address = '192.0.2.1' }: Sent = {}) =>
  ({
    ...{ url, headers: { authorization }, socket: { remoteAddress: address } },
  }) as unknown as IncomingMessage;

beforeEach(() => {
  cost = 2;
  now = 0;
  handled = [];
  shares = createLoopShares(({ socket }) => socket.remoteAddress ?? '');
  for (const tenant of ['okta', 'board', 'crew']) shares.learn(requestWith(tenant, ''), tenant);
  const listener = takeTurns(
    (request) => {
      handled.push(request.url ?? '');
      now += cost;
    },
    shares.shareOf,
    new LoopScheduler(() => now),
  );
  arrive = (credentials, name, sent = {}) =>
    listener(
      Object.assign(sent, requestWith(credentials, name, sent)),
      {} as unknown as ServerResponse,
    );
});

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
};

// What still waits belongs to no other test.
afterEach(() => turns(30));

describe('turns of clients', () => {
  it('are not needed while requests are few: each is handled at once', () => {
    arrive('okta', 'a');
    arrive('board', 'b');
    expect(handled).toEqual(['a', 'b']);
  });

  it('let a client with one request wait for at most one of each other client', async () => {
    // given a burst of one client that fills the slice of this turn of the event loop
    for (let burst = 1; burst <= 20; burst += 1) arrive('okta', `okta ${burst}`);
    expect(handled).toEqual(['okta 1', 'okta 2']);

    // when another client sends a request
    arrive('board', 'board 1');
    await turns(3);

    // then it is handled after one more of the burst
    expect(handled.slice(2, 5)).toEqual(['okta 3', 'board 1', 'okta 4']);
    await turns(20);
    expect(handled).toHaveLength(21);
  });

  it('handle the requests of a slice per turn of the event loop until none waits', async () => {
    for (let burst = 1; burst <= 4; burst += 1) arrive('okta', `okta ${burst}`);
    await nextTurn();
    expect(handled).toHaveLength(3);
    await nextTurn();
    expect(handled).toHaveLength(4);
    arrive('okta', 'okta 5');
    expect(handled).toHaveLength(5);
  });

  it('keep the order of a client that sends more while it waits', async () => {
    for (let burst = 1; burst <= 5; burst += 1) arrive('okta', `okta ${burst}`);
    await nextTurn();
    arrive('okta', 'okta 6');
    await turns(5);
    expect(handled.map((name) => name.at(-1))).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  it('skip clients that have left', async () => {
    for (let burst = 1; burst <= 2; burst += 1) arrive('okta', `okta ${burst}`);
    const sent = { destroyed: false };
    arrive('board', 'board 1', sent);
    sent.destroyed = true;
    arrive('crew', 'crew 1');
    await turns(4);
    expect(handled.slice(2)).toEqual(['crew 1']);
  });

  it('let a probe overtake the waiting requests of all others', async () => {
    for (let client = 1; client <= 20; client += 1) arrive(`client ${client}`, 'a');
    await turns(3);
    const before = handled.length;
    arrive('monitoring', '/healthz');
    await turns(2);
    expect(handled.slice(before)).toContain('/healthz');
  });

  it('give all made-up credentials one share, even those from the address of a tenant', async () => {
    // given a burst of requests with other credentials each
    for (let burst = 1; burst <= 20; burst += 1) arrive(`made up ${burst}`, `made up ${burst}`);
    await nextTurn();

    // when tenants behind the same address send two requests each
    for (const request of [1, 2])
      for (const tenant of ['okta', 'board']) arrive(tenant, `${tenant} ${request}`);
    const before = handled.length;
    await turns(7);

    // then each waits for one of the burst, not for all of them
    expect(handled.slice(before, before + 7)).toEqual([
      ...['okta 1', 'board 1', 'made up 3', 'okta 2', 'board 2', 'made up 4', 'made up 5'],
    ]);
  });

  it('give few shares to all addresses without known credentials', () => {
    const given = Array.from({ length: 1_000 }, (_, at) =>
      shares.shareOf(requestWith('made up', '', { address: `192.0.2.${at}` })),
    );
    expect(new Set(given).size).toBe(4);
  });

  it('let an unknown client of another address wait for one of a burst', async () => {
    for (let burst = 1; burst <= 20; burst += 1) arrive(`made up ${burst}`, `made up ${burst}`);
    arrive('a new key', 'new', { address: '198.51.100.1' });
    await turns(3);
    expect(handled.slice(1, 4)).toEqual(['made up 2', 'new', 'made up 3']);
  });

  it('handle one request with unknown credentials in each turn of the loop, however short it is', async () => {
    cost = 0;
    for (let burst = 1; burst <= 20; burst += 1) arrive(`made up ${burst}`, `made up ${burst}`);
    for (let turn = 1; turn <= 5; turn += 1) {
      expect(handled).toHaveLength(turn);
      await nextTurn();
    }
  });

  it('take a share from credentials that are refused', () => {
    shares.learn(requestWith('okta', ''), undefined);
    expect(shares.shareOf(requestWith('okta', ''))).toEqual(
      shares.shareOf(requestWith('made up', '')),
    );
  });

  it('learn nothing from a request without credentials in its headers', () => {
    // given a token that was requested with the secret in the body
    const anonymous = Object.assign(requestWith('', ''), { headers: {} });
    shares.learn(anonymous, 'okta');

    // then other requests without credentials are not those of its tenant
    expect(shares.shareOf(anonymous)).toEqual(shares.shareOf(requestWith('made up', '')));
  });
});
