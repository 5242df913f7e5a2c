import type { mongo } from 'mongoose';
import type { Change } from '../../domain/tables.js';
import type { CommitPlan } from '../../pipeline/commit-store.js';
import type { Collections } from '../tables/collections.js';
import type { Seal } from '../tables/table.js';

/** What the statements of a commit share; the session has the open transaction. */
export interface Transaction {
  readonly collections: Collections;
  readonly session: mongo.ClientSession;
  readonly plan: CommitPlan;
  readonly seal: Seal;
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
