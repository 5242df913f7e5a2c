import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { mongo } from 'mongoose';
import { collectionsOf } from '../../src/store/tables/collections.js';
import { mongoLeaseStore } from '../../src/store/leases.js';
import { mongoPluginCollection } from '../../src/store/plugin-documents.js';
import { openSessionPool, type SessionPool } from '../../src/store/commit/session-pool.js';
import { pluginStorageContract, type StorageBench } from '../contract/plugin-storage-contract.js';
import { useDatabase } from '../support/core.js';

const { open } = useDatabase();
let database: mongo.Db;
let sessions: SessionPool;

beforeAll(async () => {
  const collections = collectionsOf(await open());
  database = collections.database;
  sessions = openSessionPool(collections.client, 4);
});
afterAll(() => sessions.close());

/** As if everything had been written so much earlier. */
const pass = async (ms: number): Promise<void> => {
  const earlier = (field: string) => ({ [field]: { $subtract: [`$${field}`, ms] } });
  await database
    .collection('leases')
    .updateMany({}, [{ $set: { ...earlier('freeAt'), ...earlier('takenAt') } }]);
  await database
    .collection('plugin_documents')
    .updateMany({ expireAt: { $type: 'date' } }, [{ $set: earlier('expireAt') }]);
};

const openBench = (): Promise<StorageBench> =>
  Promise.resolve({
    leases: mongoLeaseStore(database),
    collectionOf: (plugin, collection) =>
      mongoPluginCollection({ database, sessions, clock: () => new Date() }, plugin, collection),
    pass,
  });

describe('what plugins store in MongoDB', () => {
  pluginStorageContract(openBench);

  it('is not written by a holder who loses the lease while it writes', async () => {
    // Given a holder whose lease ends in the middle of a fenced write
    const { leases, collectionOf } = await openBench();
    const entries = collectionOf('racing', 'entries');
    const taken = await leases.take({ lease: 'race', owner: 'one', ttlMs: 60_000 });
    const { fence } = taken as Extract<typeof taken, { fence: unknown }>;
    // Handled from the start: the write may fail before the other holder has the lease.
    const write = entries
      .put(
        null,
        Array.from({ length: 1_000 }, (_, n) => ({ key: `k${n}`, value: { n } })),
        { fence },
      )
      .then(
        () => 1_000,
        () => 0,
      );
    // When another one takes the lease before the write ends
    await pass(120_000);
    await leases.take({ lease: 'race', owner: 'two', ttlMs: 60_000 });
    // Then all of it is written before that, or nothing
    const written = await write;
    expect(await database.collection('plugin_documents').countDocuments({ plugin: 'racing' })).toBe(
      written,
    );
  });
});
