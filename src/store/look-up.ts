import type { mongo } from 'mongoose';
import type { TenantId, UserId } from '../domain/ids.js';
import type { Entities, TableName } from '../domain/tables.js';
import type { Loaded } from '../pipeline/commit-store.js';
import { createPace } from '../pipeline/pace.js';
import { fromApiKeyDocument } from './api-key-document.js';
import type { Collections } from './collections.js';
import { fromJobDocument, fromJobPartDocument } from './job-document.js';
import { fromPluginRecordDocument } from './plugin-record-document.js';
import { MAX_KEYS_PER_COMMAND, type LookupQuery } from './questions.js';
import { fromRememberedAnswerDocument, type Seal } from './remembered-answer-document.js';
import {
  fromGroupDocument,
  fromMembershipDocument,
  fromRoleMappingDocument,
  fromRoomDocument,
} from './room-document.js';
import {
  fromSmsJobPartDocument,
  fromSmsListDocument,
  fromSmsMemberDocument,
} from './sms-document.js';
import { fromUserDocument, USER_PROJECTION } from './user-document.js';

/** Where the entities of a table are, and how they are read. */
interface Source<Entity> {
  readonly collectionOf: (collections: Collections) => mongo.Collection;
  /** Undefined where there is nothing to be known of it. */
  readonly read: (document: mongo.BSON.Document, seal: Seal) => Entity | undefined;
  readonly projection?: Readonly<Record<string, 0 | 1>>;
  readonly sort?: Readonly<Record<string, 1>>;
}

type Sources = { readonly [T in TableName]: Source<Entities[T]> };

const sourceOf = <Document extends mongo.BSON.Document, Entity>(
  collectionOf: (collections: Collections) => mongo.Collection<Document>,
  read: (document: Document, seal: Seal) => Entity | undefined,
  order: Pick<Source<Entity>, 'projection' | 'sort'> = {},
): Source<Entity> => ({
  // What is asked of them, and how it is read, stand side by side here.
  collectionOf: collectionOf as unknown as Source<Entity>['collectionOf'],
  read: (document, seal) => read(document as Document, seal),
  ...order,
});

const SOURCES: Sources = {
  users: sourceOf(({ users }) => users, fromUserDocument, { projection: USER_PROJECTION }),
  userIds: sourceOf(
    ({ users }) => users,
    ({ _id }) => ({ id: _id as UserId }),
    { projection: { _id: 1 } },
  ),
  rooms: sourceOf(({ rooms }) => rooms, fromRoomDocument),
  groups: sourceOf(({ groups }) => groups, fromGroupDocument),
  memberships: sourceOf(({ memberships }) => memberships, fromMembershipDocument),
  roleMappings: sourceOf(({ roleMappings }) => roleMappings, fromRoleMappingDocument),
  smsLists: sourceOf(({ smsLists }) => smsLists, fromSmsListDocument, {
    projection: { stretches: 0 },
  }),
  smsMembers: sourceOf(({ smsMembers }) => smsMembers, fromSmsMemberDocument),
  smsJobParts: sourceOf(({ smsJobParts }) => smsJobParts, fromSmsJobPartDocument),
  jobs: sourceOf(({ jobs }) => jobs, fromJobDocument),
  jobParts: sourceOf(({ jobParts }) => jobParts, fromJobPartDocument),
  apiKeys: sourceOf(({ apiKeys }) => apiKeys, fromApiKeyDocument),
  pluginRecords: sourceOf(({ pluginRecords }) => pluginRecords, fromPluginRecordDocument, {
    sort: { createdAt: 1, _id: 1 },
  }),
  rememberedAnswers: sourceOf(
    ({ rememberedAnswers }) => rememberedAnswers,
    fromRememberedAnswerDocument,
  ),
  tenants: sourceOf(
    ({ tenants }) => tenants,
    ({ _id, slug }) => (slug === undefined ? undefined : { id: _id as TenantId, slug }),
  ),
};

/** A document with the name of the table that was asked. */
interface Found {
  readonly table: TableName;
  readonly document: mongo.BSON.Document;
}

const stagesFor = ({ table, conditions, page }: LookupQuery): mongo.BSON.Document[] => {
  const { projection, sort } = SOURCES[table];
  const order = page?.sort ?? sort;
  return [
    { $match: conditions },
    ...(order ? [{ $sort: order }] : []),
    ...(page ? [{ $limit: page.limit }] : []),
    ...(projection ? [{ $project: projection }] : []),
    { $replaceWith: { table: { $literal: table }, document: '$$ROOT' } },
  ];
};

/** Questions that are asked together: each command costs its way, whatever it asks. */
const groupIntoCommands = (
  queries: readonly LookupQuery[],
): readonly (readonly LookupQuery[])[] => {
  const commands: LookupQuery[][] = [];
  let capacity = 0;
  for (const query of queries) {
    const last = commands.at(-1);
    if (last && query.size <= capacity) last.push(query);
    else {
      commands.push([query]);
      capacity = MAX_KEYS_PER_COMMAND;
    }
    capacity -= query.size;
  }
  return commands;
};

export interface LookupContext {
  readonly collections: Collections;
  readonly session: mongo.ClientSession;
  readonly seal: Seal;
}

/** Documents that come in one go. */
const BATCH_SIZE = 2_000;
/** Of these, how many are decoded in one go: well below a millisecond's work. */
const DECODED_PER_PAUSE = 64;

/** What was found: of each table, each entity once, however many questions found it. */
type Results = Map<TableName, Map<string, Entities[TableName]>>;

const runCommand = async (
  { collections, session, seal }: LookupContext,
  [first, ...others]: readonly LookupQuery[],
  results: Results,
): Promise<void> => {
  if (!first) return;
  const collectionOf = ({ table }: LookupQuery) => SOURCES[table].collectionOf(collections);
  const unions = others.map((other) => {
    const { collectionName } = collectionOf(other);
    return { $unionWith: { coll: collectionName, pipeline: stagesFor(other) } };
  });
  const cursor = collectionOf(first).aggregate<Found>([...stagesFor(first), ...unions], {
    session,
    batchSize: BATCH_SIZE,
  });
  const add = ({ table, document }: Found): void => {
    const entity = SOURCES[table].read(document, seal);
    if (entity) results.get(table)?.set(entity.id, entity);
  };
  try {
    await readAll(cursor, add);
  } finally {
    await cursor.close();
  }
};

/**
 * The driver decodes a document when it is asked for, so the loop can be given back in between;
 * some at a time, for a promise a document costs a quarter of what decoding it does.
 */
const readAll = async <Document>(
  cursor: mongo.AggregationCursor<Document>,
  add: (document: Document) => void,
): Promise<void> => {
  const pace = createPace();
  while (await cursor.hasNext()) {
    for (const document of cursor.readBufferedDocuments(DECODED_PER_PAUSE)) add(document);
    await pace();
  }
};

/** What answers these questions, in as few commands as there can be. */
export const runLookups = async (
  context: LookupContext,
  queries: readonly LookupQuery[],
): Promise<Loaded['entities']> => {
  const results: Results = new Map(
    queries.map(({ table }) => [table, new Map<string, Entities[TableName]>()]),
  );
  // One after the other: side by side they would hold the event loop by the dozen.
  for (const some of groupIntoCommands(queries)) await runCommand(context, some, results);
  return Object.fromEntries([...results].map(([table, found]) => [table, [...found.values()]]));
};
