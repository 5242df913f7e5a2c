import type { mongo } from 'mongoose';
import { type SmsList, smsListNameKey } from '../domain/sms-list.js';
import { countBySmsSegment } from './sms-order.js';
import { toSmsJobPartDocument, toSmsListDocument, toSmsMemberDocument } from './sms-document.js';
import type { SmsListDocument } from './sms-documents.js';
import { changesOf, type Transaction } from './write-changes.js';
import { writeAll } from './write-rosters.js';

/** Parts of a job sent in one go: each is some fifty kilobytes, of hundreds of members. */
const PARTS_PER_INSERT = 4;

type Counts = Readonly<Record<string, number>>;

/** How the stretches of each list change, by its id. */
const segmentChanges = ({ plan }: Transaction): ReadonlyMap<string, Counts> => {
  const places = new Map<string, { added: number[]; removed: number[] }>();
  for (const { before, after } of changesOf(plan, 'smsMembers')) {
    const member = after ?? before;
    if (!member || (before && after)) continue;
    const known = places.get(member.listId) ?? { added: [], removed: [] };
    places.set(member.listId, known);
    (after ? known.added : known.removed).push(member.place);
  }
  return new Map([...places].map(([list, moved]) => [list, countBySmsSegment(moved)]));
};

type Changed = readonly { readonly before: SmsList; readonly after: SmsList }[];

/** Names and external ids that trade places: whoever gives one up is blanked (pipeline-rules.md 10). */
const blankMovingKeys = async (
  { collections: { smsLists }, session, plan }: Transaction,
  changed: Changed,
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

const updateOf = (after: SmsList, counts: Counts): mongo.UpdateFilter<SmsListDocument> => ({
  $set: toSmsListDocument(after),
  ...(after.externalId === null && { $unset: { externalId: '' } }),
  ...(Object.keys(counts).length > 0 && {
    $inc: Object.fromEntries(
      Object.entries(counts).map(([stretch, by]) => [`stretches.${stretch}`, by]),
    ),
  }),
});

const writeLists = async (transaction: Transaction): Promise<void> => {
  const { collections, session, plan } = transaction;
  const { smsLists } = collections;
  const changes = changesOf(plan, 'smsLists');
  if (changes.length === 0) return;
  const segments = segmentChanges(transaction);
  const tenant = plan.tenantId as string;
  const removed = changes.flatMap(({ before, after }) => (before && !after ? [before.id] : []));
  const changed = changes.flatMap(({ before, after }) =>
    before && after ? [{ before, after }] : [],
  );
  const added = changes.flatMap(({ before, after }) => (!before && after ? [after] : []));
  if (removed.length > 0) await smsLists.deleteMany({ _id: { $in: removed }, tenant }, { session });
  await blankMovingKeys(transaction, changed);
  if (changed.length > 0)
    await smsLists.bulkWrite(
      changed.map(({ after }) => ({
        updateOne: {
          filter: { _id: after.id, tenant },
          update: updateOf(after, segments.get(after.id) ?? {}),
        },
      })),
      { session, ordered: false },
    );
  if (added.length > 0)
    await smsLists.insertMany(
      added.map((list) => ({
        ...toSmsListDocument(list),
        stretches: segments.get(list.id) ?? {},
      })),
      { session, ordered: false },
    );
};

/** SMS lists, who is on them, and what is left to do for them. */
export const writeSmsLists = async (transaction: Transaction): Promise<void> => {
  const { collections, plan } = transaction;
  await writeLists(transaction);
  await writeAll(transaction, {
    collection: collections.smsMembers,
    changes: changesOf(plan, 'smsMembers'),
    toDocument: toSmsMemberDocument,
  });
  await writeAll(transaction, {
    collection: collections.smsJobParts,
    changes: changesOf(plan, 'smsJobParts'),
    toDocument: toSmsJobPartDocument,
    slice: PARTS_PER_INSERT,
  });
};
