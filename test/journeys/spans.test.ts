import { setTimeout as pause } from 'node:timers/promises';
import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TenantId, UserId } from '../../src/domain/ids.js';
import { newId } from '../../src/pipeline/new-id.js';
import { resultOf } from '../../src/pipeline/submit.js';
import type { Delivery, DeliveryOutcome } from '../../src/plugin/contract.js';
import { aProfile } from '../support/builders.js';
import { createTestDatabase } from '../support/database.js';
import { MortalInstance, type MortalParts } from '../support/mortal-instance.js';

const { uri } = createTestDatabase();
let database: mongoose.mongo.MongoClient;
let instances: MortalInstance[] = [];
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

const start = async (more: Partial<MortalParts> = {}): Promise<MortalInstance> => {
  const instance = await MortalInstance.start({
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

const endAll = () => Promise.all(instances.map((instance) => instance.end()));

const makeTenant = async (by: MortalInstance, slug: string): Promise<TenantId> => {
  const outcome = await by.submit<'tenant.create'>(newId<TenantId>(), {
    type: 'tenant.create',
    slug,
    name: slug,
    seatCapacity: null,
    defaultRole: 'member',
    roomProvisioning: 'manual',
  });
  return resultOf(outcome).id;
};

/** All of them at once: they are committed in few batches. */
const createUsers = async (
  by: MortalInstance,
  tenant: TenantId,
  count: number,
): Promise<readonly UserId[]> => {
  const ids = Array.from({ length: count }, () => newId<UserId>());
  const outcomes = await Promise.all(
    ids.map((userId) =>
      by.submit<'user.create'>(tenant, {
        type: 'user.create',
        userId,
        profile: aProfile({ userName: `${userId}@example.com` }),
      }),
    ),
  );
  outcomes.forEach(resultOf);
  return ids;
};

const deleteUsers = async (by: MortalInstance, tenant: TenantId, ids: readonly UserId[]) => {
  const outcomes = await Promise.all(
    ids.map((userId) => by.submit<'user.delete'>(tenant, { type: 'user.delete', userId })),
  );
  outcomes.forEach(resultOf);
};

const settled = async (tenant: TenantId): Promise<void> => {
  while ((await outbox().countDocuments({ tenant, st: 'p' })) > 0) await pause(20);
};

describe('a batch that owes much', () => {
  it('reaches each of 20 registrations event by event, once and in order of its resource', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `registration-${index}`);
    const one = await start({ keys });
    const tenant = await makeTenant(one, 'many');
    const users = await createUsers(one, tenant, 300);
    const rowsOfCommit = await outbox().countDocuments({ tenant });
    await deleteUsers(one, tenant, users);
    await settled(tenant);
    const events = await database.db().collection('events').countDocuments({ tenant });
    expect(events).toBe(900);
    expect(rowsOfCommit).toBeLessThan(300 * 20);
    expect(received).toHaveLength(20 * events);
    expect(new Set(received.map(({ id }) => id)).size).toBe(20 * events);
    const lanes = new Map<string, number[]>();
    for (const { key, event } of received) {
      const lane = `${key} ${event.resource.id}`;
      lanes.set(lane, [...(lanes.get(lane) ?? []), event.seq]);
    }
    expect(lanes.size).toBe(20 * 300);
    for (const seqs of lanes.values()) {
      expect(seqs).toHaveLength(3);
      expect(seqs).toEqual([...seqs].sort((before, after) => before - after));
    }
    expect(await outbox().countDocuments({ tenant, st: { $ne: 'd' } })).toBe(0);
    await endAll();
  });

  it.each(['sends', 'has sent'] as const)(
    'survives the death of its gateway in the moment that this %s rows of it',
    async (when) => {
      const limits = { mostRowsOfBatch: 1 };
      let open = (): void => undefined;
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      const dying = await start({
        limits,
        receive: async (delivery) => {
          await opened;
          received.push(delivery);
          return { kind: 'delivered' };
        },
      });
      const tenant = await makeTenant(dying, `dying-${when.replace(' ', '-')}`);
      await createUsers(dying, tenant, 400);
      const dead = dying.dieWhenIt({ when, command: 'insert', collection: 'outbox' });
      open();
      await dead;
      expect(await outbox().countDocuments({ tenant, left: { $gt: 0 } })).toBeGreaterThan(0);
      await start({ limits });
      await settled(tenant);
      expect(await outbox().countDocuments({ tenant, st: 'd' })).toBe(400);
      expect(await outbox().countDocuments({ tenant, st: { $ne: 'd' } })).toBe(0);
      const events = new Map(received.map(({ id, event }) => [id, event.id]));
      expect(events.size).toBe(400);
      expect(new Set(events.values()).size).toBe(400);
      // Again comes only what was not acknowledged: of one key less than it may have under way.
      expect(received.length).toBeLessThan(400 + 100);
      await endAll();
    },
  );
});
