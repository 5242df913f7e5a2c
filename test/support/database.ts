import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { afterAll, inject } from 'vitest';

/**
 * * A new database, dropped after the tests of the calling file or `describe`. Do not call it
 * inside a hook or a test.
 */
export const createTestDatabase = (): { readonly uri: string } => {
  const uri = new URL(inject('mongodbUri'));
  uri.pathname = `/test-${randomUUID()}`;
  afterAll(() => dropDatabase(uri.href));
  return { uri: uri.href };
};

const dropDatabase = async (uri: string): Promise<void> => {
  const client = new mongoose.mongo.MongoClient(uri);
  try {
    await client.db().dropDatabase();
  } finally {
    await client.close();
  }
};
