import type { TenantId } from '../../domain/kernel/ids.js';
import { each, type Chunked } from '../../domain/kernel/chunked.js';
import type { Lookup, TableName } from '../../domain/tables.js';
import { slicesOf } from './insert-all.js';
import type { LookupPage } from '../tables/table.js';
import { STORED_TABLES } from '../tables/tables.js';

/** Keys per command: encoding more would block the event loop. */
export const MAX_KEYS_PER_COMMAND = 2_000;

/** A query of one table. */
export interface LookupQuery {
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
