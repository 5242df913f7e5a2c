import type { mongo } from 'mongoose';
import type { Entities, TableName } from '../../domain/tables.js';
import type { Loaded } from '../../pipeline/commit-store.js';
import { createPace } from '../../pipeline/pace.js';
import { MAX_KEYS_PER_COMMAND, type LookupQuery } from './lookup-queries.js';
import type { Collections } from '../tables/collections.js';
import type { Seal } from '../tables/seal.js';
import { STORED_TABLES } from '../tables/tables.js';

/** A document with the name of the table that was asked. */
interface Found {
  readonly table: TableName;
  readonly document: mongo.BSON.Document;
}

const stagesFor = ({ table, conditions, page }: LookupQuery): mongo.BSON.Document[] => {
  const { projection, sort } = STORED_TABLES[table];
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
  const nameOf = ({ table }: LookupQuery) => STORED_TABLES[table].collection.name;
  const unions = others.map((other) => ({
    $unionWith: { coll: nameOf(other), pipeline: stagesFor(other) },
  }));
  const cursor = collections.database
    .collection(nameOf(first))
    .aggregate<Found>([...stagesFor(first), ...unions], { session, batchSize: BATCH_SIZE });
  const add = ({ table, document }: Found): void => {
    const entity = STORED_TABLES[table].fromDocument(document, seal);
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
