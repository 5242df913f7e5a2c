import mongoose from 'mongoose';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TenantId } from '../../src/domain/kernel/ids.js';
import { resultOf } from '../../src/pipeline/submit.js';
import type { Delivery, DeliveryOutcome } from '../../src/plugin/contract/contract.js';
import { createUserCommand } from '../support/builders.js';
import { createTestDatabase } from '../support/database.js';
import { createGate } from '../support/gate.js';
import {
  deliveriesSettled,
  type DriverEvent,
  KillableInstance,
} from '../support/killable-instance.js';

const { uri } = createTestDatabase();
let database: mongoose.mongo.MongoClient;
let survivor: KillableInstance;
const instances: KillableInstance[] = [];
/** Received deliveries, with the name of the sending instance. */
const received: (Delivery & { readonly by: string })[] = [];

/**
 * No test can wait for it: only the eviction of a killed instance releases what it holds. Its open
 * transaction would end after a minute by itself, and commands wait less for it.
 */
const LONG_MS = 3_600_000;

const start = async (
  name: string,
  respond: (delivery: Delivery) => Promise<DeliveryOutcome> = () =>
    Promise.resolve({ kind: 'delivered' }),
): Promise<KillableInstance> => {
  const instance = await KillableInstance.start({
    uri,
    receive: (delivery) => {
      received.push({ ...delivery, by: name });
      return respond(delivery);
    },
  });
  instances.push(instance);
  return instance;
};

const idempotencyOf = (name: string) => ({ id: `key-${name}`, fingerprint: 'the same body' });

const find = (collection: string, tenant: TenantId) =>
  database.db().collection(collection).find({ tenant }).sort({ seq: 1 }).toArray();

const sentIn = (tenant: TenantId) =>
  received.filter(({ event }) => event.tenantId === tenant).map(({ id, by }) => ({ id, by }));

const settled = (tenant: TenantId): Promise<void> => deliveriesSettled(database.db(), tenant);

beforeAll(async () => {
  database = await new mongoose.mongo.MongoClient(uri).connect();
  survivor = await start('survivor');
});

afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.stop()));
  await database.close();
});

describe.concurrent('an instance that is killed', () => {
  const killAt = async (name: string, event: DriverEvent) => {
    const tenant = await survivor.createTenant(name);
    const killed = await start(name);
    const kill = killed.killOn(event);
    const command = createUserCommand(name);
    void killed.submit(tenant, command, idempotencyOf(name));
    await kill;
    return { tenant, command };
  };

  it('before its commit reaches the database leaves no changes, and its open transaction is aborted soon', async () => {
    const { tenant } = await killAt('uncommitted', {
      when: 'sends',
      command: 'commitTransaction',
    });
    expect(await find('users', tenant)).toEqual([]);
    const retry = createUserCommand('uncommitted');
    const outcome = await survivor.submit(tenant, retry, idempotencyOf('uncommitted'));
    expect(resultOf(outcome)).toMatchObject({ id: retry.userId });
    await settled(tenant);
    expect((await find('events', tenant)).map(({ seq }) => seq as number)).toEqual([1]);
    expect(sentIn(tenant)).toMatchObject([{ by: 'survivor' }]);
  });

  it('between commit and response: a retry returns the committed result, and the event is delivered', async () => {
    const { tenant, command } = await killAt('unanswered', {
      when: 'has sent',
      command: 'commitTransaction',
    });
    const retry = createUserCommand('unanswered');
    const outcome = await survivor.submit(tenant, retry, idempotencyOf('unanswered'));
    expect(resultOf(outcome)).toMatchObject({ id: command.userId });
    expect(await find('users', tenant)).toHaveLength(1);
    await settled(tenant);
    expect(await find('events', tenant)).toHaveLength(1);
    expect(new Set(sentIn(tenant).map(({ id }) => id)).size).toBe(1);
  });

  it('in the retry of a batch after a version conflict: its open transaction is aborted soon', async () => {
    const tenant = await survivor.createTenant('overtaken');
    const killed = await start('overtaken');
    await killed.submit(tenant, createUserCommand());
    await survivor.submit(tenant, createUserCommand());
    const kill = killed.killOn({ when: 'sends', command: 'commitTransaction' });
    void killed.submit(tenant, createUserCommand());
    await kill;
    resultOf(await survivor.submit(tenant, createUserCommand()));
  });

  it('while it holds the priority lock: the lock is released', async () => {
    const tenant = await survivor.createTenant('priority-lock');
    const killed = await start('priority-lock');
    await killed.store.commits.requestPriorityLock(tenant);
    await database
      .db()
      .collection<{ _id: TenantId }>('tenant_state')
      .updateOne({ _id: tenant }, { $set: { 'turn.until': new Date(Date.now() + LONG_MS) } });
    killed.kill();
    resultOf(await survivor.submit(tenant, createUserCommand()));
  });
});

describe('an instance that is killed and owns all partitions', () => {
  const owned = createTestDatabase().uri;
  let client: mongoose.mongo.MongoClient;
  let sent: (Delivery & { readonly by: string })[] = [];
  let own: KillableInstance[] = [];

  beforeAll(async () => {
    client = await new mongoose.mongo.MongoClient(owned).connect();
  });
  afterAll(() => client.close());
  afterEach(async () => {
    await Promise.all(own.map((instance) => instance.stop()));
    [sent, own] = [[], []];
  });

  const startOwner = async (
    name: string,
    respond: (delivery: Delivery) => Promise<DeliveryOutcome>,
  ): Promise<KillableInstance> => {
    const instance = await KillableInstance.start({
      uri: owned,
      receive: (delivery) => {
        sent.push({ ...delivery, by: name });
        return respond(delivery);
      },
      // So that not all are sent before the first are recorded.
      limits: { maxUnsettled: 24, slotsForIdleKeys: 0 },
    });
    own.push(instance);
    const partitions = client.db().collection('stream_partitions');
    const ofOwner = { n: { $exists: true }, owner: instance.instanceId };
    while ((await partitions.countDocuments(ofOwner)) < 64) await pause(20);
    return instance;
  };

  it('during the first attempt: another instance delivers the event', async () => {
    const attempt = createGate();
    const killed = await startOwner('killed', () => {
      killed.kill();
      attempt.open();
      return new Promise(() => undefined);
    });
    const tenant = await killed.createTenant('unsent');
    void killed.submit(tenant, createUserCommand('unsent'));
    await attempt.opened;
    await startOwner('heir', () => Promise.resolve({ kind: 'delivered' }));
    await deliveriesSettled(client.db(), tenant);
    expect(sent.map(({ by }) => by)).toEqual(['killed', 'heir']);
    expect(sent[1]!.id).toBe(sent[0]!.id);
  });

  it('between records and positions: what is not settled is sent again, with the same id', async () => {
    const gate = createGate<DeliveryOutcome>();
    const killed = await startOwner('killed', () => gate.opened);
    const tenant = await killed.createTenant('recording');
    const creates = Array.from({ length: 40 }, () => createUserCommand());
    await Promise.all(creates.map((command) => killed.submit(tenant, command)));
    const kill = killed.killOn({ when: 'has sent', command: 'insert', collection: 'deliveries' });
    gate.open({ kind: 'delivered' });
    await kill;
    const first = sent.length;
    expect(first).toBeLessThan(40);
    await startOwner('heir', () => Promise.resolve({ kind: 'delivered' }));
    await deliveriesSettled(client.db(), tenant);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(40);
    expect(sent).toHaveLength(40 + first);
    expect(await client.db().collection('deliveries').countDocuments({ tenant, st: 'd' })).toBe(40);
  });
});
