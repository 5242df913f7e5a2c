import { type mongo, Schema } from 'mongoose';

/** The mongoose type of a field whose value has this type. */
type FieldType<Value> = [Value] extends [string | null | undefined]
  ? StringConstructor
  : [Value] extends [number | null | undefined]
    ? NumberConstructor
    : [Value] extends [boolean | undefined]
      ? BooleanConstructor
      : [Value] extends [Date | null | undefined]
        ? DateConstructor
        : unknown;

/** A value that the database does not look into, or whose type the compiler checks elsewhere. */
export const MIXED = Schema.Types.Mixed;

/**
 * One collection: the fields and indexes of its documents, and what becomes of them when a tenant is
 * deleted. The list of fields is complete by type, and the test databases refuse a document with
 * any other field (test/support/validators.ts).
 */
export interface CollectionDescriptor {
  readonly name: string;
  readonly fields: object;
  readonly indexes: readonly mongo.IndexDescription[];
  /**
   * When a tenant is deleted, its documents are (purge-tenants.ts)
   * `by tenant`: deleted by their field `tenant`;
   * `last`: deleted by id, after all others;
   * `expires`: marked to expire, because a request in progress may still write them;
   * `never`: kept, because they belong to no tenant.
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

/** The mongoose schema by which a collection and its indexes are created. */
export const schemaOf = ({
  fields,
  indexes,
}: Pick<CollectionDescriptor, 'fields' | 'indexes'>): Schema => {
  const schema = new Schema(fields, {
    versionKey: false,
    autoIndex: false,
    autoCreate: false,
  });
  for (const { key, ...options } of indexes) schema.index(key as Record<string, 1>, options);
  return schema;
};

/** Options of an index over the documents that have this field. */
export const whereSet = (field: string) =>
  ({ partialFilterExpression: { [field]: { $exists: true } } }) as const;

/** Unique among the documents that have this field, so that a key can be unset while it moves (pipeline-rules.md 10). */
export const uniqueWhereSet = (field: string) => ({ unique: true, ...whereSet(field) }) as const;

/** Deletes each document at the time in its field `expireAt`. */
export const EXPIRES = { key: { expireAt: 1 }, expireAfterSeconds: 0 } as const;
