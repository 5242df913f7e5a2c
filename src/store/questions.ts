import type { TenantId } from '../domain/ids.js';
import { each, type Pieces } from '../domain/in-pieces.js';
import { readRosterPageKey } from '../domain/membership.js';
import { readEndedSmsPageKey, readSmsPageKey } from '../domain/sms-member.js';
import type { Need, TableName } from '../domain/tables.js';
import { slicesOf } from './in-slices.js';

/** Where each index of a table stands in the documents. */
const FIELDS: { readonly [T in TableName]: Readonly<Record<string, string>> } = {
  users: { id: '_id', userName: 'folded.userName', email: 'folded.email' },
  userIds: { id: '_id' },
  rooms: { id: '_id', name: 'folded.name' },
  groups: { id: '_id', displayName: 'folded.displayName', roster: 'roster' },
  memberships: { id: '_id', roster: 'roster', user: 'user' },
  roleMappings: { id: '_id', displayName: 'folded.groupDisplayName' },
  smsLists: { id: '_id', name: 'folded.name', externalId: 'externalId' },
  smsMembers: { id: '_id', number: 'key', list: 'list' },
  smsJobParts: { id: '_id' },
  jobs: { id: '_id', subject: 'subject' },
  jobParts: { id: '_id' },
  apiKeys: { id: '_id' },
  pluginRecords: { id: '_id', plugin: 'plugin' },
  rememberedAnswers: { id: '_id' },
  tenants: { id: '_id', slug: 'slug' },
};

/** Keys that are asked for in one go: encoding more would hold the event loop. */
export const MAX_KEYS_PER_COMMAND = 2_000;

/** A question to one table. */
export interface LookupQuery {
  readonly table: TableName;
  readonly conditions: object;
  /** How many keys it asks for. */
  readonly size: number;
  /** Absent: all that meets the conditions. */
  readonly page?: { readonly sort: Readonly<Record<string, 1>>; readonly limit: number };
}

const smsPageQueryFor = (tenantId: TenantId, { index, key }: Need): LookupQuery | undefined => {
  const table = 'smsMembers';
  if (index === 'first') {
    const { listId, limit } = readSmsPageKey(key);
    const conditions = { tenant: tenantId, list: listId };
    return { table, conditions, size: 1, page: { sort: { place: 1 }, limit } };
  }
  if (index !== 'ended') return undefined;
  const { listId, limit, endedBy } = readEndedSmsPageKey(key);
  const conditions = { tenant: tenantId, list: listId, ends: { $lte: endedBy } };
  return { table, conditions, size: 1, page: { sort: { ends: 1 }, limit } };
};

/** Questions for a page of an order, which no key answers. */
const pageQueryFor = (tenantId: TenantId, need: Need): LookupQuery | undefined => {
  const { table, index, key } = need;
  if (table === 'smsMembers') return smsPageQueryFor(tenantId, need);
  if (table === 'memberships' && index === 'page') {
    const { rosterId, after, limit } = readRosterPageKey(key);
    const conditions = { tenant: tenantId, roster: rosterId, user: { $gt: after } };
    return { table, conditions, size: 1, page: { sort: { user: 1 }, limit } };
  }
  if (table !== 'users' || index !== 'withDefaultRole') return undefined;
  const { after, limit } = readRosterPageKey(key);
  const conditions = { tenant: tenantId, role: null, _id: { $gt: after } };
  return { table, conditions, size: 1, page: { sort: { _id: 1 }, limit } };
};

/** All that is asked for by one field. */
interface KeysOfField {
  readonly table: TableName;
  readonly field: string;
  readonly keys: string[];
}

const tenantCondition = (tenantId: TenantId, table: TableName): object =>
  // A slug is unique over all tenants: the one look-up that leaves the tenant.
  table === 'tenants' ? {} : { tenant: tenantId };

const conditionOf = (keys: readonly string[]): unknown =>
  keys.length === 1 ? keys[0] : { $in: keys };

/** One question where the keys are few, whichever fields they are of: each has an index. */
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

/** As few questions as there can be, whatever the number of keys. */
export const lookupQueriesFor = function* (
  tenantId: TenantId,
  needs: readonly Need[],
): Pieces<readonly LookupQuery[]> {
  const queries: LookupQuery[] = [];
  const byTable = new Map<TableName, Map<string, KeysOfField>>();
  yield* each(needs, (need) => {
    const paged = pageQueryFor(tenantId, need);
    if (paged) {
      queries.push(paged);
      return;
    }
    const { table, index, key } = need;
    const field = FIELDS[table][index] ?? index;
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
