import type { TenantId } from '../../domain/kernel/ids.js';
import { each, type Chunked } from '../../domain/kernel/chunked.js';
import type { Lookup, TableName, Entities } from '../../domain/tables.js';
import { slicesOf } from './transaction.js';
import type { Seal } from '../tables/collection.js';
import type { LookupPage } from '../tables/table.js';
import { STORED_TABLES, type Collections } from '../tables/collections.js';
import type * as mongo from 'mongodb';
import type { Loaded } from '../../pipeline/commit-store.js';
import { readEach } from '../read-documents.js';

/** Keys per command: encoding more would block the event loop. */
const MAX_KEYS_PER_COMMAND = 2_000;

/** A query of one table. */
interface LookupQuery {
  readonly table: TableName;
  readonly conditions: object;
  /** Number of keys. */
  readonly size: number;
  /** Absent: all documents that match. */
  readonly page?: { readonly sort: Readonly<Record<string, 1>>; readonly limit: number };
}

/** The query of a page index, which no key serves. */
const pageQueryFor = (
  tenantId: TenantId,
  { table, index, key }: Lookup,
): LookupQuery | undefined => {
  const pages: Readonly<Record<string, (key: string) => LookupPage>> | undefined =
    STORED_TABLES[table].pages;
  const page = pages?.[index]?.(key);
  if (!page) return undefined;
  const { conditions, sort, limit } = page;
  return { table, conditions: { tenant: tenantId, ...conditions }, size: 1, page: { sort, limit } };
};

/** The keys looked up in one field. */
interface KeysOfField {
  readonly table: TableName;
  readonly field: string;
  readonly keys: string[];
}

const tenantCondition = (tenantId: TenantId, table: TableName): object =>
  STORED_TABLES[table].acrossTenants ? {} : { tenant: tenantId };

const conditionOf = (keys: readonly string[]): unknown =>
  keys.length === 1 ? keys[0] : { $in: keys };

/** One query if the keys are few, whatever their fields: each has an index. */
const keyQueriesFor = (
  tenantId: TenantId,
  keysOfFields: readonly KeysOfField[],
): readonly LookupQuery[] => {
  const [{ table } = { table: undefined }] = keysOfFields;
  const size = keysOfFields.reduce((sum, { keys }) => sum + keys.length, 0);
  if (table === undefined) return [];
  const tenant = tenantCondition(tenantId, table);
  const branches = keysOfFields.flatMap(({ field, keys }) =>
    [...slicesOf(keys, MAX_KEYS_PER_COMMAND)].map((some) => ({
      conditions: { ...tenant, [field]: conditionOf(some) },
      size: some.length,
    })),
  );
  const [only] = branches;
  if (branches.length > 1 && size <= MAX_KEYS_PER_COMMAND)
    return [{ table, conditions: { $or: branches.map(({ conditions }) => conditions) }, size }];
  return only ? branches.map((branch) => ({ table, ...branch })) : [];
};

/** As few queries as possible, whatever the number of keys. */
export const lookupQueriesFor = function* (
  tenantId: TenantId,
  needs: readonly Lookup[],
): Chunked<readonly LookupQuery[]> {
  const queries: LookupQuery[] = [];
  const byTable = new Map<TableName, Map<string, KeysOfField>>();
  yield* each(needs, (need) => {
    const paged = pageQueryFor(tenantId, need);
    if (paged) {
      queries.push(paged);
      return;
    }
    const { table, index, key } = need;
    const keys: Readonly<Record<string, string>> = STORED_TABLES[table].keys;
    const field = keys[index] ?? index;
    const fields = byTable.get(table) ?? new Map<string, KeysOfField>();
    byTable.set(table, fields);
    const keysOfFields = fields.get(field);
    if (keysOfFields) keysOfFields.keys.push(key);
    else fields.set(field, { table, field, keys: [key] });
  });
  return [
    ...queries,
    ...[...byTable.values()].flatMap((fields) => keyQueriesFor(tenantId, [...fields.values()])),
  ];
};

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

const nameOf = ({ table }: LookupQuery): string => STORED_TABLES[table].name;

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
