import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { afterAll, beforeAll, inject } from 'vitest';
import { createValidatedCollections } from './validated-collections.js';

/**
 * A database of its own for the file or `describe` that calls this, dropped after its tests. Its
 * collections refuse documents with unknown fields; `isEmpty`: it has no collections yet. Call it
 * directly, not in a hook or a test.
 */
export const createTestDatabase = ({ isEmpty = false } = {}): { readonly uri: string } => {
  const server = inject('mongodbUri');
  if (!server) throw new Error('Tests with a database have their own folders: see test/README.md.');
  const uri = new URL(server);
  uri.pathname = `/test-${randomUUID()}`;
  if (!isEmpty) beforeAll(() => withDatabase(uri.href, createValidatedCollections));
  afterAll(() =>
    withDatabase(uri.href, async (database) => {
      await database.dropDatabase();
    }),
  );
  return { uri: uri.href };
};

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
