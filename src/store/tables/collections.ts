import type { TableName } from '../../domain/tables.js';
import { apiKeyTable, apiKeyUses, tenantTable, tenantState } from './tenants.js';
import { groupTable, roleMappingTable } from './groups.js';
import { jobPartTable, jobTable } from './jobs.js';
import { membershipTable, roomTable } from './rooms.js';
import { pluginRecordTable, pluginNotes, pluginDocuments } from './plugins.js';
import { storedResponseTable } from './stored-responses.js';
import { smsListTable, smsJobPartTable, smsMemberTable } from './sms-lists.js';
import type { CollectionDescriptor } from './collection.js';
import type { Table } from './table.js';
import { userIdTable, userTable, deletedUsers } from './users.js';
import { isDeepStrictEqual } from 'node:util';
import type * as mongo from 'mongodb';
import { capturedRequests } from './captured-requests.js';
import { connections, failedAuthentications } from './connections.js';
import { commandLog, logEnds } from './command-log.js';
import { events } from './events.js';
import { instances, leases, rateWindows, settings } from './gateways.js';
import { operatorLog } from './operator-log.js';
import { operators, operatorSessions, passkeys, signInLinks } from './operators.js';
import { cursors, deliveries, partitions, recoveries } from './deliveries.js';

const ENTITY_TABLES = {
  users: userTable,
  rooms: roomTable,
  groups: groupTable,
  memberships: membershipTable,
  roleMappings: roleMappingTable,
  smsLists: smsListTable,
  smsMembers: smsMemberTable,
  smsJobParts: smsJobPartTable,
  jobs: jobTable,
  jobParts: jobPartTable,
  apiKeys: apiKeyTable,
  pluginRecords: pluginRecordTable,
  rememberedAnswers: storedResponseTable,
  tenants: tenantTable,
};

/** How each table of the domain is stored. */
export const STORED_TABLES: { readonly [T in TableName]: Table<T> } = {
  ...ENTITY_TABLES,
  userIds: userIdTable,
};

/** Every collection of the database. `tenantState` is purged before the tombstones in `tenants`. */
const COLLECTIONS = {
  tenantState,
  ...ENTITY_TABLES,
  deletedUsers,
  apiKeyUses,
  connections,
  failedAuthentications,
  pluginNotes,
  pluginDocuments,
  leases,
  commandLog,
  logEnds,
  capturedRequests,
  events,
  deliveries,
  deliveryRecoveries: recoveries,
  cursors,
  streamPartitions: partitions,
  rateWindows,
  operators,
  operatorLog,
  operatorSessions,
  passkeys,
  signInLinks,
  instances,
  settings,
} as const;

type Definitions = typeof COLLECTIONS;

/** The driver's collections. */
export type Collections = {
  readonly [Name in keyof Definitions]: ReturnType<Definitions[Name]['in']>;
} & { readonly client: mongo.MongoClient; readonly database: mongo.Db };

/** The descriptors, whatever their documents. */
export const ALL_COLLECTIONS: readonly CollectionDescriptor[] = Object.values(COLLECTIONS);

export const collectionsOf = (client: mongo.MongoClient): Collections => {
  const database = client.db();
  const opened = Object.entries(COLLECTIONS).map(([name, { in: open }]) => [name, open(database)]);
  return { ...Object.fromEntries(opened), client, database } as Collections;
};

/** Concurrent commands open connections, which cost more than the wait. */
const CONCURRENT = 4;

/**
 * Creates the collections and indexes that are missing. Usually none is: then only lists are read,
 * and mongoose is not loaded.
 */
export const ensureCollections = async (client: mongo.MongoClient): Promise<void> => {
  const database = client.db();
  const found = await database.listCollections({}, { nameOnly: true }).toArray();
  const existing = new Set(found.map(({ name }) => name));
  const missing = ALL_COLLECTIONS.filter(({ name }) => !existing.has(name));
  const unread = ALL_COLLECTIONS.filter(({ name }) => existing.has(name));
  const read = async (): Promise<void> => {
    for (let next = unread.pop(); next; next = unread.pop())
      if (!(await hasItsIndexes(database, next))) missing.push(next);
  };
  await Promise.all(Array.from({ length: CONCURRENT }, read));
  if (missing.length > 0) {
    const { createCollections } = await import('./create-collections.js');
    await createCollections(client, missing);
  }
};

/** What a declaration can state of an index. */
export const shapeOf = ({
  key,
  unique = false,
  partialFilterExpression,
  expireAfterSeconds,
}: Partial<mongo.IndexDescription>) => ({
  // As a text, because the order of its fields matters.
  key: JSON.stringify(key),
  unique,
  partialFilterExpression,
  expireAfterSeconds,
});

const hasItsIndexes = async (
  database: mongo.Db,
  { name, indexes }: CollectionDescriptor,
): Promise<boolean> => {
  if (indexes.length === 0) return true;
  const found = (await database.collection(name).listIndexes().toArray()).map(shapeOf);
  return indexes.every((index) => found.some((one) => isDeepStrictEqual(one, shapeOf(index))));
};
