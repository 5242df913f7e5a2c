import { emailKey, type User, userNameKey } from '../../domain/user/user.js';
import type { CommitPlan } from '../../pipeline/commit-store.js';
import { insertAll, slicesOf } from './insert-all.js';
import { countBySegment, segmentIncrements, USER_SEGMENT } from '../tables/segments.js';
import { toUserDocument, toUserFields } from '../tables/users.js';
import { changesOf, sortChanges, type SortedChanges, type Transaction } from './transaction.js';

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
  const { collections, session, plan } = transaction;
  await unsetMovingKeys(transaction, changed);
  for (const slice of slicesOf(changed))
    await collections.users.bulkWrite(
      slice.map(({ after }) => ({
        updateOne: {
          filter: { _id: after.id, tenant: plan.tenantId },
          update: { $set: toUserFields(after) },
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
const unsetMovingKeys = async (
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
