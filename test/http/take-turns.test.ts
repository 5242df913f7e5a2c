import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { takeTurns } from '../../src/http/server.js';
import { createLoopScheduler } from '../../src/pipeline/loop-scheduler.js';

/** Milliseconds that each request takes. */
const COST = 2;

let now: number;
let handled: string[];
let arrive: (client: string, name: string, state?: { destroyed: boolean }) => void;

beforeEach(() => {
  now = 0;
  handled = [];
  const listener = takeTurns(
    (request) => {
      handled.push(request.url ?? '');
      now += COST;
    },
    createLoopScheduler(() => now),
  );
  arrive = (client, name, state = { destroyed: false }) => {
    const request = { url: name, headers: { authorization: client }, socket: {} };
    listener(
      Object.assign(state, request) as unknown as IncomingMessage,
      {} as unknown as ServerResponse,
    );
  };
});

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
};

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
    const state = { destroyed: false };
    arrive('board', 'board 1', state);
    state.destroyed = true;
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
});
