import type { mongo } from 'mongoose';
import type { RememberedAnswer } from '../domain/remembered-answer.js';
import type { Change } from '../domain/tables.js';
import { userNameKey, emailKey, type User } from '../domain/user.js';
import type { CommitPlan } from '../pipeline/commit-store.js';
import { toApiKeyDocument } from './api-key-document.js';
import type { Collections } from './collections.js';
import { expireLater } from './forget-later.js';
import { insertAll, slicesOf } from './in-slices.js';
import { segmentIncrements } from './order-of-creation.js';
import { noteIdOf } from './plugin-notes.js';
import { toPluginRecordDocument } from './plugin-record-document.js';
import { type Seal, toRememberedAnswerDocument } from './remembered-answer-document.js';
import { toUserDocument, toUserFields } from './user-document.js';

/** Everything a writer needs: the open transaction is the session's. */
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

const byId = (one: User, other: User): number => (one.id < other.id ? -1 : 1);

/** Users who come to be, in the order of their ids: within one moment that is the order of lists. */
export const createdUsers = (plan: CommitPlan): readonly User[] =>
  changesOf(plan, 'users')
    .flatMap(({ before, after }) => (before === null && after !== null ? [after] : []))
    .sort(byId);

export const writeUsers = async (transaction: Transaction): Promise<void> => {
  const changes = changesOf(transaction.plan, 'users');
  if (changes.length === 0) return;
  await deleteUsers(transaction);
  await updateUsers(transaction);
  await insertUsers(transaction);
};

/** What is left of them is for the audit trail alone (decisions.md 4). */
const deleteUsers = async ({
  collections: { users, deletedUsers, tenantState },
  session,
  plan,
}: Transaction): Promise<void> => {
  const ids = changesOf(plan, 'users').flatMap(({ before, after }) =>
    before !== null && after === null ? [before.id as string] : [],
  );
  if (ids.length === 0) return;
  const query = { tenant: plan.tenantId, _id: { $in: ids } };
  const deleted = await users.find(query, { session, projection: { folded: 0 } }).toArray();
  await deletedUsers.insertMany(
    deleted.map((document) => ({ ...document, departedAt: plan.now })),
    { session, ordered: false },
  );
  await users.deleteMany(query, { session });
  const counts = segmentIncrements({ removed: deleted.map(({ n }) => n) });
  await tenantState.updateOne({ _id: plan.tenantId }, { $inc: counts }, { session });
};

const updateUsers = async ({
  collections: { users },
  session,
  plan,
}: Transaction): Promise<void> => {
  const changed = changesOf(plan, 'users').flatMap(({ before, after }) =>
    before !== null && after !== null ? [{ before, after }] : [],
  );
  if (changed.length === 0) return;
  await blankMovingKeys(changed, async (ids) => {
    await users.updateMany(
      { tenant: plan.tenantId, _id: { $in: ids } },
      { $unset: { 'folded.userName': '', 'folded.email': '' } },
      { session },
    );
  });
  for (const some of slicesOf(changed))
    await users.bulkWrite(
      some.map(({ after }) => ({
        updateOne: {
          filter: { _id: after.id, tenant: plan.tenantId },
          update: { $set: toUserFields(after) },
        },
      })),
      { session, ordered: false },
    );
};

/**
 * "B: y→z, A: x→y" in one batch is a duplicate key on the net writes, in the wrong order: whoever
 * gives up a key is blanked first (pipeline-rules.md 10). One change alone needs no such care.
 */
const blankMovingKeys = async (
  changed: readonly { readonly before: User; readonly after: User }[],
  blank: (ids: string[]) => Promise<void>,
): Promise<void> => {
  if (changed.length < 2) return;
  const moving = changed.filter(
    ({ before, after }) =>
      userNameKey(before) !== userNameKey(after) || emailKey(before) !== emailKey(after),
  );
  if (moving.length > 1) await blank(moving.map(({ before }) => before.id));
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

export const writeApiKeys = async ({
  collections: { apiKeys, apiKeyUses },
  session,
  plan,
}: Transaction): Promise<void> => {
  for (const { before, after } of changesOf(plan, 'apiKeys')) {
    if (after) await apiKeys.insertOne(toApiKeyDocument(after), { session });
    else if (before) {
      await apiKeys.deleteOne({ _id: before.id, tenant: plan.tenantId }, { session });
      await expireLater(apiKeyUses, [before.id], session);
    }
  }
};

export const writePluginRecords = async ({
  collections: { pluginRecords, pluginNotes },
  session,
  plan,
}: Transaction): Promise<void> => {
  const tenant: string = plan.tenantId;
  for (const { before, after } of changesOf(plan, 'pluginRecords')) {
    const filter = { _id: (after ?? before)?.id ?? '', tenant };
    if (!after) {
      await pluginRecords.deleteOne(filter, { session });
      const note = before && noteIdOf({ plugin: before.plugin, tenant, record: before.id });
      await expireLater(pluginNotes, note ? [note] : [], session);
    } else if (before)
      await pluginRecords.replaceOne(filter, toPluginRecordDocument(after), { session });
    else await pluginRecords.insertOne(toPluginRecordDocument(after), { session });
  }
};

export const writeRememberedAnswers = async ({
  collections: { rememberedAnswers },
  session,
  plan,
  seal,
}: Transaction): Promise<void> => {
  const changes = changesOf(plan, 'rememberedAnswers');
  const expired = changes.flatMap(({ before }) => before?.id ?? []);
  if (expired.length > 0)
    await rememberedAnswers.deleteMany(
      { _id: { $in: expired }, tenant: plan.tenantId },
      { session },
    );
  const entities = changes.flatMap(({ after }) => after ?? []);
  const toDocument = (answer: RememberedAnswer) => toRememberedAnswerDocument(answer, seal);
  await insertAll(rememberedAnswers, { entities, toDocument }, session);
};
