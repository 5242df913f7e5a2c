import { isDeepStrictEqual } from 'node:util';
import * as mongo from 'mongodb';
import { ALL_COLLECTIONS, shapeOf } from '../tables/collections.js';
import type { InspectedDatabase } from './inspect-database.js';

/** An index that the gateway creates at start. */
interface DeclaredIndex {
  readonly collection: string;
  readonly index: mongo.IndexDescription;
}

/** Every index that the product relies on, besides those of `_id`. */
const DECLARED_INDEXES: readonly DeclaredIndex[] = ALL_COLLECTIONS.flatMap(({ name, indexes }) =>
  indexes.map((index) => ({ collection: name, index })),
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
  /** `users (tenant, folded.email)`, descending fields with a minus. */
  readonly name: string;
  /** Without it, duplicates are possible. */
  readonly isUnique: boolean;
}

const gapOf = ({ collection, index: { key, unique } }: DeclaredIndex): IndexGap => {
  const fields = Object.entries(key).map(([field, order]) => (order === -1 ? `-${field}` : field));
  return { name: `${collection} (${fields.join(', ')})`, isUnique: unique === true };
};

const NAMESPACE_NOT_FOUND = 26;

type Shape = ReturnType<typeof shapeOf>;

export const findIndexGaps = async ({ database }: InspectedDatabase): Promise<IndexGaps> => {
  const read = ALL_COLLECTIONS.map(
    async ({ name }) => [name, await readIndexes(database, name)] as const,
  );
  const existing = new Map(await Promise.all(read));
  const sameKey = ({ collection, index }: DeclaredIndex): Shape | undefined =>
    existing.get(collection)?.find(({ key }) => key === shapeOf(index).key);
  const isDifferent = (declared: DeclaredIndex): boolean => {
    const found = sameKey(declared);
    return found !== undefined && !isDeepStrictEqual(found, shapeOf(declared.index));
  };
  return {
    isFresh: [...existing.values()].every((indexes) => indexes === undefined),
    declared: DECLARED_INDEXES.length,
    missing: DECLARED_INDEXES.filter((index) => sameKey(index) === undefined).map(gapOf),
    different: DECLARED_INDEXES.filter(isDifferent).map(gapOf),
  };
};

/** Undefined if the collection does not exist. */
const readIndexes = async (
  database: mongo.Db,
  collection: string,
): Promise<readonly Shape[] | undefined> => {
  try {
    return (await database.collection(collection).listIndexes().toArray()).map(shapeOf);
  } catch (error) {
    const isAbsent = error instanceof mongo.MongoServerError && error.code === NAMESPACE_NOT_FOUND;
    if (isAbsent) return undefined;
    throw error;
  }
};
