import type * as mongo from 'mongodb';
import type { Change } from '../../domain/tables.js';
import type { CommitPlan } from '../../pipeline/commit-store.js';
import type { Collections } from '../tables/collections.js';
import type { KeptKeys } from '../kept-keys.js';
import type { Seal } from '../tables/collection.js';

/** What the statements of a commit share; the session has the open transaction. */
export interface Transaction {
  readonly collections: Collections;
  readonly session: mongo.ClientSession;
  readonly plan: CommitPlan;
  readonly seal: Seal;
  readonly keptKeys: KeptKeys;
}

type ChangeOf<T extends Change['table']> = Extract<Change, { readonly table: T }>;

export const changesOf = <T extends Change['table']>(
  { changes }: CommitPlan,
  table: T,
): readonly ChangeOf<T>[] =>
  changes.filter((change): change is ChangeOf<T> => change.table === table);

export interface SortedChanges<Entity> {
  readonly deleted: readonly Entity[];
  readonly changed: readonly { readonly before: Entity; readonly after: Entity }[];
  readonly added: readonly Entity[];
}

export const sortChanges = <Entity>(
  changes: readonly { readonly before: Entity | null; readonly after: Entity | null }[],
): SortedChanges<Entity> => {
  const deleted: Entity[] = [];
  const changed: { readonly before: Entity; readonly after: Entity }[] = [];
  const added: Entity[] = [];
  for (const { before, after } of changes) {
    if (before !== null && after !== null) changed.push({ before, after });
    else if (before !== null) deleted.push(before);
    else if (after !== null) added.push(after);
  }
  return { deleted, changed, added };
};

/**
 * Documents per statement. The driver encodes all of them before it awaits anything: 125 take a
 * millisecond. Statements of 250 cost mongod a
 * fifth more per document (decision 0011).
 */
const SLICE = 125;

/** Splits items into slices of this size. */
export const slicesOf = function* <Item>(
  items: readonly Item[],
  size = SLICE,
): Generator<readonly Item[], void, undefined> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
};

/** Inserts the documents of these entities, slice by slice. */
export const insertAll = async <Document extends mongo.BSON.Document, Entity>(
  collection: mongo.Collection<Document>,
  {
    entities,
    toDocument,
    size,
  }: {
    readonly entities: readonly Entity[];
    readonly toDocument: (entity: Entity, at: number) => mongo.OptionalUnlessRequiredId<Document>;
    /** Documents per statement; absent: as many as take a few milliseconds to encode. */
    readonly size?: number;
  },
  session: mongo.ClientSession,
): Promise<void> => {
  let at = 0;
  for (const slice of slicesOf(entities, size)) {
    const documents = slice.map((entity, index) => toDocument(entity, at + index));
    await collection.insertMany(documents, { session, ordered: false });
    at += slice.length;
  }
};
