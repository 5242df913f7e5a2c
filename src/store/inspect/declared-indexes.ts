import type { mongo } from 'mongoose';
import { SCHEMA_INDEXES } from '../collections.js';
import { EVENT_INDEXES, EVENTS } from '../event-document.js';
import { ATTEMPT_INDEXES, ATTEMPTS } from '../outbox-attempts.js';
import { OUTBOX, OUTBOX_INDEXES } from '../outbox-document.js';
import { RECOVERIES, RECOVERY_INDEXES } from '../outbox-recoveries.js';
import { RATE_WINDOW_INDEXES, RATE_WINDOWS } from '../shared-rate-limiter.js';

/** An index that the gateway makes at its start. */
export interface DeclaredIndex {
  readonly collection: string;
  /** Fields in order; 1 ascending, -1 descending. */
  readonly key: Readonly<Record<string, number>>;
  readonly isUnique: boolean;
  /** The documents it is for; undefined: all. */
  readonly only: object | undefined;
  readonly expireAfterSeconds: number | undefined;
}

/** How an index stands in the list of a server, or in one of ours. */
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

const PLAIN: readonly (readonly [string, readonly IndexShape[]])[] = [
  [EVENTS, EVENT_INDEXES],
  [OUTBOX, OUTBOX_INDEXES],
  [ATTEMPTS, ATTEMPT_INDEXES],
  [RECOVERIES, RECOVERY_INDEXES],
  [RATE_WINDOWS, RATE_WINDOW_INDEXES],
];

/** Every index that the product relies on, beside those of `_id`. */
export const DECLARED_INDEXES: readonly DeclaredIndex[] = [
  ...SCHEMA_INDEXES.map(
    ([collection, indexes]) =>
      [collection, indexes.map(([key, options]) => ({ ...(options as object), key }))] as const,
  ),
  ...PLAIN,
].flatMap(([collection, shapes]) => shapes.map((shape) => readIndex(collection, shape)));
