import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TenantId, UserId } from '../../src/domain/kernel/ids.js';
import { resultOf } from '../../src/pipeline/submit.js';
import type { Delivery, DeliveryOutcome } from '../../src/plugin/contract/contract.js';
import { createUserCommand } from '../support/builders.js';
import { createTestDatabase } from '../support/database.js';
import { createGate } from '../support/gate.js';
import {
  deliveriesSettled,
  KillableInstance,
  type KillableInstanceOptions,
} from '../support/killable-instance.js';

const { uri } = createTestDatabase();
let database: mongoose.mongo.MongoClient;
let instances: KillableInstance[] = [];
let received: Pick<Delivery, 'id' | 'key' | 'event'>[] = [];

const outbox = () => database.db().collection('outbox');

beforeAll(async () => {
  database = await new mongoose.mongo.MongoClient(uri).connect();
});

beforeEach(() => {
  instances = [];
  received = [];
});

afterAll(async () => database.close());

const start = async (more: Partial<KillableInstanceOptions> = {}): Promise<KillableInstance> => {
  const instance = await KillableInstance.start({
    uri,
    receive: (delivery): Promise<DeliveryOutcome> => {
      received.push(delivery);
      return Promise.resolve({ kind: 'delivered' });
    },
    ...more,
  });
  instances.push(instance);
  return instance;
};

const stopAll = () => Promise.all(instances.map((instance) => instance.stop()));

/** Concurrently, so that they are committed in few batches. */
const createUsers = async (
  instance: KillableInstance,
  tenant: TenantId,
  count: number,
): Promise<readonly UserId[]> => {
  const commands = Array.from({ length: count }, () => createUserCommand());
  const outcomes = await Promise.all(
    commands.map((command) => instance.submit<'user.create'>(tenant, command)),
  );
  return outcomes.map((outcome) => resultOf(outcome).id);
};

const settled = (tenant: TenantId): Promise<void> => deliveriesSettled(database.db(), tenant);

describe('a batch with many deliveries', () => {
  it.each(['sends', 'has sent'] as const)(
    'is delivered completely if its gateway is killed when it %s outbox rows',
    async (when) => {
      const limits = { maxRowsPerBatch: 1 };
      const gate = createGate();
      const killed = await start({
        limits,
        receive: async (delivery) => {
          await gate.opened;
          received.push(delivery);
          return { kind: 'delivered' };
        },
      });
      const tenant = await killed.createTenant(`killed-${when.replace(' ', '-')}`);
      await createUsers(killed, tenant, 400);
      const kill = killed.killOn({ when, command: 'insert', collection: 'outbox' });
      gate.open();
      await kill;
      expect(await outbox().countDocuments({ tenant, left: { $gt: 0 } })).toBeGreaterThan(0);
      await start({ limits });
      await settled(tenant);
      expect(await outbox().countDocuments({ tenant, st: 'd' })).toBe(400);
      expect(await outbox().countDocuments({ tenant, st: { $ne: 'd' } })).toBe(0);
      const events = new Map(received.map(({ id, event }) => [id, event.id]));
      expect(events.size).toBe(400);
      expect(new Set(events.values()).size).toBe(400);
      // Only unacknowledged deliveries are repeated: fewer than one key may have in flight.
      expect(received.length).toBeLessThan(400 + 100);
      await stopAll();
    },
  );
});
