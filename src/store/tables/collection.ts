import type * as mongo from 'mongodb';
import type { Entities, IndexName, TableName, TABLES } from '../../domain/tables.js';

/** The mongoose type of a field whose value has this type. mongoose itself is loaded only to create. */
type FieldType<Value> = [Value] extends [string | null | undefined]
  ? StringConstructor
  : [Value] extends [number | null | undefined]
    ? NumberConstructor
    : [Value] extends [boolean | undefined]
      ? BooleanConstructor
      : [Value] extends [Date | null | undefined]
        ? DateConstructor
        : unknown;

/** A nested value, whose type the compiler checks: in mongoose, `Mixed`. */
export const MIXED = Object;

/**
 * One collection: its fields and indexes, and what the purge does with it. The list of fields is
 * complete by type, and test databases refuse a document with any other field
 * (test/support/validated-collections.ts).
 */
export interface CollectionDescriptor {
  readonly name: string;
  readonly fields: object;
  readonly indexes: readonly mongo.IndexDescription[];
  /**
   * What the purge of a deleted tenant does with its documents (upkeep.ts):
   * `by tenant`: deletes them by their field `tenant`;
   * `last`: deletes them by id, after all others;
   * `expires`: nothing; they were marked to expire, because a request in progress may still write
   * them;
   * `never`: nothing; they belong to no tenant.
   */
  readonly purge: 'by tenant' | 'last' | 'expires' | 'never';
}

/** A collection of documents of this type. */
export interface CollectionOf<Document extends object> extends CollectionDescriptor {
  readonly fields: {
    readonly [Field in keyof Required<Document>]: FieldType<Required<Document>[Field]>;
  };
  /** The driver's collection: documents are read and written without mongoose (decision 0006). */
  readonly in: (database: mongo.Db) => mongo.Collection<Document>;
}

export const defineCollection = <Document extends object>(
  definition: Omit<CollectionOf<Document>, 'in'>,
): CollectionOf<Document> => ({
  ...definition,
  in: (database) => database.collection<Document>(definition.name),
});

/** Options of an index over the documents that have this field. */
export const whereSet = (field: string) =>
  ({ partialFilterExpression: { [field]: { $exists: true } } }) as const;

/** Unique among the documents that have this field, so that a key can be unset while it moves (pipeline-rules.md 10). */
export const uniqueWhereSet = (field: string) => ({ unique: true, ...whereSet(field) }) as const;

/** Deletes each document at the time in its field `expireAt`. */
export const EXPIRES = { key: { expireAt: 1 }, expireAfterSeconds: 0 } as const;

interface Expirable {
  readonly _id: string;
  readonly expireAt?: Date;
}

/** By then no request or delivery in progress can write it any more. */
const EXPIRE_AFTER_MS = 3_600_000;

/**
 * Makes the database delete operational notes in an hour, whether or not they exist yet: their
 * subject is deleted now, but a delivery or request in progress, on this or another gateway, may
 * still write one. Such a write keeps `expireAt`, so that no note outlives its subject.
 */
export const expireLater = async <Document extends Expirable>(
  notes: mongo.Collection<Document>,
  ids: readonly string[],
  session?: mongo.ClientSession,
): Promise<void> => {
  if (ids.length === 0) return;
  // The driver's filter types do not accept a generic document; all have these two fields.
  const documents = notes as unknown as mongo.Collection<Expirable>;
  const update = [{ $set: { expireAt: { $add: ['$$NOW', EXPIRE_AFTER_MS] } } }];
  await documents.bulkWrite(
    ids.map((_id) => ({ updateOne: { filter: { _id }, update, upsert: true } })),
    { ordered: false, ...(session && { session }) },
  );
};

/** Encrypts and decrypts what must not be readable in the database. */
export interface Seal {
  readonly seal: (plain: string) => string;
  readonly unseal: (sealed: string) => string;
}

/** Indexes of a table that are served by a page in a fixed order rather than by a key. */
type PageIndex<T extends TableName> = {
  [Index in IndexName<T>]: (typeof TABLES)[T][Index] extends { readonly select: unknown }
    ? Index
    : never;
}[IndexName<T>];

/** The documents of a page index; conditions on the tenant are added. */
export interface LookupPage {
  readonly conditions: object;
  readonly sort: Readonly<Record<string, 1>>;
  readonly limit: number;
}

/** A field whose value is unique in its tenant, and moves between documents when two are renamed. */
export interface UniqueField<Entity> {
  readonly path: string;
  readonly keyOf: (entity: Entity) => string | null;
}

/** How a commit writes the entities of a table. */
export interface TableWrites<Entity, Document> {
  readonly toDocument: (entity: Entity, seal: Seal) => Document;
  readonly unique?: UniqueField<Entity>;
  /** Documents of one insert; absent: as many small ones as take a few milliseconds. */
  readonly insertSize?: number;
  /** Runs in the transaction that deletes these entities. */
  readonly afterDelete?: (
    deleted: readonly Entity[],
    database: mongo.Db,
    session: mongo.ClientSession,
  ) => Promise<void>;
}

/** Required for a table with page indexes. */
type Pages<T extends TableName> = [PageIndex<T>] extends [never]
  ? { readonly pages?: undefined }
  : { readonly pages: { readonly [Index in PageIndex<T>]: (key: string) => LookupPage } };

type TableDefinition<T extends TableName, Document> = Pages<T> & {
  /** The field of each index (domain/tables.ts). */
  readonly keys: { readonly [Index in Exclude<IndexName<T>, PageIndex<T>>]: string };
  /** Set where a lookup crosses tenants. */
  readonly acrossTenants?: true;
  /** Undefined for a document that is no entity any more. */
  readonly fromDocument: (document: Document, seal: Seal) => Entities[T] | undefined;
  readonly projection?: Readonly<Record<string, 0 | 1>>;
  readonly sort?: Readonly<Record<string, 1>>;
  /** Absent: read only, or written by a statement of its own (commit/). */
  readonly writes?: TableWrites<Entities[T], Document>;
};

/** How the entities of one table (domain/tables.ts) are found, read and written. */
export type Table<T extends TableName> = TableDefinition<T, mongo.BSON.Document> & {
  readonly collection: CollectionDescriptor;
};

export const defineTable = <T extends TableName, Document extends object>(
  collection: CollectionOf<Document>,
  definition: TableDefinition<T, Document>,
): Table<T> => ({ ...definition, collection }) as unknown as Table<T>;
