import type { OperatorLog } from '../ports/operator-log.js';
import type * as mongo from 'mongodb';
import type {
  ActivityReader,
  CapturedRequests,
  CommandLogReader,
  ExplainReader,
} from '../ports/command-log.js';
import type {
  JobReader,
  EventLogEnd,
  EventReader,
  SearchReader,
  ApiKeyReader,
  TenantReader,
} from '../ports/tenants.js';
import type { DeliveryStore } from '../ports/deliveries.js';
import type { StreamStore } from '../ports/event-stream.js';
import type { ConnectionStore } from '../ports/connections.js';
import type { Log } from '../ports/telemetry.js';
import type { RoleMappingReader, RoleReader, RoomReader, GroupViewReader } from '../ports/rooms.js';
import type { SmsListReader } from '../ports/sms-lists.js';
import type { GroupReader, UserLookups, UserReader } from '../ports/users.js';
import type { AdminTokenStore, SignInStores } from '../ports/operators.js';
import type { LeaseStore, PluginCollection } from '../ports/plugin-storage.js';
import type { CommitStore } from '../pipeline/commit-store.js';
import { mongoAdminTokenStore, checkSecretKey, refuseWrongKey } from './shared-secrets.js';
import { collectionsOf, ensureCollections } from './tables/collections.js';
import { mongoCommandLogReader } from './read/command-log-reader.js';
import { mongoActionResults } from './action-results.js';
import { mongoActivityReader } from './read/activity-reader.js';
import { mongoSearchReader } from './read/search-reader.js';
import { mongoSystemReader, type SystemReader } from './read/system-reader.js';
import {
  mongoApiKeyReader,
  mongoTenantReader,
  mongoJobReader,
  mongoEventReader,
} from './read/tenant-readers.js';
import { mongoExplainReader } from './read/explain-reader.js';
import { createGroupNames, type GroupNames } from './read/group-names.js';
import { mongoGroupReader } from './read/group-reader.js';
import {
  mongoGroupViewReader,
  mongoRoleMappingReader,
  mongoRoleReader,
} from './read/role-mapping-reader.js';
import { type Instances, joinInstances } from './instances.js';
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
import {
  mongoPluginNotes,
  mongoPluginRecordReader,
  type PluginRecordReader,
} from './plugin-records.js';
import type { KeptKeys } from './kept-keys.js';
import { fillNameWords, purgeTenants, refoldAtStart, refoldKeys } from './upkeep.js';
import { mongoRoomReader } from './read/room-reader.js';
import { createSearchLimits } from './read/search-limits.js';
import { guardPort, openSessionPool } from './commit/session-pool.js';
import type { Seal } from './tables/collection.js';
import { createSharedRateLimiter, type SharedRateLimiter } from './shared-rate-limiter.js';
import { withinTime } from '../process/timers.js';
import { mongoSmsListReader } from './read/sms-list-reader.js';
import { mongoUserLookups, mongoUserReader } from './read/user-reader.js';

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

/** Everything that the gateway reads from and writes to its database. */
export interface Store {
  readonly commits: CommitStore;
  readonly users: UserReader;
  readonly userLookups: UserLookups;
  readonly groups: GroupReader;
  readonly groupNames: Pick<GroupNames, 'forget'>;
  readonly groupViews: GroupViewReader;
  readonly rooms: RoomReader;
  readonly roleMappings: RoleMappingReader;
  readonly roles: RoleReader;
  readonly smsLists: SmsListReader;
  readonly jobs: JobReader;
  readonly events: EventReader & EventLogEnd;
  readonly tenants: TenantReader;
  readonly apiKeys: ApiKeyReader;
  readonly connections: ConnectionStore;
  readonly commands: CommandLogReader;
  readonly explain: ExplainReader;
  readonly activity: ActivityReader;
  readonly search: SearchReader;
  readonly system: SystemReader;
  readonly stream: StreamStore;
  readonly recordsOf: (plugin: string) => PluginRecordReader;
  readonly deliveriesOf: (plugin: string) => DeliveryStore;
  readonly actions: ReturnType<typeof mongoActionResults>;
  readonly notesOf: (plugin: string) => ReturnType<typeof mongoPluginNotes>;
  readonly collectionOf: (plugin: string, collection: string) => PluginCollection;
  readonly leases: LeaseStore;
  readonly rateLimiter: SharedRateLimiter;
  readonly operatorRateLimiter: SharedRateLimiter;
  readonly instances: Instances;
  readonly adminToken: AdminTokenStore;
  readonly operatorLog: OperatorLog;
  readonly signIn: SignInStores;
  readonly capturedRequests: CapturedRequests;
  /**
   * Stores a check value of our key unless there is one. Rejects with a DatabaseError if it was
   * made with another key.
   */
  readonly claimSecretKey: () => Promise<void>;
  /** Whether the database responds and accepts writes, and this gateway's heartbeat is not overdue. */
  readonly isReady: () => Promise<boolean>;
  /** Deletes the documents of deleted tenants; returns their ids. */
  readonly purge: () => Promise<readonly string[]>;
  /** Indexes names and keys that earlier versions have written; returns how many. */
  readonly indexNames: (signal: AbortSignal) => Promise<number>;
  readonly close: () => Promise<void>;
}

/** Concurrent transactions, and sessions that are kept for them. */
const SESSIONS = 8;
/** How long `/readyz` waits for the database, in milliseconds. */
const READY_MS = 1_000;

/** Creates collections and indexes, joins the other gateways, and opens all readers and writers. */
export const openStore = async (
  client: mongo.MongoClient,
  settings: StoreSettings,
): Promise<Store> => {
  const { instanceId, log, keepEventsMs, keepLogMs, rateLimits } = settings;
  const collections = collectionsOf(client);
  const { database } = collections;
  await refuseWrongKey(database, settings.secrets);
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
  const stream = mongoStreamStore(collections, instances.databaseTime);
  const createRateLimiter = (limit: number): SharedRateLimiter =>
    createSharedRateLimiter({
      collections,
      limit,
      now: () => instances.databaseTime().getTime(),
      instances: instances.alive,
    });
  const rateLimiter = createRateLimiter(rateLimits.perMinute);
  const operatorRateLimiter = createRateLimiter(rateLimits.operatorsPerMinute);
  const tenants = mongoTenantReader(collections);
  const commands = mongoCommandLogReader(collections);
  // Shared by all readers, because they share one database.
  const searches = createSearchLimits();
  const groupNames = createGroupNames(collections);
  const commits = mongoCommitStore({
    collections,
    sessions,
    instanceId,
    clock: instances.databaseTime,
    keepEventsMs,
    keepLogMs,
    seal: settings.secrets,
    keptKeys,
  });
  return {
    commits,
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
    operatorLog: mongoOperatorLog(collections, keepLogMs),
    explain: mongoExplainReader(collections, commands),
    activity: mongoActivityReader(collections, instances.databaseTime),
    search: mongoSearchReader(collections, commands),
    system: mongoSystemReader(collections),
    stream: {
      ...guardPort(stream),
      // What waits for a key that ends may be a million deliveries.
      ...{ dropRetries: stream.dropRetries },
    },
    recordsOf: (plugin) => mongoPluginRecordReader(collections, plugin),
    deliveriesOf: (plugin) => mongoDeliveryStore(collections, plugin, instances.databaseTime),
    actions: mongoActionResults(collections, settings.secrets, instances.databaseTime),
    notesOf: (plugin) => mongoPluginNotes(collections, plugin),
    collectionOf: (plugin, collection) =>
      mongoPluginCollection(
        { database, sessions, clock: instances.databaseTime },
        plugin,
        collection,
      ),
    leases: guardPort(mongoLeaseStore(database)),
    rateLimiter,
    operatorRateLimiter,
    instances,
    adminToken: mongoAdminTokenStore(collections),
    signIn: mongoSignInStores(collections, sessions),
    capturedRequests: mongoCapturedRequests(collections),
    claimSecretKey: () => checkSecretKey(database, settings.secrets),
    isReady: async () => {
      if (instances.isOverdue()) return false;
      const hello = await withinTime(READY_MS, () => database.command({ hello: 1 }));
      return hello.isWritablePrimary === true || hello.msg === 'isdbgrid';
    },
    purge: () => purgeTenants(collections),
    indexNames: async (signal) =>
      (await refoldKeys(collections, keptKeys)) +
      (await fillNameWords(collections, keptKeys, signal)),
    close: async () => {
      await commits.settle();
      for (const { close } of [rateLimiter, operatorRateLimiter])
        await close().catch(() => undefined);
      await instances.leave();
      await sessions.close();
      await client.close();
    },
  };
};
