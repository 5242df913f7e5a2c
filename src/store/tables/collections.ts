import { isDeepStrictEqual } from 'node:util';
import type { mongo } from 'mongoose';
import { apiKeys, apiKeyUses } from './api-keys.js';
import { capturedRequests } from './captured-requests.js';
import type { CollectionDescriptor } from './collection.js';
import { commandLog } from './command-log.js';
import { events } from './events.js';
import { groups } from './groups.js';
import { instances } from './instances.js';
import { jobParts, jobs } from './jobs.js';
import { leases } from './leases.js';
import { logEnds } from './log-ends.js';
import { memberships } from './memberships.js';
import { operators, operatorSessions, signInLinks } from './operators.js';
import { outbox } from './outbox.js';
import { outboxAttempts } from './outbox-attempts.js';
import { outboxRecoveries } from './outbox-recoveries.js';
import { pluginDocuments } from './plugin-documents.js';
import { pluginJobs } from './plugin-jobs.js';
import { pluginNotes, pluginRecords } from './plugin-records.js';
import { rateWindows } from './rate-windows.js';
import { storedResponses } from './stored-responses.js';
import { roleMappings } from './role-mappings.js';
import { rooms } from './rooms.js';
import { settings } from './settings.js';
import { smsLists } from './sms-lists.js';
import { smsJobParts, smsMembers } from './sms-members.js';
import { tenants, tenantState } from './tenants.js';
import { deletedUsers, users } from './users.js';

/** Every collection of the database. */
const COLLECTIONS = {
  tenantState,
  tenants,
  users,
  deletedUsers,
  rooms,
  groups,
  memberships,
  roleMappings,
  smsLists,
  smsMembers,
  smsJobParts,
  jobs,
  jobParts,
  apiKeys,
  apiKeyUses,
  pluginRecords,
  pluginNotes,
  pluginDocuments,
  pluginJobs,
  leases,
  rememberedAnswers: storedResponses,
  commandLog,
  logEnds,
  capturedRequests,
  events,
  outbox,
  outboxAttempts,
  outboxRecoveries,
  rateWindows,
  operators,
  operatorSessions,
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
  await dropReplacedIndex(database);
};

/** What a descriptor can state of an index. */
const shapeOf = (index: object): object => {
  const { key, unique, partialFilterExpression, expireAfterSeconds } =
    index as mongo.IndexDescription;
  // As a text, because the order of its fields matters.
  return { key: JSON.stringify(key), unique, partialFilterExpression, expireAfterSeconds };
};

const hasItsIndexes = async (
  database: mongo.Db,
  { name, indexes }: CollectionDescriptor,
): Promise<boolean> => {
  if (indexes.length === 0) return true;
  const found = (await database.collection(name).listIndexes().toArray()).map(shapeOf);
  return indexes.every((index) => found.some((one) => isDeepStrictEqual(one, shapeOf(index))));
};

/** Earlier versions had an index on the target of a command. */
const dropReplacedIndex = async (database: mongo.Db): Promise<void> => {
  const log = commandLog.in(database);
  const name = 'tenant_1_target_1_at_-1';
  if (await log.indexExists(name)) await log.dropIndex(name).catch(() => undefined);
};
