import type * as mongo from 'mongodb';
import type { Entities, TableName } from '../../domain/tables.js';
import {
  insertAll,
  slicesOf,
  changesOf,
  sortChanges,
  type SortedChanges,
  type Transaction,
} from './transaction.js';
import { keepKeys, type KeptKeys } from '../kept-keys.js';
import type { Table, UniqueField } from '../tables/table.js';
import { STORED_TABLES } from '../tables/collections.js';
import { emailKey, type User, userNameKey } from '../../domain/user/user.js';
import type { CommitPlan } from '../../pipeline/commit-store.js';
import {
  countBySegment,
  segmentIncrements,
  USER_SEGMENT,
  type SegmentCounts,
  SEGMENTS,
  SMS_SEGMENT,
} from '../tables/segments.js';
import { toUserDocument, toUserFields } from '../tables/users.js';
import { type SmsList, smsListNameKey } from '../../domain/sms/sms-list.js';
import { type SmsListDocument, smsListCodec } from '../tables/sms-lists.js';

/** What every document of a tenant has. */
interface TenantDocument {
  readonly _id: string;
  readonly tenant: string;
}

type Entity = Entities[TableName];

/** Writes the changes of each table whose descriptor says how; a table without changes costs nothing. */
export const writeTables = async (transaction: Transaction): Promise<void> => {
  for (const [name, table] of Object.entries(STORED_TABLES))
    await writeTable(transaction, name as TableName, table as Table<TableName>);
};

/** One statement per kind of change and slice; between two of them the event loop is free. */
const writeTable = async (
  transaction: Transaction,
  tableName: TableName,
  { name, toDocument: encode, unique, insertSize, afterDelete }: Table<TableName>,
): Promise<void> => {
  const { session, plan, seal, keptKeys } = transaction;
  const changes = changesOf(plan, tableName);
  if (!encode || changes.length === 0) return;
  const { database } = transaction.collections;
  const documents = database.collection<TenantDocument>(name);
  const { deleted, changed, added } = sortChanges<Entity>(changes);
  await deleteAll(documents, transaction, deleted);
  await afterDelete?.(deleted, database, session);
  if (unique) await blankMovingKeys(documents, transaction, { changed, ...unique });
  const toDocument = (entity: Entity) => encode(entity, seal) as TenantDocument;
  for (const slice of slicesOf(changed))
    await documents.bulkWrite(
      slice.map(({ after }) => ({
        replaceOne: {
          filter: { _id: after.id, tenant: plan.tenantId },
          replacement: keepKeys(toDocument(after), after.id, keptKeys),
        },
      })),
      { session, ordered: false },
    );
  const size = insertSize === undefined ? {} : { size: insertSize };
  await insertAll(documents, { entities: added, toDocument, ...size }, session);
};

const deleteAll = async (
  documents: mongo.Collection<TenantDocument>,
  { session, plan }: Transaction,
  deleted: SortedChanges<Entity>['deleted'],
): Promise<void> => {
  for (const slice of slicesOf(deleted)) {
    const ids = slice.map(({ id }) => id);
    await documents.deleteMany({ _id: { $in: ids }, tenant: plan.tenantId }, { session });
  }
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

/** Created users in the order of their ids, which is that of lists within one moment. */
export const createdUsers = (plan: CommitPlan): readonly User[] =>
  [...sortChanges(changesOf(plan, 'users')).added].sort((one, other) =>
    one.id < other.id ? -1 : 1,
  );

export const writeUsers = async (transaction: Transaction): Promise<void> => {
  const changes = changesOf(transaction.plan, 'users');
  if (changes.length === 0) return;
  const { deleted, changed } = sortChanges(changes);
  await deleteUsers(transaction, deleted);
  await updateUsers(transaction, changed);
  await insertUsers(transaction);
};

/** Copies them for the audit trail, then deletes them (decisions.md 4). */
const deleteUsers = async (
  { collections: { users, deletedUsers, tenantState }, session, plan }: Transaction,
  deleted: SortedChanges<User>['deleted'],
): Promise<void> => {
  if (deleted.length === 0) return;
  const query = { tenant: plan.tenantId, _id: { $in: deleted.map(({ id }) => id as string) } };
  const documents = await users.find(query, { session, projection: { folded: 0 } }).toArray();
  await deletedUsers.insertMany(
    documents.map((document) => ({ ...document, departedAt: plan.now })),
    { session, ordered: false },
  );
  await users.deleteMany(query, { session });
  const counts = countBySegment(USER_SEGMENT, { removed: documents.map(({ n }) => n) });
  await tenantState.updateOne(
    { _id: plan.tenantId },
    { $inc: segmentIncrements(counts) },
    { session },
  );
};

const updateUsers = async (
  transaction: Transaction,
  changed: SortedChanges<User>['changed'],
): Promise<void> => {
  const { collections, session, plan, keptKeys } = transaction;
  await unsetMovingUserKeys(transaction, changed);
  for (const slice of slicesOf(changed))
    await collections.users.bulkWrite(
      slice.map(({ after }) => ({
        updateOne: {
          filter: { _id: after.id, tenant: plan.tenantId },
          update: { $set: keepKeys(toUserFields(after), after.id, keptKeys) },
        },
      })),
      { session, ordered: false },
    );
};

/**
 * "B: y→z, A: x→y" in one batch is a duplicate key if the net changes are written in the wrong
 * order, so keys that change are unset first (pipeline-rules.md 10). A single change needs no such
 * care.
 */
const unsetMovingUserKeys = async (
  { collections: { users }, session, plan }: Transaction,
  changed: SortedChanges<User>['changed'],
): Promise<void> => {
  const moving = changed.filter(
    ({ before, after }) =>
      userNameKey(before) !== userNameKey(after) || emailKey(before) !== emailKey(after),
  );
  if (moving.length < 2) return;
  await users.updateMany(
    { tenant: plan.tenantId, _id: { $in: moving.map(({ before }) => before.id as string) } },
    { $unset: { 'folded.userName': '', 'folded.email': '' } },
    { session },
  );
};

const insertUsers = async ({
  collections: { users },
  session,
  plan,
}: Transaction): Promise<void> => {
  const toDocument = (user: User, at: number) =>
    toUserDocument(user, plan.version.nextOrdinal + at);
  await insertAll(users, { entities: createdUsers(plan), toDocument }, session);
};

/** Writes SMS lists with the counts of their segments; members are written like other tables. */
export const writeSmsLists = async (transaction: Transaction): Promise<void> => {
  const { collections, session, plan, keptKeys } = transaction;
  const { smsLists } = collections;
  const changes = changesOf(plan, 'smsLists');
  if (changes.length === 0) return;
  const counts = segmentChanges(transaction);
  const { deleted, changed, added } = sortChanges(changes);
  const tenant = plan.tenantId as string;
  if (deleted.length > 0)
    await smsLists.deleteMany({ _id: { $in: deleted.map(({ id }) => id) }, tenant }, { session });
  await unsetMovingListKeys(transaction, changed);
  if (changed.length > 0)
    await smsLists.bulkWrite(
      changed.map(({ after }) => ({
        updateOne: {
          filter: { _id: after.id, tenant },
          update: updateOf(after, counts.get(after.id) ?? {}, keptKeys),
        },
      })),
      { session, ordered: false },
    );
  if (added.length > 0)
    await smsLists.insertMany(
      added.map((list) => ({
        ...smsListCodec.toDocument(list),
        [SEGMENTS]: counts.get(list.id) ?? {},
      })),
      { session, ordered: false },
    );
};

/** The changes of each list's segment counts, by its id. */
const segmentChanges = ({ plan }: Transaction): ReadonlyMap<string, SegmentCounts> => {
  const places = new Map<string, { added: number[]; removed: number[] }>();
  for (const { before, after } of changesOf(plan, 'smsMembers')) {
    const member = after ?? before;
    if (!member || (before && after)) continue;
    const moved = places.get(member.listId) ?? { added: [], removed: [] };
    places.set(member.listId, moved);
    (after ? moved.added : moved.removed).push(member.place);
  }
  return new Map([...places].map(([list, moved]) => [list, countBySegment(SMS_SEGMENT, moved)]));
};

const updateOf = (
  after: SmsList,
  counts: SegmentCounts,
  keptKeys: KeptKeys,
): mongo.UpdateFilter<SmsListDocument> => ({
  $set: keepKeys(smsListCodec.toDocument(after), after.id, keptKeys),
  ...(after.externalId === null && { $unset: { externalId: '' } }),
  ...(Object.keys(counts).length > 0 && { $inc: segmentIncrements(counts) }),
});

/** Lists that swap names or external ids: both are unset first (pipeline-rules.md 10). */
const unsetMovingListKeys = async (
  { collections: { smsLists }, session, plan }: Transaction,
  changed: SortedChanges<SmsList>['changed'],
): Promise<void> => {
  const moving = changed.filter(
    ({ before, after }) =>
      smsListNameKey(before) !== smsListNameKey(after) || before.externalId !== after.externalId,
  );
  if (moving.length < 2) return;
  await smsLists.updateMany(
    { _id: { $in: moving.map(({ after }) => after.id as string) }, tenant: plan.tenantId },
    { $unset: { 'folded.name': '', externalId: '' } },
    { session },
  );
};
