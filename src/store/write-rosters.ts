import type { mongo } from 'mongoose';
import type { TableName } from '../domain/tables.js';
import { insertAll, slicesOf } from './in-slices.js';
import { toJobDocument, toJobPartDocument } from './job-document.js';
import {
  toGroupDocument,
  toMembershipDocument,
  toRoleMappingDocument,
  toRoomDocument,
} from './room-document.js';
import { sideBySide } from './side-by-side.js';
import { changesOf, type Transaction } from './write-changes.js';

interface TenantDocument {
  readonly _id: string;
  readonly tenant: string;
}

export interface Writing<Document extends TenantDocument, Entity> {
  readonly collection: mongo.Collection<Document>;
  readonly changes: readonly { readonly before: Entity | null; readonly after: Entity | null }[];
  /** Asked when a document's turn comes: all of them at once would hold the event loop. */
  readonly toDocument: (entity: Entity) => Document;
  /** The shadow that a unique index stands on; absent: its keys never move. */
  readonly uniqueShadow?: string;
  /** Documents that are added in one go; absent: as many small ones as hold up nobody. */
  readonly slice?: number;
}

/** The few operations of one kind, in slices; between two of them the event loop is free. */
export const writeAll = async <Document extends TenantDocument, Entity>(
  { session, plan }: Transaction,
  { collection, changes, toDocument, uniqueShadow, slice }: Writing<Document, Entity>,
): Promise<void> => {
  if (changes.length === 0) return;
  // The typings of filters do not take a generic document; all have these two fields.
  const documents = collection as unknown as mongo.Collection<TenantDocument>;
  const tenant = plan.tenantId as string;
  const { removed, changed, added } = sorted(changes);
  for (const some of slicesOf(removed)) {
    const ids = some.map((entity) => toDocument(entity)._id);
    await documents.deleteMany({ _id: { $in: ids }, tenant }, { session });
  }
  if (uniqueShadow !== undefined && changed.length > 1)
    await blankMoving(documents, { session, plan }, { changed, toDocument, uniqueShadow });
  for (const some of slicesOf(changed))
    await documents.bulkWrite(
      some.map(({ after }) => {
        const replacement = toDocument(after);
        return { replaceOne: { filter: { _id: replacement._id, tenant }, replacement } };
      }),
      { session, ordered: false },
    );
  const size = slice === undefined ? {} : { size: slice };
  await insertAll(documents, { entities: added, toDocument, ...size }, session);
};

interface Sorted<Entity> {
  readonly removed: readonly Entity[];
  readonly changed: readonly { readonly before: Entity; readonly after: Entity }[];
  readonly added: readonly Entity[];
}

const sorted = <Entity>(changes: Writing<TenantDocument, Entity>['changes']): Sorted<Entity> => {
  const [removed, changed, added] = [[], [], []] as [
    Entity[],
    Sorted<Entity>['changed'][number][],
    Entity[],
  ];
  for (const { before, after } of changes) {
    if (before !== null && after !== null) changed.push({ before, after });
    else if (before !== null) removed.push(before);
    else if (after !== null) added.push(after);
  }
  return { removed, changed, added };
};

const shadowAt = (document: TenantDocument, path: string): unknown => {
  const [parent = '', name = ''] = path.split('.');
  return (document as unknown as Record<string, Record<string, unknown>>)[parent]?.[name];
};

/** Names that trade places: whoever gives one up is blanked first (pipeline-rules.md 10). */
const blankMoving = async <Entity>(
  documents: mongo.Collection<TenantDocument>,
  { session, plan }: Pick<Transaction, 'session' | 'plan'>,
  {
    changed,
    toDocument,
    uniqueShadow,
  }: Pick<Sorted<Entity>, 'changed'> & {
    readonly toDocument: (entity: Entity) => TenantDocument;
    readonly uniqueShadow: string;
  },
): Promise<void> => {
  const moving = changed
    .map(({ before, after }) => ({ before: toDocument(before), after: toDocument(after) }))
    .filter(
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

type Write = (transaction: Transaction) => Promise<void>;

/** How each table is written; one without a change costs nothing. */
const WRITERS: { readonly [T in RosterTable]: Write } = {
  rooms: (transaction) =>
    writeAll(transaction, {
      collection: transaction.collections.rooms,
      changes: changesOf(transaction.plan, 'rooms'),
      toDocument: toRoomDocument,
      uniqueShadow: 'folded.name',
    }),
  groups: (transaction) =>
    writeAll(transaction, {
      collection: transaction.collections.groups,
      changes: changesOf(transaction.plan, 'groups'),
      toDocument: toGroupDocument,
      uniqueShadow: 'folded.displayName',
    }),
  memberships: (transaction) =>
    writeAll(transaction, {
      collection: transaction.collections.memberships,
      changes: changesOf(transaction.plan, 'memberships'),
      toDocument: toMembershipDocument,
    }),
  roleMappings: (transaction) =>
    writeAll(transaction, {
      collection: transaction.collections.roleMappings,
      changes: changesOf(transaction.plan, 'roleMappings'),
      toDocument: toRoleMappingDocument,
      uniqueShadow: 'folded.groupDisplayName',
    }),
  jobs: (transaction) =>
    writeAll(transaction, {
      collection: transaction.collections.jobs,
      changes: changesOf(transaction.plan, 'jobs'),
      toDocument: toJobDocument,
    }),
  jobParts: (transaction) =>
    writeAll(transaction, {
      collection: transaction.collections.jobParts,
      changes: changesOf(transaction.plan, 'jobParts'),
      toDocument: toJobPartDocument,
    }),
};

/** Rooms, groups, who is in them, what roles they give, and what jobs are left to do. */
export const writeRosters = (transaction: Transaction): Promise<void> =>
  sideBySide(Object.values(WRITERS).map((write) => write(transaction)));
