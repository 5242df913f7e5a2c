import { setTimeout as pause } from 'node:timers/promises';
import mongoose from 'mongoose';
import { afterAll, describe, expect, it } from 'vitest';
import { createCleanup } from '../../tools/shared/cleanup.js';
import { openContext } from '../../tools/shared/faults/context.js';
import { findProblems } from '../../tools/shared/faults/find-problems.js';
import { createLedger, runClient } from '../../tools/shared/faults/ledger.js';
import { clientsOf, waitForDeliveries } from '../../tools/shared/faults/run-under-load.js';
import { readStoredState } from '../../tools/shared/faults/stored-state.js';
import type { TenantId } from '../../src/domain/kernel/ids.js';
import { resultOf } from '../../src/pipeline/submit.js';
import type { Delivery, DeliveryOutcome } from '../../src/plugin/contract/contract.js';
import { createUserCommand } from '../support/builders.js';
import { createTestDatabase } from '../support/database.js';
import { createGate } from '../support/gate.js';
import { deliveriesSettled, KillableInstance } from '../support/killable-instance.js';

const cleanUp = createCleanup();
afterAll(cleanUp.run);

const connectTo = async (uri: string): Promise<mongoose.mongo.Db> => {
  const client = await new mongoose.mongo.MongoClient(uri).connect();
  cleanUp.defer(() => client.close());
  return client.db();
};

/** Waits until the database lists this number of live instances. */
const untilAlive = async (database: mongoose.mongo.Db, count: number): Promise<void> => {
  while ((await database.collection('instances').countDocuments()) !== count) await pause(20);
};

describe('a gateway process that is suspended until it counts as dead, and resumed', () => {
  const { uri } = createTestDatabase();

  it('loses nothing and repeats no command, and the other instance continues', async () => {
    const database = await connectTo(uri);
    const context = await openContext(uri, cleanUp);
    const [suspended, other] = await Promise.all([context.startGateway(), context.startGateway()]);
    const slugs = ['one', 'two'];
    const tenants = await Promise.all(slugs.map((slug) => context.createTenant(other.url, slug)));
    const registrations = await Promise.all(
      tenants.map((tenant) => context.subscribe(other.url, tenant)),
    );
    await untilAlive(database, 2);
    const creates = 600;
    const ledger = createLedger({ seed: 0, creates }, slugs);
    const clients = [suspended, other].flatMap((gateway) =>
      Array.from({ length: 12 }, () => runClient(ledger, clientsOf(tenants, [gateway]))),
    );
    const untilAcknowledged = async (count: number): Promise<void> => {
      while (ledger.acknowledged() < count) await pause(2);
    };

    await untilAcknowledged(100);
    suspended.signal('SIGSTOP');
    await untilAlive(database, 1);
    // Its transactions and locks are released: both tenants make progress without it.
    await untilAcknowledged(300);
    suspended.signal('SIGCONT');
    await untilAlive(database, 2);
    await Promise.all(clients);
    await waitForDeliveries(context, tenants, creates);
    // The receiver has them all, some from the resumed instance, which no longer owned them: the
    // other one sends these again.
    for (const { id } of tenants) await deliveriesSettled(database, id as TenantId);
    const exits = [suspended, other].map(async (gateway) => {
      gateway.signal('SIGTERM');
      return gateway.ended;
    });
    expect(await Promise.all(exits)).toEqual([0, 0]);

    const { problems } = findProblems({
      entries: ledger.entries,
      requests: context.receiver.requests,
      registrations,
      states: await readStoredState(uri, tenants),
      // When resumed it sends the deliveries in its memory: at most 250 per registration.
      maxRepeats: 500,
    });
    expect(problems).toEqual([]);
    expect(ledger.unexpected).toEqual([]);
  }, 120_000);
});

describe('an instance whose result arrives after another has taken over', () => {
  const { uri } = createTestDatabase();

  it('moves no position, and continues to work', async () => {
    const database = await connectTo(uri);
    const attempts: (Delivery & { readonly by: string })[] = [];
    const response = createGate<DeliveryOutcome>();
    const frozen = await KillableInstance.start({
      uri,
      receive: (delivery) => {
        attempts.push({ ...delivery, by: 'frozen' });
        // The receiver got the delivery; the result will not reach the database.
        if (attempts.length === 1) frozen.proxy.freeze();
        return Promise.resolve({ kind: 'delivered' });
      },
    });
    cleanUp.defer(() => frozen.stop());
    const tenant = await frozen.createTenant('acme');
    while (
      (await database.collection('stream_partitions').countDocuments({ n: 0, owner: null })) > 0
    )
      await pause(5);
    resultOf(await frozen.submit(tenant, createUserCommand()));
    const other = await KillableInstance.start({
      uri,
      receive: (delivery) => {
        attempts.push({ ...delivery, by: 'other' });
        return response.opened;
      },
    });
    cleanUp.defer(() => other.stop());
    while (attempts.length < 2) await pause(5);
    expect(attempts.map(({ by }) => by)).toEqual(['frozen', 'other']);
    expect(attempts[1]?.id).toBe(attempts[0]?.id);
    await untilAlive(database, 1);

    frozen.proxy.restore();
    await untilAlive(database, 2);
    expect(await database.collection('cursors').findOne({ tenant })).toMatchObject({ low: 0 });
    response.open({ kind: 'delivered' });
    await deliveriesSettled(database, tenant);
    for (let created = 0; created < 5; created += 1) {
      resultOf(await frozen.submit(tenant, createUserCommand()));
      await deliveriesSettled(database, tenant);
    }
    expect(attempts.slice(2).map(({ event }) => event.seq)).toEqual([2, 3, 4, 5, 6]);
  });
});
