import type { mongo } from 'mongoose';
import type { Entities, TableName } from '../../domain/tables.js';
import { insertAll, slicesOf } from './insert-all.js';
import type { Table, TableWrites, UniqueField } from '../tables/table.js';
import { STORED_TABLES } from '../tables/tables.js';
import { changesOf, sortChanges, type SortedChanges, type Transaction } from './transaction.js';
import { rootCause } from '../database-errors.js';

/** What every document of a tenant has. */
interface TenantDocument {
  readonly _id: string;
  readonly tenant: string;
}

type Entity = Entities[TableName];

/** Writes the changes of each table whose descriptor says how; a table without changes costs nothing. */
export const writeTables = (transaction: Transaction): Promise<void> =>
  runConcurrently(
    Object.entries(STORED_TABLES).map(([name, table]) =>
      writeTable(transaction, name as TableName, table as Table<TableName>),
    ),
  );

/** One statement per kind of change and slice; between two of them the event loop is free. */
const writeTable = async (
  transaction: Transaction,
  name: TableName,
  { collection, writes }: Table<TableName>,
): Promise<void> => {
  const { session, plan, seal } = transaction;
  const changes = changesOf(plan, name);
  if (!writes || changes.length === 0) return;
  const { database } = transaction.collections;
  const documents = database.collection<TenantDocument>(collection.name);
  const { deleted, changed, added } = sortChanges<Entity>(changes);
  await deleteAll(documents, transaction, { deleted, writes });
  if (writes.unique) await blankMovingKeys(documents, transaction, { changed, ...writes.unique });
  const toDocument = (entity: Entity) => writes.toDocument(entity, seal) as TenantDocument;
  for (const slice of slicesOf(changed))
    await documents.bulkWrite(
      slice.map(({ after }) => ({
        replaceOne: {
          filter: { _id: after.id, tenant: plan.tenantId },
          replacement: toDocument(after),
        },
      })),
      { session, ordered: false },
    );
  const size = writes.insertSize === undefined ? {} : { size: writes.insertSize };
  await insertAll(documents, { entities: added, toDocument, ...size }, session);
};

const deleteAll = async (
  documents: mongo.Collection<TenantDocument>,
  { collections: { database }, session, plan }: Transaction,
  {
    deleted,
    writes,
  }: Pick<SortedChanges<Entity>, 'deleted'> & { readonly writes: TableWrites<Entity, unknown> },
): Promise<void> => {
  if (deleted.length === 0) return;
  for (const slice of slicesOf(deleted)) {
    const ids = slice.map(({ id }) => id);
    await documents.deleteMany({ _id: { $in: ids }, tenant: plan.tenantId }, { session });
  }
  await writes.afterDelete?.(deleted, database, session);
};

/** Two entities that swap names: those that give one up are blanked first (pipeline-rules.md 10). */
const blankMovingKeys = async (
  documents: mongo.Collection<TenantDocument>,
  { session, plan }: Transaction,
  { changed, path, keyOf }: Pick<SortedChanges<Entity>, 'changed'> & UniqueField<Entity>,
): Promise<void> => {
  const moving = changed.filter(({ before, after }) => keyOf(before) !== keyOf(after));
  if (moving.length < 2) return;
  await documents.bulkWrite(
    moving.map(({ after: { id: _id } }) => ({
      updateOne: {
        filter: { _id, tenant: plan.tenantId },
        // No entity can have this name.
        update: { $set: { [path]: `\u0000${_id}` } },
      },
    })),
    { session, ordered: false },
  );
};

/**
 * Sends statements of one transaction without waiting for each other's responses. The server runs
 * them one at a time, in any order: each has to check out the session, and waits while it is in use
 * (mongod and mongos alike). This is correct once the first statement has started the transaction,
 * for statements that do not depend on each other, and if all have ended before the transaction is
 * committed or aborted.
 */
export const runConcurrently = async (statements: readonly Promise<void>[]): Promise<void> => {
  const ended = await Promise.allSettled(statements);
  const errors = ended.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  if (errors.length > 0) throw rootCause(errors);
};
