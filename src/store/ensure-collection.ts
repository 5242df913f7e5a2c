import { mongo } from 'mongoose';

const NAMESPACE_EXISTS = 48;

/** Makes the collection where it is missing; servers before 7.0 refuse to make one that is there. */
export const ensureCollection = async (database: mongo.Db, name: string): Promise<void> => {
  await database.createCollection(name).catch((error: unknown) => {
    const isThere = error instanceof mongo.MongoServerError && error.code === NAMESPACE_EXISTS;
    if (!isThere) throw error;
  });
};
