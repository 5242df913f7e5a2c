import type * as mongo from 'mongodb';
import type { Log } from '../ports/telemetry.js';
import { mongoAdminTokenStore, checkSecretKey, refuseWrongKey } from './shared-secrets.js';
import { type Collections, collectionsOf, ensureCollections } from './tables/collections.js';
import { mongoCommandLogReader } from './read/command-log-reader.js';
import { mongoActionResults } from './action-results.js';
import { mongoActivityReader } from './read/activity-reader.js';
import { mongoSearchReader } from './read/search-reader.js';
import { mongoSystemReader } from './read/system-reader.js';
import {
  mongoApiKeyReader,
  mongoTenantReader,
  mongoJobReader,
  mongoEventReader,
} from './read/tenant-readers.js';
import { mongoExplainReader } from './read/explain-reader.js';
import { createGroupNames } from './read/group-names.js';
import { mongoGroupReader } from './read/group-reader.js';
import {
  mongoGroupViewReader,
  mongoRoleMappingReader,
  mongoRoleReader,
} from './read/role-mapping-reader.js';
import { joinInstances } from './instances.js';
import { mongoLeaseStore } from './leases.js';
import { mongoCommitStore, releasePriorityLocksOf } from './commit/mongo-commit-store.js';
import { mongoOperatorLog } from './operator-log.js';
import { mongoSignInStores } from './operators.js';
import { mongoCapturedRequests } from './captured-requests.js';
import { mongoConnectionStore } from './connections.js';
import { mongoDeliveryStore } from './stream/delivery-store.js';
import { mongoStreamStore } from './stream/stream-store.js';
import { upgradeOutbox } from './stream/upgrade-outbox.js';
import { mongoPluginCollection } from './plugin-documents.js';
import { mongoPluginNotes, mongoPluginRecordReader } from './plugin-records.js';
import type { KeptKeys } from './kept-keys.js';
import { fillNameWords, purgeTenants, refoldAtStart, refoldKeys } from './upkeep.js';
import { mongoRoomReader } from './read/room-reader.js';
import { createSearchLimits } from './read/search-limits.js';
import { guardPort, openSessionPool, type SessionPool } from './commit/session-pool.js';
import type { Seal } from './tables/collection.js';
import { SharedRateLimiter } from './shared-rate-limiter.js';
import { withinTime } from '../process/timers.js';
import { mongoSmsListReader } from './read/sms-list-reader.js';
import { mongoUserLookups } from './read/user-lookups.js';
import { mongoUserReader } from './read/user-reader.js';

export interface StoreSettings {
  /** This process: a new UUID each time it starts. */
  readonly instanceId: string;
  readonly secrets: Seal;
  /** Of Rollgate, for the other gateways. */
  readonly version?: string;
  /** How long events and log lines are kept, in milliseconds. */
  readonly keepEventsMs: number;
  readonly keepLogMs: number;
  /** Requests per minute and key, and per session of an operator. */
  readonly rateLimits: { readonly perMinute: number; readonly operatorsPerMinute: number };
  readonly log: Log;
}

/** Concurrent transactions, and sessions that are kept for them. */
const SESSIONS = 8;
/** How long `/readyz` waits for the database, in milliseconds. */
const READY_MS = 1_000;

/** The readers; they share the limits of searches, because they share one database. */
const openReaders = (collections: Collections, clock: () => Date) => {
  const searches = createSearchLimits();
  const groupNames = createGroupNames(collections);
  const tenants = mongoTenantReader(collections);
  const commands = mongoCommandLogReader(collections);
  return {
    users: mongoUserReader(collections, searches, groupNames),
    userLookups: mongoUserLookups(collections),
    groups: mongoGroupReader(collections, searches, groupNames),
    groupNames,
    groupViews: mongoGroupViewReader(collections),
    events: mongoEventReader(collections),
    rooms: mongoRoomReader(collections, searches),
    roleMappings: mongoRoleMappingReader(collections),
    roles: mongoRoleReader(collections),
    smsLists: mongoSmsListReader(collections, searches),
    jobs: mongoJobReader(collections),
    tenants,
    apiKeys: mongoApiKeyReader(collections, tenants),
    connections: mongoConnectionStore(collections),
    commands,
    explain: mongoExplainReader(collections, commands),
    activity: mongoActivityReader(collections, clock),
    search: mongoSearchReader(collections, commands),
    system: mongoSystemReader(collections),
    capturedRequests: mongoCapturedRequests(collections),
  };
};

const acceptsWrites = async (database: mongo.Db): Promise<boolean> => {
  const hello = await withinTime(READY_MS, () => database.command({ hello: 1 }));
  return hello.isWritablePrimary === true || hello.msg === 'isdbgrid';
};

/** What each plugin reads and writes. */
const openPluginStores = (collections: Collections, sessions: SessionPool, clock: () => Date) => ({
  recordsOf: (plugin: string) => mongoPluginRecordReader(collections, plugin),
  deliveriesOf: (plugin: string) => mongoDeliveryStore(collections, plugin, clock),
  notesOf: (plugin: string) => mongoPluginNotes(collections, plugin),
  collectionOf: (plugin: string, collection: string) =>
    mongoPluginCollection({ database: collections.database, sessions, clock }, plugin, collection),
});

/** Creates collections and indexes, joins the other gateways, and opens all readers and writers. */
export const openStore = async (client: mongo.MongoClient, settings: StoreSettings) => {
  const { instanceId, log, keepEventsMs, keepLogMs, rateLimits, secrets } = settings;
  const collections = collectionsOf(client);
  const { database } = collections;
  await refuseWrongKey(database, secrets);
  await upgradeOutbox(collections, { owner: instanceId, log });
  await ensureCollections(client);
  const keptKeys: KeptKeys = new Map();
  await refoldAtStart(collections, keptKeys);

  const sessions = openSessionPool(client, SESSIONS, {
    register: () => instances.registerSessions(),
  });
  const instances = await joinInstances({
    collections,
    sessions,
    instanceId,
    ...(settings.version !== undefined && { version: settings.version }),
    onExpired: (dead) => releasePriorityLocksOf(collections, dead),
    log,
  });
  const clock = instances.databaseTime;
  const stream = mongoStreamStore(collections, clock);
  const shared = { collections, now: () => clock().getTime(), instances: instances.alive };
  const rateLimiter = new SharedRateLimiter({ ...shared, limit: rateLimits.perMinute });
  const operatorRateLimiter = new SharedRateLimiter({
    ...shared,
    limit: rateLimits.operatorsPerMinute,
  });
  const commits = mongoCommitStore({
    collections,
    sessions,
    instanceId,
    clock,
    keepEventsMs,
    keepLogMs,
    seal: secrets,
    keptKeys,
  });
  return {
    ...openReaders(collections, clock),
    commits,
    operatorLog: mongoOperatorLog(collections, keepLogMs),
    stream: {
      ...guardPort(stream),
      // What waits for a key that ends may be a million deliveries.
      ...{ dropRetries: stream.dropRetries },
    },
    ...openPluginStores(collections, sessions, clock),
    actions: mongoActionResults(collections, secrets, clock),
    leases: guardPort(mongoLeaseStore(database)),
    rateLimiter,
    operatorRateLimiter,
    instances,
    adminToken: mongoAdminTokenStore(collections),
    signIn: mongoSignInStores(collections, sessions),
    /**
     * Stores a check value of our key unless there is one. Rejects with a DatabaseError if it was
     * made with another key.
     */
    claimSecretKey: () => checkSecretKey(database, secrets),
    /** Whether the database responds and accepts writes, and this gateway's heartbeat is not overdue. */
    isReady: async () => !instances.isOverdue() && (await acceptsWrites(database)),
    /** Deletes the documents of deleted tenants; returns their ids. */
    purge: () => purgeTenants(collections),
    /** Indexes names and keys that earlier versions have written; returns how many. */
    indexNames: async (signal: AbortSignal) =>
      (await refoldKeys(collections, keptKeys)) +
      (await fillNameWords(collections, keptKeys, signal)),
    close: async () => {
      await commits.settle();
      for (const limiter of [rateLimiter, operatorRateLimiter])
        await limiter.close().catch(() => undefined);
      await instances.leave();
      await sessions.close();
      await client.close();
    },
  };
};

/** Everything that the gateway reads from and writes to its database. */
export type Store = Awaited<ReturnType<typeof openStore>>;
