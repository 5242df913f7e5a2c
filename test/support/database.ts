import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { afterAll, beforeAll, inject } from 'vitest';
import { ALL_COLLECTIONS, ensureCollections } from '../../src/store/tables/collections.js';
import { createValidatedCollections } from './validated-collections.js';

/** The address of a database of the suite's mongod. */
export const databaseUri = (name: string): string => {
  const server = inject('mongodbUri');
  if (!server) throw new Error('Tests with a database have their own folders: see test/README.md.');
  const uri = new URL(server);
  uri.pathname = `/${name}`;
  return uri.href;
};

/** Databases of this process that no file uses any more. */
const unused: string[] = [];
/** What an earlier file began, such as a commit that was cut off, ends while others are used. */
const RESTING = 2;
/** Of a database that no test has changed. */
let standard: string | undefined;

/**
 * A database of its own for the file or `describe` that calls this. Its collections refuse documents
 * with unknown fields; `isEmpty`: it has no collections yet. Call it directly, not in a hook or a test.
 */
export const createTestDatabase = ({ isEmpty = false } = {}): { readonly uri: string } => {
  const given = isEmpty || unused.length <= RESTING ? undefined : unused.shift();
  const uri = given ?? databaseUri(`test-${randomUUID()}`);
  if (!isEmpty && given === undefined)
    beforeAll(() =>
      withDatabase(uri, async (database, client) => {
        await createValidatedCollections(database);
        await ensureCollections(client);
        standard ??= await structureOf(database);
      }),
    );
  afterAll(() =>
    withDatabase(uri, async (database) => {
      try {
        if ((await structureOf(database)) === standard) {
          await clearDatabase(database);
          unused.push(uri);
        } else await database.dropDatabase(LIMIT);
      } catch (error) {
        // A transaction that a test cut off keeps its locks for 15 s; the database ends with the run.
        if (!isTimeout(error)) throw error;
      }
    }),
  );
  return { uri };
};

const LIMIT = { maxTimeMS: 1_000 };

/** Deletes all documents: faster by far than to create the collections and indexes again. */
export const clearDatabase = async (database: mongoose.mongo.Db): Promise<void> => {
  await Promise.all(
    ALL_COLLECTIONS.map(({ name }) => database.collection(name).deleteMany({}, LIMIT)),
  );
};

/** The collections with their validators and indexes, which tests may change. */
const structureOf = async (database: mongoose.mongo.Db): Promise<string> => {
  const collections = await database.listCollections({}, { nameOnly: false }).toArray();
  const parts = collections.map(async ({ name, options, type }) => {
    const indexes = type === 'collection' ? await database.collection(name).indexes() : [];
    return JSON.stringify([name, options, indexes]);
  });
  return (await Promise.all(parts)).sort().join();
};

/** MaxTimeMSExpired. */
const isTimeout = (error: unknown): boolean =>
  error instanceof mongoose.mongo.MongoServerError && error.code === 50;

const withDatabase = async (
  uri: string,
  work: (database: mongoose.mongo.Db, client: mongoose.mongo.MongoClient) => Promise<void>,
): Promise<void> => {
  const client = new mongoose.mongo.MongoClient(uri);
  try {
    await work(client.db(), client);
  } finally {
    await client.close();
  }
};
