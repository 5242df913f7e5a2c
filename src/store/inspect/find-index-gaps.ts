import { isDeepStrictEqual } from 'node:util';
import * as mongo from 'mongodb';
import { ALL_COLLECTIONS } from '../tables/collections.js';
import type { InspectedDatabase } from './inspect-database.js';

/** An index that the gateway creates at start. */
export interface DeclaredIndex {
  readonly collection: string;
  /** Fields in order; 1 ascending, -1 descending. */
  readonly key: Readonly<Record<string, number>>;
  readonly isUnique: boolean;
  /** Its partial filter; undefined: all documents. */
  readonly only: object | undefined;
  readonly expireAfterSeconds: number | undefined;
}

/** An index as a server lists it, or as a descriptor declares it. */
export type IndexShape = Pick<
  mongo.IndexDescription,
  'unique' | 'partialFilterExpression' | 'expireAfterSeconds'
> & { readonly key: unknown };

const readIndex = (collection: string, shape: IndexShape): DeclaredIndex => ({
  collection,
  key: shape.key as DeclaredIndex['key'],
  isUnique: shape.unique === true,
  only: shape.partialFilterExpression,
  expireAfterSeconds: shape.expireAfterSeconds,
});

/** `users (tenant, folded.email)`, descending fields with a minus. */
const nameOfIndex = ({ collection, key }: DeclaredIndex): string => {
  const fields = Object.entries(key).map(([field, order]) => (order < 0 ? `-${field}` : field));
  return `${collection} (${fields.join(', ')})`;
};

/** Every index that the product relies on, besides those of `_id`. */
const DECLARED_INDEXES: readonly DeclaredIndex[] = ALL_COLLECTIONS.flatMap(({ name, indexes }) =>
  indexes.map((index) => readIndex(name, index)),
);

export interface IndexGaps {
  /** No collection exists: no gateway has started on this database. */
  readonly isFresh: boolean;
  readonly declared: number;
  readonly missing: readonly IndexGap[];
  /** Exists with the same fields, but differs otherwise. */
  readonly different: readonly IndexGap[];
}

export interface IndexGap {
  /** `users (tenant, folded.email)` */
  readonly name: string;
  /** Without it, duplicates are possible. */
  readonly isUnique: boolean;
}

const NAMESPACE_NOT_FOUND = 26;

type Existing = ReadonlyMap<string, readonly DeclaredIndex[] | undefined>;

export const findIndexGaps = async ({ database }: InspectedDatabase): Promise<IndexGaps> => {
  const existing = await readExisting(database);
  const sameKey = (declared: DeclaredIndex): DeclaredIndex | undefined =>
    existing
      .get(declared.collection)
      ?.find(({ key }) => JSON.stringify(key) === JSON.stringify(declared.key));
  const isDifferent = (declared: DeclaredIndex): boolean => {
    const found = sameKey(declared);
    return found !== undefined && !isDeepStrictEqual(found, declared);
  };
  return {
    isFresh: [...existing.values()].every((indexes) => indexes === undefined),
    declared: DECLARED_INDEXES.length,
    missing: DECLARED_INDEXES.filter((index) => sameKey(index) === undefined).map(gapOf),
    different: DECLARED_INDEXES.filter(isDifferent).map(gapOf),
  };
};

const gapOf = (index: DeclaredIndex): IndexGap => ({
  name: nameOfIndex(index),
  isUnique: index.isUnique,
});

const readExisting = async (database: mongo.Db): Promise<Existing> => {
  const names = [...new Set(DECLARED_INDEXES.map(({ collection }) => collection))];
  const read = names.map(async (name) => [name, await readIndexes(database, name)] as const);
  return new Map(await Promise.all(read));
};

/** Undefined if the collection does not exist. */
const readIndexes = async (
  database: mongo.Db,
  collection: string,
): Promise<readonly DeclaredIndex[] | undefined> => {
  try {
    const found = await database.collection(collection).listIndexes().toArray();
    return found.map((shape) => readIndex(collection, shape as IndexShape));
  } catch (error) {
    const isAbsent = error instanceof mongo.MongoServerError && error.code === NAMESPACE_NOT_FOUND;
    if (isAbsent) return undefined;
    throw error;
  }
};
