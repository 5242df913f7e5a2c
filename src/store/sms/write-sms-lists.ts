import type { mongo } from 'mongoose';
import { type SmsList, smsListNameKey } from '../../domain/sms/sms-list.js';
import {
  countBySegment,
  type SegmentCounts,
  segmentIncrements,
  SEGMENTS,
  SMS_SEGMENT,
} from '../tables/segments.js';
import { type SmsListDocument, toSmsListFields } from '../tables/sms-lists.js';
import {
  changesOf,
  sortChanges,
  type SortedChanges,
  type Transaction,
} from '../commit/transaction.js';

/** Writes SMS lists with the counts of their segments; members are written like other tables. */
export const writeSmsLists = async (transaction: Transaction): Promise<void> => {
  const { collections, session, plan } = transaction;
  const { smsLists } = collections;
  const changes = changesOf(plan, 'smsLists');
  if (changes.length === 0) return;
  const counts = segmentChanges(transaction);
  const { deleted, changed, added } = sortChanges(changes);
  const tenant = plan.tenantId as string;
  if (deleted.length > 0)
    await smsLists.deleteMany({ _id: { $in: deleted.map(({ id }) => id) }, tenant }, { session });
  await unsetMovingKeys(transaction, changed);
  if (changed.length > 0)
    await smsLists.bulkWrite(
      changed.map(({ after }) => ({
        updateOne: {
          filter: { _id: after.id, tenant },
          update: updateOf(after, counts.get(after.id) ?? {}),
        },
      })),
      { session, ordered: false },
    );
  if (added.length > 0)
    await smsLists.insertMany(
      added.map((list) => ({ ...toSmsListFields(list), [SEGMENTS]: counts.get(list.id) ?? {} })),
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

const updateOf = (after: SmsList, counts: SegmentCounts): mongo.UpdateFilter<SmsListDocument> => ({
  $set: toSmsListFields(after),
  ...(after.externalId === null && { $unset: { externalId: '' } }),
  ...(Object.keys(counts).length > 0 && { $inc: segmentIncrements(counts) }),
});

/** Lists that swap names or external ids: both are unset first (pipeline-rules.md 10). */
const unsetMovingKeys = async (
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
