import mongoose, { type mongo } from 'mongoose';

/** A document of a database as text, with its collection. */
export interface DumpedDocument {
  readonly source: string;
  readonly text: string;
}

interface Operation {
  readonly ns?: string;
  readonly o?: { readonly applyOps?: readonly Operation[] };
}

const { EJSON } = mongoose.mongo.BSON;

/**
 * All documents of all collections, and all their earlier versions in the oplog. The source of both
 * is `collection users` and so on; binary values are in base64.
 */
export const dumpDatabase = async (database: mongo.Db, client: mongo.MongoClient) => {
  const dumped: DumpedDocument[] = [];
  const keep = (collection: string, document: unknown): void =>
    void dumped.push({ source: `collection ${collection}`, text: EJSON.stringify(document) });
  for (const { name } of await database.listCollections().toArray())
    for await (const document of database.collection(name).find()) keep(name, document);
  const prefix = `${database.databaseName}.`;
  for await (const entry of client.db('local').collection<Operation>('oplog.rs').find())
    // A transaction's writes are in one entry.
    for (const operation of entry.o?.applyOps ?? [entry])
      if (operation.ns?.startsWith(prefix)) keep(operation.ns.slice(prefix.length), operation);
  return dumped;
};
