import mongoose, { type mongo } from 'mongoose';

/** All that stands at one place of a database, as text. */
export interface Dumped {
  readonly place: string;
  readonly text: string;
}

interface Operation {
  readonly ns?: string;
  readonly o?: { readonly applyOps?: readonly Operation[] };
}

const { EJSON } = mongoose.mongo.BSON;

/**
 * Every document of every collection, and every document that ever was: the oplog keeps what was
 * written and changed since. Both as `collection users`; binary values are in base64.
 */
export const dumpDatabase = async (database: mongo.Db, client: mongo.MongoClient) => {
  const dumped: Dumped[] = [];
  const keep = (collection: string, document: unknown): void =>
    void dumped.push({ place: `collection ${collection}`, text: EJSON.stringify(document) });
  for (const { name } of await database.listCollections().toArray())
    for await (const document of database.collection(name).find()) keep(name, document);
  const prefix = `${database.databaseName}.`;
  for await (const entry of client.db('local').collection<Operation>('oplog.rs').find())
    // The writes of a transaction stand in one entry.
    for (const operation of entry.o?.applyOps ?? [entry])
      if (operation.ns?.startsWith(prefix)) keep(operation.ns.slice(prefix.length), operation);
  return dumped;
};
