import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { afterAll, beforeAll, inject } from 'vitest';
import { createValidatedCollections } from './validated-collections.js';

/** The address of a database of the suite's mongod. */
export const databaseUri = (name: string): string => {
  const server = inject('mongodbUri');
  if (!server) throw new Error('Tests with a database have their own folders: see test/README.md.');
  const uri = new URL(server);
  uri.pathname = `/${name}`;
  return uri.href;
};

/**
 * A database of its own for the file or `describe` that calls this, dropped after its tests. Its
 * collections refuse documents with unknown fields; `isEmpty`: it has no collections yet. Call it
 * directly, not in a hook or a test.
 */
export const createTestDatabase = ({ isEmpty = false } = {}): { readonly uri: string } => {
  const uri = databaseUri(`test-${randomUUID()}`);
  if (!isEmpty) beforeAll(() => withDatabase(uri, createValidatedCollections));
  afterAll(() =>
    withDatabase(uri, async (database) => {
      // A transaction that a test cut off keeps its locks for 15 s; the database ends with the run.
      await database.dropDatabase({ maxTimeMS: 1_000 }).catch((error: unknown) => {
        if (!isTimeout(error)) throw error;
      });
    }),
  );
  return { uri };
};

/** MaxTimeMSExpired. */
const isTimeout = (error: unknown): boolean =>
  error instanceof mongoose.mongo.MongoServerError && error.code === 50;

const withDatabase = async (
  uri: string,
  work: (database: mongoose.mongo.Db) => Promise<void>,
): Promise<void> => {
  const client = new mongoose.mongo.MongoClient(uri);
  try {
    await work(client.db());
  } finally {
    await client.close();
  }
};
