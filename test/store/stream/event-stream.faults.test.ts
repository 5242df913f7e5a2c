import { setTimeout as pause } from 'node:timers/promises';
import type { mongo } from 'mongoose';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../src/domain/events.js';
import type { TenantId } from '../../../src/domain/kernel/ids.js';
import { deliveryIdOf } from '../../../src/pipeline/delivery-id.js';
import { partitionOf } from '../../../src/ports/event-stream.js';
import { useDatabase } from '../../support/core.js';
import { eventually } from '../../support/eventually.js';
import { DELIVERED, FAILED, PLUGIN, StreamWorld, users } from './stream-world.js';

const database = useDatabase();
let client: mongo.MongoClient;
let world: StreamWorld;
let tenant: TenantId;

beforeAll(async () => {
  client = await database.open();
});
beforeEach(async () => {
  world = new StreamWorld(client);
  await world.clear();
  tenant = await world.tenant();
});
afterEach(() => world.stop());

const sentTo = (key: string) => world.seen.filter((one) => one.key === key);
const recorded = (filter: object) => world.collections.deliveries.countDocuments(filter);
/** Retries that are due; the later ones became so after the others. */
const dueRetries = async (
  events: readonly DomainEvent[],
  { key = 'alpha', plugin = PLUGIN, ageMs = 1_000 } = {},
): Promise<void> => {
  await world.collections.deliveries.insertMany(
    events.map(({ id, seq, name, at, tenantId }) => ({
      ...{ _id: deliveryIdOf(id, plugin, key), tenant: tenantId, plugin, key, ev: id, seq, name },
      ...{ at, st: 'p' as const, n: 1, due: new Date(Date.now() - ageMs) },
      part: partitionOf(tenantId),
    })),
  );
};

describe('partitions that change hands', () => {
  it('are sent by the next gateway only, once, also what is committed in the meantime', async () => {
    world.receive = async () => {
      await pause(300);
      return DELIVERED;
    };
    const one = await world.owner();
    const tenants = await Promise.all(users(20).map(() => world.tenant()));
    world.gateway('two');
    for (let round = 0; round < 5; round += 1)
      await Promise.all(tenants.map((each) => world.commit(one, each, ['ada'])));
    const count = tenants.length * 5;
    await eventually(async () => expect(await recorded({ st: 'd' })).toBe(count));
    await world.owns('two', 32);
    expect(world.seen).toHaveLength(count);
    for (const each of tenants) {
      const seqs = world.seen.filter(({ tenantId }) => tenantId === each).map(({ seq }) => seq);
      expect(seqs).toEqual([1, 2, 3, 4, 5]);
    }
  });
});

describe('gateways that start together', () => {
  it('share the partitions, also if one has listed the living before the other registered', async () => {
    const one = await world.owner();
    let hasListed = false;
    let reads = 0;
    world.gateway('two', {
      living: () => (hasListed ? world.living() : ['two']),
      answerMs: (method) => {
        if (method === 'partitions') reads += 1;
        return 0;
      },
    });
    await eventually(() => expect(reads).toBeGreaterThan(1));
    hasListed = true;
    await world.owns('two', 32);
    await world.owns('one', 32);
    const { partitions } = await one.store.partitions();
    // Taken once by the first, handed over once: never from a gateway that lives.
    expect(
      partitions
        .map(({ token }) => token)
        .sort()
        .slice(0, 32),
    ).toEqual(Array(32).fill(1));
  });
});

describe('results', () => {
  it('of a gateway that was evicted in the meantime change nothing', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    world.receive = async () => {
      await held;
      return FAILED;
    };
    const one = await world.owner();
    await world.commit(one, tenant, ['ada']);
    await eventually(() => expect(world.seen).toHaveLength(1));
    one.evict();
    world.receive = () => Promise.resolve(DELIVERED);
    await world.owner('two');
    await eventually(async () => expect(await recorded({ st: 'd' })).toBe(1));
    release();
    await eventually(async () => expect((await one.stream.gauges.snapshot()).inFlight).toBe(0));
    await pause(50);
    one.comeBack();
    await world.owns('one', 32);
    await pause(50);
    expect(await recorded({ st: 'd', n: 1 })).toBe(1);
    expect(world.seen).toHaveLength(2);
  });

  it('of a gateway with a late heartbeat are kept if no other one took over', async () => {
    const answers: (() => void)[] = [];
    world.receive = () => new Promise((resolve) => answers.push(() => resolve(DELIVERED)));
    let commits = (): void => undefined;
    const answerMs = (method: string): number => {
      if (method === 'partitions') commits();
      return method === 'partitions' ? 50 : 0;
    };
    const one = await world.owner('one', { answerMs });
    await world.commit(one, tenant, users(20));
    await eventually(() => expect(answers).toHaveLength(8));
    one.evict();
    world.receive = () => Promise.resolve(DELIVERED);
    for (const answer of answers) answer();
    await eventually(async () => expect((await one.stream.gauges.snapshot()).inFlight).toBe(0));
    // An event while it reads what it owns.
    commits = () => {
      commits = () => undefined;
      void world.commit(one, tenant, ['eve']);
    };
    one.comeBack();
    await eventually(async () => expect(await recorded({ st: 'd', n: 1 })).toBe(21));
    expect(world.seen).toHaveLength(21);
  });

  it('are not written again and again after a stop without a database', async () => {
    let isAway = false;
    let calls = 0;
    const count = (): boolean => {
      calls += 1;
      return isAway;
    };
    const one = await world.owner('one', { isAway: count });
    world.receive = () => {
      isAway = true;
      return Promise.resolve(DELIVERED);
    };
    await world.commit(one, tenant, ['ada']);
    await eventually(() => expect(isAway).toBe(true));
    await one.stream.stop(1_000);
    const before = calls;
    await pause(700);
    expect(calls).toBe(before);
    one.kill();
  });

  it('of deliveries that are given up leave room for attempts', async () => {
    const other = await world.tenant();
    let laterMs = 0;
    let isDown = true;
    world.receive = ({ event }) =>
      Promise.resolve(event.tenantId === tenant && isDown ? FAILED : DELIVERED);
    const one = await world.owner('one', {
      databaseTime: () => new Date(Date.now() + laterMs),
      subscriber: { retry: [600_000] },
      answerMs: (method) => (method === 'record' && laterMs > 0 ? 100 : 0),
    });
    await world.commit(one, tenant, users(6_000));
    await eventually(async () => expect((await one.stream.gauges.snapshot()).openBreakers).toBe(1));
    laterMs = 9_000_000;
    await eventually(async () => expect(await recorded({ st: 'f' })).toBeGreaterThan(500));
    await world.commit(one, other, ['ada']);
    await eventually(() =>
      expect(world.seen.some(({ tenantId }) => tenantId === other)).toBe(true),
    );
    expect(await recorded({ st: 'f' })).toBeLessThan(5_000);
    isDown = false;
  });
});

describe('hints', () => {
  it('that never end do not stop what is known from being read', async () => {
    const subscriptions = async () => {
      await pause(60);
      return [{ key: 'alpha' }];
    };
    await world.owner('one', { subscriber: { subscriptions } });
    world.gateway('two');
    await world.owns('two', 32);
    let tries = 0;
    for (; tries < 200 && world.seen.length === 0; tries += 1)
      await world.commit(undefined, tenant, ['ada', 'bob']);
    expect(tries).toBeLessThan(200);
  });
});

describe('a recovery', () => {
  it('that fails stops neither others nor the round', async () => {
    const other = await world.tenant();
    const now = new Date();
    await world.collections.deliveryRecoveries.insertMany(
      [other, tenant].map((each, at) => ({
        ...{ _id: `recovery-${at}`, tenant: each, plugin: PLUGIN, keys: ['alpha'], to: 'alpha' },
        ...{ since: now, createdAt: now, state: 'running', recovered: 0, finishedAt: null },
      })),
    );
    await world.owner('one', {
      subscriber: {
        subscriptions: (id: TenantId) =>
          id === other ? Promise.reject(new Error('broken')) : Promise.resolve([{ key: 'alpha' }]),
      },
    });
    await eventually(async () =>
      expect(
        await world.deliveries().findRecovery({ tenantId: tenant, keys: ['alpha'] }, 'recovery-1'),
      ).toMatchObject({ state: 'done' }),
    );
  });
});

describe('retries that are due', () => {
  it('are sent while older ones of a plugin that does not run wait', async () => {
    const events = await world.commit(undefined, tenant, users(600));
    await dueRetries(events, { plugin: 'removed', ageMs: 9_000 });
    await dueRetries(events.slice(0, 1));
    await world.owner();
    await eventually(() => expect(sentTo('alpha')).toHaveLength(1));
  });

  it('are sent while older ones of a tenant wait whose subscriptions cannot be read', async () => {
    const other = await world.tenant();
    await dueRetries(await world.commit(undefined, other, users(600)), { ageMs: 9_000 });
    await dueRetries(await world.commit(undefined, tenant, ['ada']));
    await world.owner('one', {
      subscriber: {
        subscriptions: (id: TenantId) =>
          id === other ? Promise.reject(new Error('broken')) : Promise.resolve([{ key: 'alpha' }]),
      },
    });
    await eventually(() => expect(sentTo('alpha')).toHaveLength(1));
  });

  it('wait for no long queue of another key', async () => {
    world.subscriptions = [{ key: 'alpha' }, { key: 'beta' }];
    world.receive = async () => {
      await pause(10);
      return DELIVERED;
    };
    const events = await world.commit(undefined, tenant, users(2_000));
    await dueRetries(events, { ageMs: 9_000 });
    await dueRetries(events.slice(0, 1), { key: 'beta' });
    await world.owner();
    await eventually(() => expect(sentTo('beta')).toHaveLength(1));
    expect(sentTo('alpha').length).toBeLessThan(200);
  });

  it('for too long fail while their receiver does not respond', async () => {
    world.receive = () => Promise.resolve(FAILED);
    const events = await world.commit(undefined, tenant, users(60));
    await dueRetries(events.slice(0, 50), { ageMs: 9_000_000 });
    await dueRetries(events.slice(50));
    await world.owner('one', {
      subscriber: { retry: [60_000, 60_000] },
      limits: { breakerOpenMs: 60_000 },
    });
    const reason = 'No response for too long.';
    await eventually(async () =>
      expect(await recorded({ st: 'f', 'last.reason': reason })).toBeGreaterThan(30),
    );
    expect(await recorded({ st: 'p', seq: { $gt: 50 } })).toBe(10);
  });

  it('of one key follow as they are sent, not by the round', async () => {
    const events = await world.commit(undefined, tenant, users(600));
    const gateway = await world.owner('one', { limits: { roundMs: 60_000 } });
    await dueRetries(events);
    gateway.stream.wake();
    await eventually(async () => expect(await recorded({ st: 'd' })).toBe(600));
    expect(sentTo('alpha')).toHaveLength(600);
  });

  it('are not missed if they are added while others are read', async () => {
    const events = await world.commit(undefined, tenant, users(3));
    let reads = 0;
    const answerMs = (method: string): number => {
      if (method !== 'dueRetries' || (reads += 1) > 1) return 0;
      void dueRetries(events).then(() => gateway.stream.wake());
      return 300;
    };
    const gateway = world.gateway('one', { answerMs, limits: { roundMs: 60_000 } });
    await eventually(async () => expect(await recorded({ st: 'd' })).toBe(3));
  });

  it('are sent once, also if one ends while the due ones are read', async () => {
    world.receive = async ({ attempt }) => {
      await pause(60);
      return attempt === 1 ? FAILED : DELIVERED;
    };
    const answerMs = (method: string) => (method === 'dueRetries' ? 100 : 0);
    const gateway = await world.owner('one', { answerMs });
    for (const user of users(8)) {
      await world.commit(gateway, tenant, [user]);
      await pause(25);
    }
    await eventually(async () => expect(await recorded({ st: 'd', n: 2 })).toBe(8));
    await pause(300);
    expect(sentTo('alpha')).toHaveLength(16);
  });
});
