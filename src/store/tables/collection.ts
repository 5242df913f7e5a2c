import type * as mongo from 'mongodb';
import type { DocumentWith } from './fields.js';

/**
 * One collection: its fields and indexes, and what the purge does with it. The type of its documents
 * follows from the fields, and test databases refuse a document with any other field
 * (test/support/validated-collections.ts).
 */
export interface CollectionDescriptor {
  readonly name: string;
  readonly fields: object;
  /** Default: that of `_id` alone. */
  readonly indexes: readonly mongo.IndexDescription[];
  /**
   * What the purge of a deleted tenant does with its documents (upkeep.ts):
   * `by tenant`: deletes them by their field `tenant`;
   * `last`: deletes them by id, after all others;
   * `expires`: nothing; they were marked to expire, because a request in progress may still write
   * them;
   * `never` (default): nothing; they belong to no tenant.
   */
  readonly purge: 'by tenant' | 'last' | 'expires' | 'never';
}

/** A collection of documents of this type. */
export interface CollectionOf<Document extends object> extends CollectionDescriptor {
  /** The driver's collection: documents are read and written without mongoose (decision 0006). */
  readonly in: (database: mongo.Db) => mongo.Collection<Document>;
}

/** The documents of a collection. */
export type DocumentOf<Collection> =
  Collection extends CollectionOf<infer Document> ? Document : never;

interface Declaration<Fields extends object> extends Partial<CollectionDescriptor> {
  readonly name: string;
  readonly fields: Fields;
}

type AnyFields = Readonly<Record<string, object>>;

/** The type of the documents follows from the fields. */
export const defineCollection = <Fields extends AnyFields>(
  definition: Declaration<Fields>,
): CollectionOf<DocumentWith<Fields>> => ({
  indexes: [],
  purge: 'never',
  ...definition,
  in: (database) => database.collection<DocumentWith<Fields>>(definition.name),
});

/** What every document of a tenant has. */
const IDENTITY = { _id: String, tenant: String };

/** A collection whose documents belong to tenants, and are deleted with them. */
export const defineTenantCollection = <Fields extends AnyFields>({
  fields,
  ...definition
}: Declaration<Fields>): CollectionOf<DocumentWith<typeof IDENTITY & Fields>> =>
  defineCollection<typeof IDENTITY & Fields>({
    ...definition,
    fields: { ...IDENTITY, ...fields },
    purge: 'by tenant',
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
export const expireLater = async (
  notes: Pick<mongo.Collection<Expirable>, 'bulkWrite'>,
  ids: readonly string[],
  session?: mongo.ClientSession,
): Promise<void> => {
  if (ids.length === 0) return;
  const update = [{ $set: { expireAt: { $add: ['$$NOW', EXPIRE_AFTER_MS] } } }];
  await notes.bulkWrite(
    ids.map((_id) => ({ updateOne: { filter: { _id }, update, upsert: true } })),
    { ordered: false, ...(session && { session }) },
  );
};

/** Encrypts and decrypts what must not be readable in the database. */
export interface Seal {
  readonly seal: (plain: string) => string;
  readonly unseal: (sealed: string) => string;
}
