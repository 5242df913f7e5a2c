import type { mongo } from 'mongoose';
import { groupNameKey } from '../domain/group.js';
import { mappingNameKey } from '../domain/role-mapping.js';
import { roomNameKey } from '../domain/room.js';
import type { TableName } from '../domain/tables.js';
import { insertAll, slicesOf } from './in-slices.js';
import { toJobDocument, toJobPartDocument } from './job-document.js';
import {
  toGroupDocument,
  toMembershipDocument,
  toRoleMappingDocument,
  toRoomDocument,
} from './room-document.js';
import { runConcurrently } from './side-by-side.js';
import { changesOf, type Transaction } from './write-changes.js';

interface TenantDocument {
  readonly _id: string;
  readonly tenant: string;
}

interface Identified {
  readonly id: string;
}

/** What of an entity no other of the tenant may have, and where it stands in the document. */
interface UniqueKey<Entity> {
  readonly path: string;
  readonly keyOf: (entity: Entity) => string | null;
}

export interface Writing<Document extends TenantDocument, Entity extends Identified> {
  readonly collection: mongo.Collection<Document>;
  readonly changes: readonly { readonly before: Entity | null; readonly after: Entity | null }[];
  /** Asked when a document's turn comes: all of them at once would hold the event loop. */
  readonly toDocument: (entity: Entity) => Document;
  /** Absent: its keys never move. */
  readonly unique?: UniqueKey<Entity>;
  /** Documents that are added in one go; absent: as many small ones as hold up nobody. */
  readonly slice?: number;
}

/** The few operations of one kind, in slices; between two of them the event loop is free. */
export const writeAll = async <Document extends TenantDocument, Entity extends Identified>(
  { session, plan }: Transaction,
  { collection, changes, toDocument, unique, slice }: Writing<Document, Entity>,
): Promise<void> => {
  if (changes.length === 0) return;
  // The typings of filters do not take a generic document; all have these two fields.
  const documents = collection as unknown as mongo.Collection<TenantDocument>;
  const tenant = plan.tenantId as string;
  const { removed, changed, added } = sorted(changes);
  for (const some of slicesOf(removed)) {
    const ids = some.map(({ id }) => id);
    await documents.deleteMany({ _id: { $in: ids }, tenant }, { session });
  }
  if (unique) await blankMovingKeys(documents, { session, plan }, { changed, unique });
  for (const some of slicesOf(changed))
    await documents.bulkWrite(
      some.map(({ after }) => ({
        replaceOne: { filter: { _id: after.id, tenant }, replacement: toDocument(after) },
      })),
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

const sorted = <Entity extends Identified>(
  changes: Writing<TenantDocument, Entity>['changes'],
): Sorted<Entity> => {
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

/** Names that trade places: whoever gives one up is blanked first (pipeline-rules.md 10). */
const blankMovingKeys = async <Entity extends Identified>(
  documents: mongo.Collection<TenantDocument>,
  { session, plan }: Pick<Transaction, 'session' | 'plan'>,
  {
    changed,
    unique: { path, keyOf },
  }: Pick<Sorted<Entity>, 'changed'> & { readonly unique: UniqueKey<Entity> },
): Promise<void> => {
  if (changed.length < 2) return;
  const moving = changed.filter(({ before, after }) => keyOf(before) !== keyOf(after));
  if (moving.length < 2) return;
  await documents.bulkWrite(
    moving.map(({ after: { id: _id } }) => ({
      updateOne: {
        filter: { _id, tenant: plan.tenantId },
        // No name of anybody's: ids are no names.
        update: { $set: { [path]: `\u0000${_id}` } },
      },
    })),
    { session, ordered: false },
  );
};

/** Parts of a job sent in one go: each names hundreds of members. */
const PARTS_PER_INSERT = 8;

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
      unique: { path: 'folded.name', keyOf: roomNameKey },
    }),
  groups: (transaction) =>
    writeAll(transaction, {
      collection: transaction.collections.groups,
      changes: changesOf(transaction.plan, 'groups'),
      toDocument: toGroupDocument,
      unique: { path: 'folded.displayName', keyOf: groupNameKey },
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
      unique: { path: 'folded.groupDisplayName', keyOf: mappingNameKey },
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
      slice: PARTS_PER_INSERT,
    }),
};

/** Rooms, groups, who is in them, what roles they give, and what jobs are left to do. */
export const writeRosters = (transaction: Transaction): Promise<void> =>
  runConcurrently(Object.values(WRITERS).map((write) => write(transaction)));
