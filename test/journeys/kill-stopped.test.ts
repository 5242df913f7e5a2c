import { setTimeout as pause } from 'node:timers/promises';
import mongoose from 'mongoose';
import { Agent } from 'undici';
import { afterAll, describe, expect, it } from 'vitest';
import { allDelivered } from '../../scripts/crash/all-delivered.js';
import { runClient } from '../../scripts/crash/clients.js';
import { gather } from '../../scripts/crash/evidence.js';
import type { GatewayProcess } from '../../scripts/crash/gateway-process.js';
import { openLedger } from '../../scripts/crash/ledger.js';
import { openScene } from '../../scripts/crash/scene.js';
import { judge } from '../../scripts/crash/verdict.js';
import { createCleanUp } from '../../scripts/demo/clean-up.js';
import type { CommandOf } from '../../src/domain/commands.js';
import type { TenantId, UserId } from '../../src/domain/ids.js';
import { newId } from '../../src/pipeline/new-id.js';
import { resultOf } from '../../src/pipeline/submit.js';
import type { Delivery, DeliveryOutcome } from '../../src/plugin/contract.js';
import { aProfile } from '../support/builders.js';
import { createTestDatabase } from '../support/database.js';
import { MortalInstance } from '../support/mortal-instance.js';

const cleanUp = createCleanUp();
afterAll(cleanUp.run);

const connectTo = async (uri: string): Promise<mongoose.mongo.Db> => {
  const client = await new mongoose.mongo.MongoClient(uri).connect();
  cleanUp.defer(() => client.close());
  return client.db();
};

/** Waits until so many gateways are thought to be alive. */
const areAlive = async (database: mongoose.mongo.Db, count: number): Promise<void> => {
  while ((await database.collection('instances').countDocuments()) !== count) await pause(20);
};

describe('a process that is stopped for longer than it may be silent, and goes on', () => {
  const { uri } = createTestDatabase();

  it('loses nothing, does nothing twice and works on, as does the one beside it', async () => {
    const database = await connectTo(uri);
    const scene = await openScene(uri, cleanUp);
    const [stopped, other] = await Promise.all([scene.start(), scene.start()]);
    const slugs = ['one', 'two'];
    const tenants = await Promise.all(slugs.map((slug) => scene.makeTenant(other.url, slug)));
    await areAlive(database, 2);
    const creates = 600;
    const ledger = openLedger(0, creates, slugs);
    const dispatcher = new Agent({ connections: 24 });
    cleanUp.defer(() => dispatcher.destroy());
    const keys = new Map(tenants.map(({ slug, key }) => [slug, key]));
    const clientOf = ({ url }: GatewayProcess) =>
      runClient({ ledger, dispatcher, url: () => url, keyOf: (slug) => keys.get(slug) ?? '' });
    const clients = Array.from({ length: 12 }, () => [clientOf(stopped), clientOf(other)]).flat();
    const haveGot = async (count: number): Promise<void> => {
      while (ledger.acknowledged() < count) await pause(2);
    };

    await haveGot(100);
    stopped.signal('SIGSTOP');
    await areAlive(database, 1);
    // Whatever it held open is ended by now: both tenants get on without it.
    await haveGot(300);
    stopped.signal('SIGCONT');
    await areAlive(database, 2);
    await Promise.all(clients);
    await allDelivered(scene, { mongodbUri: uri, tenants, count: creates });
    const ends = [stopped, other].map(async (gateway) => {
      gateway.signal('SIGTERM');
      return gateway.ended;
    });
    expect(await Promise.all(ends)).toEqual([0, 0]);

    const evidence = await gather({ mongodbUri: uri, scene, tenants, ledger });
    // What it held in memory, it sends when it wakes: 250 deliveries of a registration at most.
    expect(judge({ ...evidence, mostRepeats: 500 }).problems).toEqual([]);
    expect(ledger.surprises).toEqual([]);
  }, 120_000);
});

describe('an instance whose acknowledgement comes after its lease', () => {
  const { uri } = createTestDatabase();
  const QUICK = { sweepMs: 100 };

  it('changes nothing any more for the one that has taken the delivery over, and works on', async () => {
    const database = await connectTo(uri);
    const outbox = database.collection<{ own: string | null; st: string }>('outbox');
    const attempts: (Delivery & { readonly by: string })[] = [];
    let finish = (): void => undefined;
    const finished = new Promise<DeliveryOutcome>((resolve) => {
      finish = () => resolve({ kind: 'delivered' });
    });
    const sleeper = await MortalInstance.start({
      uri,
      limits: { ...QUICK, leaseMs: 1_500, leaseMarginMs: 200 },
      receive: (delivery) => {
        attempts.push({ ...delivery, by: 'sleeper' });
        // The receiver has it, and from here on the database hears nothing of the sleeper.
        if (attempts.length === 1) sleeper.proxy.freeze();
        return Promise.resolve({ kind: 'delivered' });
      },
    });
    cleanUp.defer(() => sleeper.end());
    const other = await MortalInstance.start({
      uri,
      limits: QUICK,
      receive: (delivery) => {
        attempts.push({ ...delivery, by: 'other' });
        return finished;
      },
    });
    cleanUp.defer(() => other.end());
    const tenant = await makeTenant(other);

    resultOf(await sleeper.submit(tenant, create('ada')));
    while (attempts.length < 2) await pause(5);
    expect(attempts.map(({ by }) => by)).toEqual(['sleeper', 'other']);
    expect(attempts[1]?.id).toBe(attempts[0]?.id);
    await areAlive(database, 1);

    const acknowledged = sleeper.hasDone({
      when: 'has sent',
      command: 'update',
      collection: 'outbox',
    });
    sleeper.proxy.mend();
    await acknowledged;
    expect(await outbox.findOne({})).toMatchObject({ st: 'p', own: other.own });
    finish();
    while ((await outbox.countDocuments({ st: 'd' })) < 1) await pause(5);

    // Before its next heartbeat it holds nothing, and whoever comes first sends.
    const isBack = (): boolean =>
      attempts.some(({ event, by }) => event.seq > 1 && by === 'sleeper');
    let made = 1;
    while (!isBack()) {
      resultOf(await sleeper.submit(tenant, create(`user-${(made += 1)}`)));
      while ((await outbox.countDocuments({ st: 'd' })) < made) await pause(5);
    }
    const later = attempts.slice(2).map(({ event }) => event.seq);
    expect(later).toEqual(Array.from({ length: made - 1 }, (_, at) => at + 2));
  });
});

const create = (name: string): CommandOf<'user.create'> => ({
  type: 'user.create',
  userId: newId<UserId>(),
  profile: aProfile({ userName: `${name}@example.com` }),
});

const makeTenant = async (instance: MortalInstance): Promise<TenantId> => {
  const tenantId = newId<TenantId>();
  const outcome = await instance.submit<'tenant.create'>(tenantId, {
    type: 'tenant.create',
    slug: 'sleepy',
    name: 'Sleepy',
    seatCapacity: null,
    defaultRole: 'member',
    roomProvisioning: 'manual',
  });
  return resultOf(outcome).id;
};
