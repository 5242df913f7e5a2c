import { beforeEach, describe, expect, it } from 'vitest';
import { ENGINE_LIMITS } from '../../src/plugin/delivery/engine-parts.js';
import { createRest, type Rest, type RestParts } from '../../src/plugin/delivery/peer-leases.js';

let now: number;
let pending: Map<string, number>;
let hasPeers: boolean;
let held: number;
let counted: number;
let whileCounting: () => void;
let rest: Rest;

beforeEach(() => {
  now = 0;
  pending = new Map();
  hasPeers = false;
  held = 0;
  counted = 0;
  whileCounting = () => undefined;
  const counts = () => {
    counted += 1;
    whileCounting();
    return Promise.resolve({ pending, overdueMs: new Map<string, number>() });
  };
  rest = createRest({
    store: { counts } as Partial<RestParts['store']> as RestParts['store'],
    subscribers: new Map([['tests', {}]]) as unknown as RestParts['subscribers'],
    clock: { now: () => now, after: () => () => undefined },
    limits: ENGINE_LIMITS,
    memory: { freeCapacity: () => ENGINE_LIMITS.maxHeld - held },
    peerLeases: { peerLeasesPossible: () => hasPeers },
  });
});

describe('the rest of the sweeps', () => {
  it('lasts ten seconds after the outbox was seen empty', async () => {
    expect(rest.isPossible()).toBe(false);
    await rest.foundNothing();
    now = 9_999;
    expect(rest.isPossible()).toBe(true);
    now = 10_000;
    expect(rest.isPossible()).toBe(false);
  });

  it('counts rows that wait for a retry once in ten seconds, and does not begin', async () => {
    pending.set('tests', 1);
    for (; now < 20_000; now += 1_000) await rest.foundNothing();
    expect(rest.isPossible()).toBe(false);
    expect(counted).toBe(2);
  });

  it('ignores rows of plugins that do not run', async () => {
    pending.set('disabled', 1);
    await rest.foundNothing();
    expect(rest.isPossible()).toBe(true);
  });

  it.each([
    ['rows are added', () => rest.end()],
    ['this instance holds a row', () => (held = 1)],
    ['another instance runs, or its leases have not ended', () => (hasPeers = true)],
  ])('ends when %s', async (_what, change) => {
    await rest.foundNothing();
    change();
    expect(rest.isPossible()).toBe(false);
  });

  it('does not begin if rows are added while the count runs', async () => {
    whileCounting = () => rest.end();
    await rest.foundNothing();
    expect(rest.isPossible()).toBe(false);
  });
});
