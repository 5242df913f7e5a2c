import type * as mongo from 'mongodb';
import type { Entities, IndexName, TableName, TABLES } from '../../domain/tables.js';
import type { CollectionDescriptor, CollectionOf, Seal } from './collection.js';

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

/** Required for a table with page indexes. */
type Pages<T extends TableName> = [PageIndex<T>] extends [never]
  ? { readonly pages?: undefined }
  : { readonly pages: { readonly [Index in PageIndex<T>]: (key: string) => LookupPage } };

/** How the entities of one table (domain/tables.ts) are found, read and written. */
type TableDefinition<T extends TableName, Document> = Pages<T> & {
  /** The field of each index (domain/tables.ts). */
  readonly keys: { readonly [Index in Exclude<IndexName<T>, PageIndex<T>>]: string };
  /** Set where a lookup crosses tenants. */
  readonly acrossTenants?: true;
  /** Undefined for a document that is no entity any more. */
  // A method, so that tables of different documents have one type.
  fromDocument(document: Document, seal: Seal): Entities[T] | undefined;
  /** Absent: read only, or written by a statement of its own (commit/). */
  readonly toDocument?: (entity: Entities[T], seal: Seal) => Document;
  readonly projection?: Readonly<Record<string, 0 | 1>>;
  readonly sort?: Readonly<Record<string, 1>>;
  readonly unique?: UniqueField<Entities[T]>;
  /** Documents of one insert; absent: as many small ones as take a few milliseconds. */
  readonly insertSize?: number;
  /** Runs in the transaction that deletes these entities. */
  readonly afterDelete?: (
    deleted: readonly Entities[T][],
    database: mongo.Db,
    session: mongo.ClientSession,
  ) => Promise<void>;
};

/** A table of any documents, which is their collection, too. */
export type Table<T extends TableName> = TableDefinition<T, mongo.BSON.Document> &
  CollectionDescriptor;

export const defineTable = <
  T extends TableName,
  Document extends mongo.BSON.Document,
  Definition extends TableDefinition<T, Document>,
>(
  _name: T,
  collection: CollectionOf<Document>,
  definition: Definition,
) => ({ ...collection, ...definition });
