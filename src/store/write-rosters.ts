import type { mongo } from 'mongoose';
import type { TableName } from '../domain/tables.js';
import { toJobDocument, toJobPartDocument } from './job-document.js';
import {
  toGroupDocument,
  toMembershipDocument,
  toRoleMappingDocument,
  toRoomDocument,
} from './room-document.js';
import { changesOf, type Transaction } from './write-changes.js';

/** Documents sent in one go: more would hold the event loop while they are encoded. */
const SLICE = 1_000;

interface TenantDocument {
  readonly _id: string;
  readonly tenant: string;
}

export interface Writing<Document extends TenantDocument> {
  readonly collection: mongo.Collection<Document>;
  readonly removed: readonly string[];
  readonly changed: readonly { readonly before: Document; readonly after: Document }[];
  readonly added: readonly Document[];
  /** The shadow that a unique index stands on; absent: its keys never move. */
  readonly uniqueShadow?: string;
  /** Documents that are added in one go; absent: a thousand. */
  readonly slice?: number;
}

const slices = function* <T>(items: readonly T[], size = SLICE): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
};

/** The few operations of one kind, in slices; between two of them the event loop is free. */
export const writeAll = async <Document extends TenantDocument>(
  { session, plan }: Transaction,
  { collection, removed, changed, added, uniqueShadow, slice }: Writing<Document>,
): Promise<void> => {
  // The typings of filters do not take a generic document; all have these two fields.
  const documents = collection as unknown as mongo.Collection<TenantDocument>;
  const tenant = plan.tenantId as string;
  for (const ids of slices(removed))
    await documents.deleteMany({ _id: { $in: ids }, tenant }, { session });
  await blankMoving(documents, { session, plan }, { changed, uniqueShadow });
  for (const some of slices(changed))
    await documents.bulkWrite(
      some.map(({ after }) => ({
        replaceOne: { filter: { _id: after._id, tenant }, replacement: after },
      })),
      { session, ordered: false },
    );
  for (const some of slices(added, slice))
    await documents.insertMany(some, { session, ordered: false });
};

const shadowAt = (document: TenantDocument, path: string): unknown => {
  const [parent = '', name = ''] = path.split('.');
  return (document as unknown as Record<string, Record<string, unknown>>)[parent]?.[name];
};

/** Names that trade places: whoever gives one up is blanked first (pipeline-rules.md 10). */
const blankMoving = async (
  documents: mongo.Collection<TenantDocument>,
  { session, plan }: Pick<Transaction, 'session' | 'plan'>,
  {
    changed,
    uniqueShadow,
  }: {
    readonly changed: Writing<TenantDocument>['changed'];
    readonly uniqueShadow: string | undefined;
  },
): Promise<void> => {
  if (uniqueShadow === undefined || changed.length < 2) return;
  const moving = changed.filter(
    ({ before, after }) => shadowAt(before, uniqueShadow) !== shadowAt(after, uniqueShadow),
  );
  if (moving.length < 2) return;
  await documents.bulkWrite(
    moving.map(({ after: { _id } }) => ({
      updateOne: {
        filter: { _id, tenant: plan.tenantId },
        // No name of anybody's: ids are no names.
        update: { $set: { [uniqueShadow]: `\u0000${_id}` } },
      },
    })),
    { session, ordered: false },
  );
};

type RosterTable = Extract<
  TableName,
  'rooms' | 'groups' | 'memberships' | 'roleMappings' | 'jobs' | 'jobParts'
>;

export const sorted = <Entity, Document extends TenantDocument>(
  changes: readonly { readonly before: Entity | null; readonly after: Entity | null }[],
  toDocument: (entity: Entity) => Document,
): Omit<Writing<Document>, 'collection'> => ({
  removed: changes.flatMap(({ before, after }) =>
    before !== null && after === null ? [toDocument(before)._id] : [],
  ),
  changed: changes.flatMap(({ before, after }) =>
    before !== null && after !== null
      ? [{ before: toDocument(before), after: toDocument(after) }]
      : [],
  ),
  added: changes.flatMap(({ before, after }) =>
    before === null && after !== null ? [toDocument(after)] : [],
  ),
});

type Write = (transaction: Transaction) => Promise<void>;

/** How each table is written; one without a change costs nothing. */
const WRITERS: { readonly [T in RosterTable]: Write } = {
  rooms: (transaction) =>
    writeAll(transaction, {
      collection: transaction.collections.rooms,
      ...sorted(changesOf(transaction.plan, 'rooms'), toRoomDocument),
      uniqueShadow: 'folded.name',
    }),
  groups: (transaction) =>
    writeAll(transaction, {
      collection: transaction.collections.groups,
      ...sorted(changesOf(transaction.plan, 'groups'), toGroupDocument),
      uniqueShadow: 'folded.displayName',
    }),
  memberships: (transaction) =>
    writeAll(transaction, {
      collection: transaction.collections.memberships,
      ...sorted(changesOf(transaction.plan, 'memberships'), toMembershipDocument),
    }),
  roleMappings: (transaction) =>
    writeAll(transaction, {
      collection: transaction.collections.roleMappings,
      ...sorted(changesOf(transaction.plan, 'roleMappings'), toRoleMappingDocument),
      uniqueShadow: 'folded.groupDisplayName',
    }),
  jobs: (transaction) =>
    writeAll(transaction, {
      collection: transaction.collections.jobs,
      ...sorted(changesOf(transaction.plan, 'jobs'), toJobDocument),
    }),
  jobParts: (transaction) =>
    writeAll(transaction, {
      collection: transaction.collections.jobParts,
      ...sorted(changesOf(transaction.plan, 'jobParts'), toJobPartDocument),
    }),
};

/** Rooms, groups, who is in them, what roles they give, and what jobs are left to do. */
export const writeRosters = async (transaction: Transaction): Promise<void> => {
  for (const write of Object.values(WRITERS)) await write(transaction);
};
