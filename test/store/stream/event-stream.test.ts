import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { mongo } from 'mongoose';
import { setTimeout as pause } from 'node:timers/promises';
import type { TenantId } from '../../../src/domain/kernel/ids.js';
import { deliveryIdOf } from '../../../src/pipeline/delivery-id.js';
import { useDatabase } from '../../support/core.js';
import { eventually } from '../../support/eventually.js';
import { DELIVERED, FAILED, PLUGIN, StreamWorld } from './stream-world.js';

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

/** A gateway that owns all partitions. */
const owner = async (name = 'one', given = {}) => {
  const gateway = world.gateway(name, given);
  await eventually(async () => {
    const { partitions } = await gateway.store.partitions();
    expect(partitions.filter((one) => one.owner === name)).toHaveLength(64);
  });
  return gateway;
};

describe('a commit', () => {
  it('is delivered from memory, under the id of event and key, and the position follows', async () => {
    const gateway = await owner();
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
    const gateway = await owner();
    await world.commit(gateway, tenant, ['ada', 'ada', 'bob']);
    await eventually(() => expect(seqs()).toEqual([1, 3]));
    await eventually(async () =>
      expect((await cursor())?.keys).toEqual([{ key: 'alpha', at: 0, upTo: 3, open: [1, 2] }]),
    );
    release();
    await positionReaches(3);
    expect(seqs()).toEqual([1, 3, 2]);
  });

  it('whose announcement is lost is delivered with the next one', async () => {
    const gateway = await owner();
    await world.commit(undefined, tenant, ['ada']);
    await world.commit(gateway, tenant, ['bob']);
    await positionReaches(2);
    expect(seqs()).toEqual([1, 2]);
  });

  it('of another gateway reaches the owner by the change stream', async () => {
    const one = await owner('one');
    world.gateway('two');
    await eventually(async () => {
      const { partitions } = await one.store.partitions();
      expect(partitions.filter((each) => each.owner === 'two').length).toBe(32);
    });
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
    const gateway = await owner();
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
    const gateway = await owner();
    await world.commit(gateway, tenant, ['ada']);
    await positionReaches(1);
    expect(await world.collections.deliveries.findOne({})).toMatchObject({ st: 'f', n: 1 });
  });

  it('after others in a row pauses the key: nothing is read until one attempt succeeds', async () => {
    let isDown = true;
    world.receive = () => Promise.resolve(isDown ? FAILED : DELIVERED);
    const gateway = await owner('one', { subscriber: { retry: [60_000] } });
    await world.commit(
      gateway,
      tenant,
      Array.from({ length: 400 }, (_, at) => `user-${at}`),
    );
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
    const first = await owner('one');
    await world.commit(first, tenant, ['ada', 'bob']);
    await positionReaches(2);
    world.receive = () => new Promise(() => undefined);
    await world.commit(first, tenant, ['cy', 'dee']);
    await eventually(() => expect(seqs()).toEqual([1, 2, 3, 4]));
    first.kill();
    world.receive = () => Promise.resolve(DELIVERED);
    await owner('two');
    await positionReaches(4);
    expect(seqs()).toEqual([1, 2, 3, 4, 3, 4]);
  });

  it('and one that lost its partitions without noticing writes nothing', async () => {
    const first = await owner('one');
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
    const gateway = await owner();
    await world.commit(
      gateway,
      tenant,
      Array.from({ length: 50 }, (_, at) => `user-${at}`),
    );
    await eventually(() => expect(seqs().length).toBeGreaterThan(0));
    await gateway.stream.stop(1_000);
    const { partitions, participants } = await gateway.store.partitions();
    expect(participants).toEqual([]);
    expect(partitions.every((one) => one.owner === null)).toBe(true);
    gateway.kill();
    const sent = seqs().length;
    await owner('two');
    await positionReaches(50);
    expect(seqs().length).toBe(50);
    expect(sent).toBeLessThan(50);
  });
});

describe('subscriptions', () => {
  it('begin after the position that they state', async () => {
    const gateway = await owner();
    await world.subscribe([]);
    await world.commit(gateway, tenant, ['ada', 'bob']);
    await world.subscribe([{ key: 'alpha', after: 2 }]);
    await world.commit(gateway, tenant, ['cy']);
    await positionReaches(3);
    expect(seqs()).toEqual([3]);
  });

  it('get only the events that they want, each from its position on', async () => {
    await world.subscribe([{ key: 'alpha', events: new Map([['user.updated', 2]]) }]);
    const gateway = await owner();
    await world.commit(gateway, tenant, ['ada', 'bob']);
    await world.commit(gateway, tenant, ['cy'], 'user.created');
    await world.commit(gateway, tenant, ['dee']);
    await positionReaches(4);
    expect(seqs()).toEqual([4]);
  });

  it('that end drop what waits: no attempt follows', async () => {
    world.receive = () => Promise.resolve(FAILED);
    const gateway = await owner('one', { subscriber: { retry: [300] } });
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
    const gateway = await owner();
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
    const gateway = await owner();
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
    const gateway = await owner();
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
