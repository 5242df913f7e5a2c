import type { mongo } from 'mongoose';
import { ALL_COLLECTIONS } from '../tables/collections.js';

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

export const readIndex = (collection: string, shape: IndexShape): DeclaredIndex => ({
  collection,
  key: shape.key as DeclaredIndex['key'],
  isUnique: shape.unique === true,
  only: shape.partialFilterExpression,
  expireAfterSeconds: shape.expireAfterSeconds,
});

/** `users (tenant, folded.email)`, descending fields with a minus. */
export const nameOfIndex = ({ collection, key }: DeclaredIndex): string => {
  const fields = Object.entries(key).map(([field, order]) => (order < 0 ? `-${field}` : field));
  return `${collection} (${fields.join(', ')})`;
};

/** Every index that the product relies on, besides those of `_id`. */
export const DECLARED_INDEXES: readonly DeclaredIndex[] = ALL_COLLECTIONS.flatMap(
  ({ name, indexes }) => indexes.map((index) => readIndex(name, index)),
);
