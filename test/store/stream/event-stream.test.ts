import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { mongo } from 'mongoose';
import { setTimeout as pause } from 'node:timers/promises';
import type { TenantId } from '../../../src/domain/kernel/ids.js';
import { deliveryIdOf } from '../../../src/pipeline/delivery-id.js';
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

const seqs = (key = 'alpha'): readonly number[] =>
  world.seen.filter((one) => one.key === key).map(({ seq }) => seq);

const cursor = async () => world.collections.cursors.findOne({ tenant });

const positionReaches = (at: number) =>
  eventually(async () => {
    expect((await cursor())?.keys).toEqual([{ key: 'alpha', at, upTo: at, open: [] }]);
  });

/** The plugin has subscribed before: what is committed now is for it, and waits for a gateway. */
const adopted = async (): Promise<void> => {
  const gateway = await world.owner('first');
  await gateway.stream.stop(0);
  gateway.kill();
};

describe('a commit', () => {
  it('is delivered from memory, under the id of event and key, and the position follows', async () => {
    const gateway = await world.owner();
    const [first] = await world.commit(gateway, tenant, ['ada', 'bob']);
    await positionReaches(2);
    expect(seqs()).toEqual([1, 2]);
    expect(world.seen[0]!.id).toBe(deliveryIdOf(first!.id, PLUGIN, 'alpha'));
    expect(await world.collections.deliveries.countDocuments({ tenant, st: 'd' })).toBe(2);
  });

  it('keeps the order of a resource, and lets others pass', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    world.receive = async ({ event }) => {
      if (event.seq === 1) await held;
      return DELIVERED;
    };
    const gateway = await world.owner();
    await world.commit(gateway, tenant, ['ada', 'ada', 'bob']);
    await eventually(() => expect(seqs()).toEqual([1, 3]));
    await eventually(async () =>
      expect((await cursor())?.keys).toEqual([{ key: 'alpha', at: 0, upTo: 3, open: [1, 2] }]),
    );
    release();
    await positionReaches(3);
    expect(seqs()).toEqual([1, 3, 2]);
  });

  it('of another gateway reaches the owner by the change stream', async () => {
    await world.owner('one');
    world.gateway('two');
    await world.owns('two', 32);
    for (let round = 0; round < 20; round += 1) {
      const other = world.gateways.get(round % 2 === 0 ? 'one' : 'two')!;
      await world.commit(other, tenant, ['ada']);
    }
    await positionReaches(20);
    expect(seqs()).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    expect(new Set(world.seen.map(({ by }) => by)).size).toBe(1);
  });
});

describe('a failed attempt', () => {
  it('becomes a retry; the position moves on, and later events need not wait', async () => {
    world.receive = ({ event, attempt }) =>
      Promise.resolve(event.seq === 1 && attempt < 3 ? FAILED : DELIVERED);
    const gateway = await world.owner();
    await world.commit(gateway, tenant, ['ada', 'ada']);
    await positionReaches(2);
    await eventually(async () => {
      const found = await world.collections.deliveries.findOne({ seq: 1 });
      expect(found).toMatchObject({ st: 'd', n: 3 });
      expect(found!.attempts!.map(({ reason }) => reason)).toEqual([
        'status 500',
        'status 500',
        null,
      ]);
    });
    expect(world.seen.map(({ seq, attempt }) => [seq, attempt])).toEqual([
      [1, 1],
      [2, 1],
      [1, 2],
      [1, 3],
    ]);
  });

  it('that no attempt may follow ends the delivery', async () => {
    world.receive = () => Promise.resolve({ ...FAILED, retry: false });
    const gateway = await world.owner();
    await world.commit(gateway, tenant, ['ada']);
    await positionReaches(1);
    expect(await world.collections.deliveries.findOne({})).toMatchObject({ st: 'f', n: 1 });
  });

  it('after others in a row pauses the key: nothing is read until one attempt succeeds', async () => {
    let isDown = true;
    world.receive = () => Promise.resolve(isDown ? FAILED : DELIVERED);
    const gateway = await world.owner('one', { subscriber: { retry: [60_000] } });
    await world.commit(gateway, tenant, users(400));
    await eventually(async () =>
      expect((await gateway.stream.gauges.snapshot()).openBreakers).toBe(1),
    );
    await pause(50);
    const attempts = world.seen.length;
    expect(attempts).toBeLessThan(20);
    isDown = false;
    await positionReaches(400);
    expect(new Set(seqs()).size).toBe(400);
  });
});

describe('a gateway that is killed', () => {
  it('is succeeded by another that sends again only what was in flight', async () => {
    const first = await world.owner('one');
    await world.commit(first, tenant, ['ada', 'bob']);
    await positionReaches(2);
    world.receive = () => new Promise(() => undefined);
    await world.commit(first, tenant, ['cy', 'dee']);
    await eventually(() => expect(seqs()).toEqual([1, 2, 3, 4]));
    first.kill();
    world.receive = () => Promise.resolve(DELIVERED);
    await world.owner('two');
    await positionReaches(4);
    expect(seqs()).toEqual([1, 2, 3, 4, 3, 4]);
  });

  it('and one that lost its partitions without noticing writes nothing', async () => {
    const first = await world.owner('one');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    world.receive = async () => {
      await held;
      return DELIVERED;
    };
    await world.commit(first, tenant, ['ada']);
    await eventually(() => expect(seqs()).toEqual([1]));
    await world.collections.cursors.updateMany({}, { $inc: { token: 5 } });
    release();
    await eventually(async () => expect((await first.stream.gauges.snapshot()).inFlight).toBe(0));
    await pause(50);
    expect((await cursor())?.keys).toEqual([]);
  });
});

describe('a stop', () => {
  it('lets attempts end, writes positions and releases the partitions', async () => {
    world.receive = async () => {
      await pause(50);
      return DELIVERED;
    };
    const gateway = await world.owner();
    await world.commit(gateway, tenant, users(50));
    await eventually(() => expect(seqs().length).toBeGreaterThan(0));
    await gateway.stream.stop(60_000);
    const { partitions, participants } = await gateway.store.partitions();
    expect(participants).toEqual([]);
    expect(partitions.every((one) => one.owner === null)).toBe(true);
    gateway.kill();
    const sent = seqs().length;
    await world.owner('two');
    await positionReaches(50);
    expect(seqs().length).toBe(50);
    expect(sent).toBeLessThan(50);
  });

  it('leaves the positions of a tenant that is being opened as they were', async () => {
    const first = await world.owner();
    await world.commit(first, tenant, ['ada', 'bob']);
    await positionReaches(2);
    await first.stream.stop(1_000);
    first.kill();
    let claims = 0;
    const second = await world.owner('two', {
      answerMs: (method) => {
        if (method === 'claim') claims += 1;
        return method === 'claim' && claims > 1 ? 100 : 0;
      },
    });
    const other = await world.tenant();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    world.receive = async () => {
      await held;
      return DELIVERED;
    };
    await world.commit(second, other, ['cy']);
    await eventually(() => expect(seqs()).toHaveLength(3));
    await world.commit(second, tenant, ['dee']);
    await eventually(() => expect(claims).toBe(2));
    const stopped = second.stream.stop(5_000);
    await pause(150);
    release();
    await stopped;
    await positionReaches(2);
  });
});

describe('subscriptions', () => {
  it('begin after the position that they state', async () => {
    const gateway = await world.owner();
    await world.subscribe([]);
    await world.commit(gateway, tenant, ['ada', 'bob']);
    await world.subscribe([{ key: 'alpha', after: 2 }]);
    await world.commit(gateway, tenant, ['cy']);
    await positionReaches(3);
    expect(seqs()).toEqual([3]);
  });

  it('get only the events that they want, each from its position on', async () => {
    await world.subscribe([{ key: 'alpha', events: new Map([['user.updated', 2]]) }]);
    const gateway = await world.owner();
    await world.commit(gateway, tenant, ['ada', 'bob']);
    await world.commit(gateway, tenant, ['cy'], 'user.created');
    await world.commit(gateway, tenant, ['dee']);
    await positionReaches(4);
    expect(seqs()).toEqual([4]);
  });

  it('that end drop what waits: no attempt follows', async () => {
    world.receive = () => Promise.resolve(FAILED);
    const gateway = await world.owner('one', { subscriber: { retry: [300] } });
    await world.commit(gateway, tenant, ['ada', 'bob']);
    await eventually(async () =>
      expect(await world.collections.deliveries.countDocuments({ st: 'p' })).toBe(2),
    );
    await world.subscribe([]);
    await eventually(async () =>
      expect(await world.collections.deliveries.countDocuments({ st: 'x' })).toBe(2),
    );
    expect(seqs()).toHaveLength(2);
  });

  it('of a plugin that is new begin at the end of the log', async () => {
    world.subscriptions = [{ key: 'alpha' }];
    await world.commit(undefined, tenant, ['ada', 'bob']);
    const gateway = await world.owner();
    await world.commit(gateway, tenant, ['cy']);
    await positionReaches(3);
    expect(seqs()).toEqual([3]);
  });
});

describe('a redelivery', () => {
  const scope = () => ({ tenantId: tenant, keys: ['alpha'] });

  it('is attempted after the request, also while an attempt is in flight', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    world.receive = async () => {
      await held;
      return DELIVERED;
    };
    const gateway = await world.owner();
    const [event] = await world.commit(gateway, tenant, ['ada']);
    const id = deliveryIdOf(event!.id, PLUGIN, 'alpha');
    await eventually(() => expect(seqs()).toEqual([1]));
    expect(await world.deliveries(gateway).redeliver({ ...scope(), id, to: 'alpha' })).toBe(true);
    release();
    await eventually(async () => {
      expect(seqs()).toEqual([1, 1]);
      expect(await world.collections.deliveries.findOne({ _id: id })).toMatchObject({ st: 'd' });
    });
  });

  it('of a recovery follows for each failed delivery', async () => {
    world.receive = () => Promise.resolve({ ...FAILED, retry: false });
    const gateway = await world.owner();
    await world.commit(gateway, tenant, ['ada', 'bob', 'cy']);
    await eventually(async () =>
      expect(await world.collections.deliveries.countDocuments({ st: 'f' })).toBe(3),
    );
    world.receive = () => Promise.resolve(DELIVERED);
    const request = { ...scope(), id: 'recovery-1', to: 'alpha', since: new Date(0) };
    await world.deliveries(gateway).recover(request);
    await eventually(async () => {
      const found = await world.deliveries(gateway).findRecovery(scope(), 'recovery-1');
      expect(found).toMatchObject({ state: 'done', recovered: 3 });
      expect(await world.collections.deliveries.countDocuments({ st: 'd' })).toBe(3);
    });
    expect(seqs()).toHaveLength(6);
  });
});

describe('capacity', () => {
  const hang = () => new Promise<never>(() => undefined);
  const inFlight = (key: string) => seqs(key).length;

  it('of a slow key is its own: other keys and tenants are served at once', async () => {
    world.subscriptions = ['slow', 'fast'].map((key) => ({ key }));
    world.receive = ({ key }) => (key === 'slow' ? hang() : Promise.resolve(DELIVERED));
    const gateway = await world.owner();
    await world.commit(gateway, tenant, users(40));
    await eventually(() => expect(inFlight('fast')).toBe(40));
    expect(inFlight('slow')).toBe(8);
    const other = await world.tenant();
    await world.commit(gateway, other, ['ada']);
    await eventually(() => expect(inFlight('fast')).toBe(41));
  });

  it('is left for idle keys, however many are slow', async () => {
    const slow = Array.from({ length: 7 }, (_, at) => ({ key: `slow-${at}` }));
    world.subscriptions = slow;
    world.receive = ({ key }) => (key === 'idle' ? Promise.resolve(DELIVERED) : hang());
    const gateway = await world.owner();
    await world.commit(gateway, tenant, users(10));
    await eventually(() => expect(world.seen).toHaveLength(49));
    await world.subscribe([...slow, { key: 'idle', after: 10 }]);
    await world.commit(gateway, tenant, ['ada']);
    await eventually(() => expect(inFlight('idle')).toBe(1));
  });

  it('of unsettled attempts is bounded: while results cannot be written, sending ends', async () => {
    let isAway = false;
    const limits = { maxUnsettled: 20, slotsForIdleKeys: 0 };
    const gateway = await world.owner('one', { limits, isAway: () => isAway });
    isAway = true;
    await world.commit(gateway, tenant, ['ada']);
    isAway = false;
    await positionReaches(1);
    world.receive = () => {
      isAway = true;
      return Promise.resolve(DELIVERED);
    };
    await world.commit(gateway, tenant, users(100));
    await pause(200);
    expect(world.seen.length).toBeLessThanOrEqual(21);
    world.receive = () => Promise.resolve(DELIVERED);
    isAway = false;
    await positionReaches(101);
    expect(seqs()).toHaveLength(101);
  });

  it('gives way to commands: backlogs and large commits are sent one by one while the gateway is busy', async () => {
    let isBusy = true;
    await adopted();
    await world.commit(undefined, tenant, users(60));
    const gateway = await world.owner('one', { isBusy: () => isBusy, limits: { throttleMs: 200 } });
    await eventually(() => expect(seqs().length).toBeGreaterThan(1));
    const before = seqs().length;
    expect(before).toBeLessThan(40);
    const [other, large] = [await world.tenant(), await world.tenant()];
    await world.commit(gateway, large, users(60));
    await world.commit(gateway, other, users(8));
    const sentOf = (id: TenantId) => world.seen.filter(({ tenantId }) => tenantId === id).length;
    await eventually(() => expect(sentOf(other)).toBe(8));
    expect(sentOf(tenant)).toBeLessThan(60);
    expect(sentOf(large)).toBeLessThan(60);
    isBusy = false;
    await positionReaches(60);
  });
});

describe('a subscriber that misbehaves', () => {
  it('and throws or hangs has failed: the attempt ends, and the cause is logged', async () => {
    world.receive = ({ event }) => {
      if (event.seq === 1) throw new Error('a bug');
      return new Promise(() => undefined);
    };
    const gateway = await world.owner('one', {
      subscriber: { retry: [] },
      limits: { attemptMs: 30 },
    });
    await world.commit(gateway, tenant, ['ada', 'bob']);
    await positionReaches(2);
    const failed = await world.collections.deliveries.find({ st: 'f' }).sort({ seq: 1 }).toArray();
    expect(failed.map(({ last }) => last?.reason)).toEqual([
      'The subscriber failed.',
      'status 500',
    ]);
    expect(world.logged.map(({ message }) => message)).toContain(
      'A subscriber threw during a delivery.',
    );
  });

  it('and cannot list its subscriptions sends nothing, and loses nothing', async () => {
    let isBroken = true;
    const subscriptions = () =>
      isBroken ? Promise.reject(new Error('a bug')) : Promise.resolve(world.subscriptions);
    const gateway = await world.owner('one', { subscriber: { subscriptions } });
    await world.commit(gateway, tenant, ['ada']);
    await pause(100);
    expect(seqs()).toEqual([]);
    isBroken = false;
    await positionReaches(1);
    expect(seqs()).toEqual([1]);
  });
});

describe('a receiver that is dead for longer than the schedule', () => {
  it('is given up: what is older fails without an attempt', async () => {
    world.receive = () => Promise.resolve(FAILED);
    const gateway = await world.owner('one', { subscriber: { retry: [60_000], concurrency: 1 } });
    await world.commit(gateway, tenant, ['ada', 'bob', 'cy', 'dee', 'eve']);
    await eventually(async () =>
      expect((await gateway.stream.gauges.snapshot()).openBreakers).toBe(1),
    );
    const old = new Date(Date.now() - 2 * 3_600_000);
    await world.commit(undefined, tenant, ['fay', 'gus']);
    await world.collections.events.updateMany({ seq: { $gt: 5 } }, { $set: { at: old } });
    await world.commit(gateway, tenant, ['hal']);
    await eventually(async () => {
      const failed = await world.collections.deliveries.find({ st: 'f' }).toArray();
      expect(failed.map(({ seq, last, attempts }) => [seq, last?.reason, attempts])).toEqual([
        [6, 'No response for too long.', []],
        [7, 'No response for too long.', []],
      ]);
    });
  });
});

describe('a log that has lost events', () => {
  it('is not skipped silently: the loss is logged and counted, and delivery goes on', async () => {
    await adopted();
    await world.commit(undefined, tenant, ['ada', 'bob', 'cy']);
    await world.collections.events.deleteMany({ seq: { $lte: 2 } });
    const gateway = await world.owner();
    await positionReaches(3);
    expect(seqs()).toEqual([3]);
    expect(world.logged).toContainEqual(
      expect.objectContaining({
        message: 'The log no longer has events that were not delivered.',
        fields: expect.objectContaining({ upTo: 2, events: 2 }) as object,
      }),
    );
    const { endings } = await gateway.stream.gauges.snapshot();
    expect(endings.get(PLUGIN)).toMatchObject({ failed: 2, delivered: 1 });
  });
});
