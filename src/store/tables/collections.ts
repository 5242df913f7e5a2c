import type { Connection, mongo } from 'mongoose';
import { apiKeys, apiKeyUses } from './api-keys.js';
import { type CollectionDescriptor, schemaOf } from './collection.js';
import { commandLog } from './command-log.js';
import { events } from './events.js';
import { groups } from './groups.js';
import { instances } from './instances.js';
import { jobParts, jobs } from './jobs.js';
import { leases } from './leases.js';
import { memberships } from './memberships.js';
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
  events,
  outbox,
  outboxAttempts,
  outboxRecoveries,
  rateWindows,
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

export const collectionsOf = (connection: Connection): Collections => {
  const database = connection.db;
  if (!database) throw new Error('The connection to MongoDB is not open.');
  const opened = Object.entries(COLLECTIONS).map(([name, { in: open }]) => [name, open(database)]);
  return { ...Object.fromEntries(opened), client: connection.getClient(), database } as Collections;
};

/**
 * Creates the collections and indexes that are missing. Collections first: a transaction that has to
 * create one waits for a lock on the whole database.
 */
export const ensureCollections = async (connection: Connection): Promise<void> => {
  await Promise.all(
    ALL_COLLECTIONS.map(async (descriptor) => {
      const { name } = descriptor;
      const model = connection.models[name] ?? connection.model(name, schemaOf(descriptor), name);
      await model.createCollection();
      await model.createIndexes();
    }),
  );
  await dropReplacedIndex(connection);
};

/** Earlier versions had an index on the target of a command. */
const dropReplacedIndex = async (connection: Connection): Promise<void> => {
  const log = collectionsOf(connection).commandLog;
  const name = 'tenant_1_target_1_at_-1';
  if (await log.indexExists(name)) await log.dropIndex(name).catch(() => undefined);
};
