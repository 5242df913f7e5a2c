import type { mongo } from 'mongoose';
import type { Entities, TableName } from '../../domain/tables.js';
import type { Loaded } from '../../pipeline/commit-store.js';
import { readEach } from '../read-documents.js';
import { MAX_KEYS_PER_COMMAND, type LookupQuery } from './lookup-queries.js';
import type { Collections } from '../tables/collections.js';
import type { Seal } from '../tables/table.js';
import { STORED_TABLES } from '../tables/tables.js';

/** A document and the table it was looked up in. */
interface Found {
  readonly table: TableName;
  readonly document: mongo.BSON.Document;
}

/** Order, limit and fields of a query. */
const optionsFor = ({
  table,
  page,
}: LookupQuery): Pick<mongo.FindOptions, 'sort' | 'limit' | 'projection'> => {
  const { projection, sort } = STORED_TABLES[table];
  const order = page?.sort ?? sort;
  return {
    ...(order && { sort: order }),
    ...(page && { limit: page.limit }),
    ...(projection && { projection }),
  };
};

/** The same as a pipeline, which several tables share. */
const stagesFor = (query: LookupQuery): mongo.BSON.Document[] => {
  const { sort, limit, projection } = optionsFor(query);
  return [
    { $match: query.conditions },
    ...(sort ? [{ $sort: sort }] : []),
    ...(limit === undefined ? [] : [{ $limit: limit }]),
    ...(projection ? [{ $project: projection }] : []),
    { $replaceWith: { table: { $literal: query.table }, document: '$$ROOT' } },
  ];
};

/** Groups queries into commands: each command costs a round trip, whatever it contains. */
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

/** Documents per response. */
const BATCH_SIZE = 2_000;

/** Found entities by table, each once, however many queries found it. */
type Results = Map<TableName, Map<string, Entities[TableName]>>;

const runCommand = async (
  { collections, session, seal }: LookupContext,
  [first, ...others]: readonly LookupQuery[],
  results: Results,
): Promise<void> => {
  if (!first) return;
  const add = ({ table, document }: Found): void => {
    const entity = STORED_TABLES[table].fromDocument(document, seal);
    if (entity) results.get(table)?.set(entity.id, entity);
  };
  const collection = collections.database.collection(nameOf(first));
  // A query of one table needs no pipeline.
  if (others.length === 0) {
    const { table } = first;
    const cursor = collection.find(first.conditions, {
      session,
      batchSize: BATCH_SIZE,
      ...optionsFor(first),
    });
    return readEach(cursor, (document) => add({ table, document }));
  }
  const unions = others.map((other) => ({
    $unionWith: { coll: nameOf(other), pipeline: stagesFor(other) },
  }));
  const pipeline = [...stagesFor(first), ...unions];
  return readEach(collection.aggregate<Found>(pipeline, { session, batchSize: BATCH_SIZE }), add);
};

const nameOf = ({ table }: LookupQuery): string => STORED_TABLES[table].collection.name;

/** Runs the queries in as few commands as possible. */
export const runLookups = async (
  context: LookupContext,
  queries: readonly LookupQuery[],
): Promise<Loaded['entities']> => {
  const results: Results = new Map(
    queries.map(({ table }) => [table, new Map<string, Entities[TableName]>()]),
  );
  // Sequential: concurrent commands would block the event loop by the dozen.
  for (const some of groupIntoCommands(queries)) await runCommand(context, some, results);
  return Object.fromEntries([...results].map(([table, found]) => [table, [...found.values()]]));
};
