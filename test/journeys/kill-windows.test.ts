import { setTimeout as pause } from 'node:timers/promises';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandOf } from '../../src/domain/commands.js';
import type { TenantId, UserId } from '../../src/domain/ids.js';
import { newId } from '../../src/pipeline/new-id.js';
import { resultOf } from '../../src/pipeline/submit.js';
import type { Delivery, DeliveryOutcome } from '../../src/plugin/contract.js';
import { aProfile } from '../support/builders.js';
import { createTestDatabase } from '../support/database.js';
import { type Moment, MortalInstance } from '../support/mortal-instance.js';

const { uri } = createTestDatabase();
let database: mongoose.mongo.MongoClient;
let heir: MortalInstance;
const instances: MortalInstance[] = [];
/** What receivers had, by whom it was sent. */
const received: (Delivery & { readonly by: string })[] = [];

const start = async (
  name: string,
  take: (delivery: Delivery) => Promise<DeliveryOutcome> = () =>
    Promise.resolve({ kind: 'delivered' }),
): Promise<MortalInstance> => {
  const instance = await MortalInstance.start({
    uri,
    receive: (delivery) => {
      received.push({ ...delivery, by: name });
      return take(delivery);
    },
  });
  instances.push(instance);
  return instance;
};

const create = (name: string): CommandOf<'user.create'> => ({
  type: 'user.create',
  userId: newId<UserId>(),
  profile: aProfile({ userName: `${name}@example.com` }),
});

const makeTenant = async (slug: string): Promise<TenantId> => {
  const tenantId = newId<TenantId>();
  const outcome = await heir.submit<'tenant.create'>(tenantId, {
    type: 'tenant.create',
    slug,
    name: slug,
    seatCapacity: null,
    defaultRole: 'member',
    roomProvisioning: 'manual',
  });
  return resultOf(outcome).id;
};

const asking = (name: string) => ({ id: `${name} asks`, fingerprint: 'the same body' });

const find = (collection: string, tenant: TenantId) =>
  database.db().collection(collection).find({ tenant }).sort({ seq: 1 }).toArray();

const sentIn = (tenant: TenantId) =>
  received.filter(({ event }) => event.tenantId === tenant).map(({ id, by }) => ({ id, by }));

/** Waits until nothing is owed to anybody in the tenant. */
const settled = async (tenant: TenantId): Promise<void> => {
  const outbox = database.db().collection('outbox');
  while ((await outbox.countDocuments({ tenant, st: 'p' })) > 0) await pause(20);
};

/** Receivers that answer nobody before it is opened. */
const openGate = () => {
  let open = (): void => undefined;
  const passed = new Promise<DeliveryOutcome>((resolve) => {
    open = () => resolve({ kind: 'delivered' });
  });
  return { passed, open };
};

beforeAll(async () => {
  database = await new mongoose.mongo.MongoClient(uri).connect();
  heir = await start('heir');
});

afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.end()));
  await database.close();
});

/** Long before leases (60 s) and orphaned transactions (15 s) run out by themselves, and turns (10 s). */
const SOON_MS = 8_000;

describe.concurrent('an instance that is killed', () => {
  const dieIn = async (name: string, moment: Moment) => {
    const tenant = await makeTenant(name);
    const dying = await start(name);
    const dead = dying.dieWhenIt(moment);
    const command = create(name);
    void dying.submit(tenant, command, asking(name));
    await dead;
    return { tenant, command, diedAt: performance.now() };
  };

  it('before its commit reaches the database: nothing of it is there, and its open transaction holds up nobody for long', async () => {
    const { tenant, diedAt } = await dieIn('uncommitted', {
      when: 'sends',
      command: 'commitTransaction',
    });
    expect(await find('users', tenant)).toEqual([]);
    const again = create('uncommitted');
    const outcome = await heir.submit(tenant, again, asking('uncommitted'));
    expect(resultOf(outcome)).toMatchObject({ id: again.userId });
    expect(performance.now() - diedAt).toBeLessThan(SOON_MS);
    await settled(tenant);
    expect((await find('events', tenant)).map(({ seq }) => seq as number)).toEqual([1]);
    expect(sentIn(tenant)).toMatchObject([{ by: 'heir' }]);
  });

  it('after the commit and before the answer: who asks again is told what was done, and it is delivered', async () => {
    const { tenant, command, diedAt } = await dieIn('unanswered', {
      when: 'has sent',
      command: 'commitTransaction',
    });
    const outcome = await heir.submit(tenant, create('unanswered'), asking('unanswered'));
    expect(resultOf(outcome)).toMatchObject({ id: command.userId });
    expect(await find('users', tenant)).toHaveLength(1);
    await settled(tenant);
    expect(await find('events', tenant)).toHaveLength(1);
    expect(new Set(sentIn(tenant).map(({ id }) => id)).size).toBe(1);
    expect(performance.now() - diedAt).toBeLessThan(SOON_MS);
  });

  it('before the first attempt: another sends what it had answered for', async () => {
    const tenant = await makeTenant('unsent');
    const dying = await start('unsent', () => {
      dying.die();
      return new Promise(() => undefined);
    });
    void dying.submit(tenant, create('unsent'));
    while (sentIn(tenant).length === 0) await pause(5);
    const diedAt = performance.now();
    await settled(tenant);
    const [attempted, delivered, ...more] = sentIn(tenant);
    expect(delivered).toEqual({ id: attempted?.id, by: 'heir' });
    expect(more).toEqual([]);
    expect(performance.now() - diedAt).toBeLessThan(SOON_MS);
  });

  it('between two acknowledgements: only what was not acknowledged is sent again, under its id', async () => {
    const tenant = await makeTenant('acknowledging');
    const gate = openGate();
    const dying = await start('acknowledging', () => gate.passed);
    const creates = Array.from({ length: 40 }, (_, at) => create(`acknowledging${at}`));
    await Promise.all(creates.map((command) => dying.submit(tenant, command)));
    const dead = dying.dieWhenIt({ when: 'has sent', command: 'update', collection: 'outbox' });
    gate.open();
    await dead;
    const first = sentIn(tenant).length;
    const done = await database.db().collection('outbox').countDocuments({ tenant, st: 'd' });
    await settled(tenant);
    const sent = sentIn(tenant);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(40);
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(40);
    expect(sent).toHaveLength(40 + first - done);
  });

  it('in the transaction of a batch that had lost a race: that one holds up nobody for long either', async () => {
    const tenant = await makeTenant('overtaken');
    const dying = await start('overtaken');
    await dying.submit(tenant, create('first'));
    await heir.submit(tenant, create('second'));
    const dead = dying.dieWhenIt({ when: 'sends', command: 'commitTransaction' });
    void dying.submit(tenant, create('overtaken'));
    await dead;
    const diedAt = performance.now();
    resultOf(await heir.submit(tenant, create('third')));
    expect(performance.now() - diedAt).toBeLessThan(SOON_MS);
  });

  it('while it has its turn: the turn ends with it', async () => {
    const tenant = await makeTenant('its-turn');
    const dying = await start('its-turn');
    await dying.store.commits.takeTurn(tenant);
    dying.die();
    const diedAt = performance.now();
    resultOf(await heir.submit(tenant, create('patient')));
    expect(performance.now() - diedAt).toBeLessThan(SOON_MS);
  });
});
