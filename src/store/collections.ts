import { type Connection, type mongo, Schema } from 'mongoose';
import type {
  ApiKeyDocument,
  ApiKeyUseDocument,
  CommandLogDocument,
  DeletedUserDocument,
  GroupDocument,
  JobDocument,
  JobPartDocument,
  MembershipDocument,
  PluginNoteDocument,
  PluginRecordDocument,
  RememberedAnswerDocument,
  RoleMappingDocument,
  RoomDocument,
  TenantDocument,
  TenantStateDocument,
  UserDocument,
} from './documents.js';
import type { SmsJobPartDocument, SmsListDocument, SmsMemberDocument } from './sms-documents.js';

type Fields<Document> = { readonly [Field in keyof Required<Document>]: unknown };

/**
 * A collection's fields and indexes, declared in mongoose. Documents are read and written by the
 * driver's own collection: on this path hydration and casting would cost more than the database
 * (performance facts: 15 to 17 % for hydration alone), and every document passes a typed codec.
 */
const schemaOf = <Document>(fields: Fields<Document>): Schema =>
  new Schema(fields as Record<string, object>, {
    versionKey: false,
    autoIndex: false,
    autoCreate: false,
    strict: 'throw',
  });

const MIXED = Schema.Types.Mixed;

/** Unique only where the key is there, so that whoever gives a key up can blank it (pipeline-rules.md 10). */
const uniqueWhereSet = (field: string) =>
  ({ unique: true, partialFilterExpression: { [field]: { $exists: true } } }) as const;

/** Of those that have the field: the others cost nothing. */
const whereSet = (field: string) =>
  ({ partialFilterExpression: { [field]: { $exists: true } } }) as const;

const tenants = schemaOf<TenantDocument>({
  _id: String,
  slug: String,
  name: String,
  createdAt: Date,
  deletedAt: Date,
})
  .index({ slug: 1 }, { unique: true, partialFilterExpression: { slug: { $exists: true } } })
  .index({ createdAt: 1, _id: 1 })
  // Tombstones alone: looked for every minute, and few.
  .index({ deletedAt: 1 }, whereSet('deletedAt'));

const tenantState = schemaOf<TenantStateDocument>({
  _id: String,
  v: Number,
  seq: Number,
  at: Date,
  nextOrdinal: Number,
  stretches: MIXED,
  slug: String,
  name: String,
  seatCapacity: Number,
  defaultRole: String,
  roomProvisioning: String,
  defaultCountry: String,
  scim: MIXED,
  createdAt: Date,
  settingsVersion: Number,
  seatsProvisioned: Number,
  userCount: Number,
  roomCount: Number,
  groupCount: Number,
  roleMappingCount: Number,
  smsListCount: Number,
  pluginVersions: MIXED,
  deleted: Boolean,
  turn: MIXED,
});

const userFields = {
  _id: String,
  tenant: String,
  n: Number,
  v: Number,
  profile: MIXED,
  email: String,
  role: String,
  createdAt: Date,
  updatedAt: Date,
};

const users = schemaOf<UserDocument>({ ...userFields, folded: MIXED })
  .index({ tenant: 1, 'folded.userName': 1 }, uniqueWhereSet('folded.userName'))
  .index({ tenant: 1, 'folded.email': 1 }, uniqueWhereSet('folded.email'))
  .index({ tenant: 1, n: 1 }, { unique: true })
  .index({ tenant: 1, 'folded.emails.value': 1 })
  .index({ tenant: 1, 'folded.displayName': 1 })
  .index({ tenant: 1, 'folded.label': 1, n: 1 })
  .index({ tenant: 1, 'profile.externalId': 1 })
  .index({ tenant: 1, updatedAt: 1, n: 1 })
  .index({ tenant: 1, role: 1, _id: 1 })
  .index({ tenant: 1, 'profile.active': 1, n: 1 });

const departedUsers = schemaOf<DeletedUserDocument>({ ...userFields, departedAt: Date }).index({
  tenant: 1,
  departedAt: 1,
});

const apiKeys = schemaOf<ApiKeyDocument>({
  _id: String,
  tenant: String,
  hash: String,
  prefix: String,
  description: String,
  scopes: [String],
  createdAt: Date,
})
  .index({ hash: 1 }, { unique: true })
  .index({ tenant: 1, createdAt: 1, _id: 1 });

const apiKeyUses = schemaOf<ApiKeyUseDocument>({
  _id: String,
  lastUsedAt: Date,
  expireAt: Date,
}).index({ expireAt: 1 }, { expireAfterSeconds: 0, ...whereSet('expireAt') });

const pluginNotes = schemaOf<PluginNoteDocument>({
  _id: String,
  tenant: String,
  note: MIXED,
  mark: String,
  at: Date,
  expireAt: Date,
})
  // Both of few notes alone: the others, written often, never touch them.
  .index({ mark: 1 }, whereSet('mark'))
  .index({ expireAt: 1 }, { expireAfterSeconds: 0, ...whereSet('expireAt') });

const pluginRecords = schemaOf<PluginRecordDocument>({
  _id: String,
  tenant: String,
  plugin: String,
  v: Number,
  data: MIXED,
  createdAt: Date,
}).index({ tenant: 1, plugin: 1, createdAt: 1, _id: 1 });

const rememberedAnswers = schemaOf<RememberedAnswerDocument>({
  _id: String,
  tenant: String,
  fingerprint: String,
  sealed: String,
  at: Date,
  expireAt: Date,
})
  .index({ tenant: 1 })
  .index({ expireAt: 1 }, { expireAfterSeconds: 0 });

const commandLog = schemaOf<CommandLogDocument>({
  _id: String,
  tenant: String,
  at: Date,
  actor: String,
  source: String,
  type: String,
  outcome: String,
  refusal: MIXED,
  events: [Number],
  durationMs: Number,
  requestId: String,
  answer: MIXED,
  expireAt: Date,
  actorName: String,
  subject: MIXED,
  affected: MIXED,
  affectedCount: Number,
  changes: MIXED,
  changeCount: Number,
  deliveries: Number,
  keys: [String],
  target: String,
  changed: [String],
})
  .index({ tenant: 1, at: -1, _id: -1 })
  // Written in every commit: one index for all that lines are found by.
  .index({ tenant: 1, keys: 1, at: -1, _id: -1 })
  .index({ expireAt: 1 }, { expireAfterSeconds: 0 });

const rooms = schemaOf<RoomDocument>({
  _id: String,
  tenant: String,
  v: Number,
  name: String,
  folded: MIXED,
  memberCount: Number,
  pendingJob: String,
  createdAt: Date,
  updatedAt: Date,
})
  .index({ tenant: 1, 'folded.name': 1 }, { unique: true })
  .index({ tenant: 1, createdAt: 1, _id: 1 });

const groups = schemaOf<GroupDocument>({
  _id: String,
  tenant: String,
  v: Number,
  displayName: String,
  externalId: String,
  folded: MIXED,
  roster: String,
  room: String,
  memberCount: Number,
  pendingJob: String,
  createdAt: Date,
  updatedAt: Date,
})
  .index({ tenant: 1, 'folded.displayName': 1 }, { unique: true })
  .index({ tenant: 1, roster: 1 }, { unique: true })
  .index({ tenant: 1, externalId: 1 })
  .index({ tenant: 1, updatedAt: 1, _id: 1 })
  .index({ tenant: 1, createdAt: 1, _id: 1 });

const memberships = schemaOf<MembershipDocument>({
  _id: String,
  tenant: String,
  roster: String,
  user: String,
  tx: Boolean,
  addedAt: Date,
})
  .index({ tenant: 1, roster: 1, user: 1 }, { unique: true })
  .index({ tenant: 1, user: 1, roster: 1 });

const roleMappings = schemaOf<RoleMappingDocument>({
  _id: String,
  tenant: String,
  v: Number,
  groupDisplayName: String,
  folded: MIXED,
  role: String,
  applies: Boolean,
  priority: Number,
  createdAt: Date,
})
  .index({ tenant: 1, 'folded.groupDisplayName': 1 }, { unique: true })
  .index({ tenant: 1, createdAt: 1, _id: 1 });

const smsLists = schemaOf<SmsListDocument>({
  _id: String,
  tenant: String,
  v: Number,
  folded: MIXED,
  name: String,
  externalId: String,
  validFrom: Date,
  validUntil: Date,
  memberCount: Number,
  nextPlace: Number,
  stretches: MIXED,
  pendingJob: String,
  createdAt: Date,
  updatedAt: Date,
})
  .index({ tenant: 1, 'folded.name': 1 }, uniqueWhereSet('folded.name'))
  .index({ tenant: 1, externalId: 1 }, uniqueWhereSet('externalId'))
  .index({ tenant: 1, createdAt: 1, _id: 1 });

const smsMembers = schemaOf<SmsMemberDocument>({
  _id: String,
  tenant: String,
  list: String,
  key: String,
  sealed: String,
  displayName: String,
  place: Number,
  from: Date,
  until: Date,
  starts: Date,
  ends: Date,
  createdAt: Date,
})
  .index({ tenant: 1, key: 1 }, { unique: true })
  // Recipients at a time are told apart in the index, without a look at the documents.
  .index({ tenant: 1, list: 1, place: 1, from: 1, until: 1 })
  .index({ tenant: 1, list: 1, starts: 1, place: 1 }, whereSet('starts'))
  .index({ tenant: 1, list: 1, ends: 1, place: 1 }, whereSet('ends'))
  .index({ ends: 1 }, whereSet('ends'));

const smsJobParts = schemaOf<SmsJobPartDocument>({
  _id: String,
  tenant: String,
  members: [String],
  after: MIXED,
}).index({ tenant: 1 });

const jobs = schemaOf<JobDocument>({
  _id: String,
  tenant: String,
  work: MIXED,
  subject: String,
  cursor: String,
  done: Number,
  total: Number,
  readableBy: [String],
  requestId: String,
  createdAt: Date,
  updatedAt: Date,
  finishedAt: Date,
  expireAt: Date,
})
  .index({ tenant: 1, subject: 1 }, uniqueWhereSet('subject'))
  .index({ tenant: 1, createdAt: -1, _id: 1 })
  .index({ finishedAt: 1, updatedAt: 1 })
  .index({ expireAt: 1 }, { expireAfterSeconds: 0 });

const jobParts = schemaOf<JobPartDocument>({
  _id: String,
  tenant: String,
  users: [String],
  actions: [String],
  tx: [Boolean],
}).index({ tenant: 1 });

const SCHEMAS = {
  tenants,
  tenant_state: tenantState,
  users,
  departed_users: departedUsers,
  rooms,
  groups,
  memberships,
  role_mappings: roleMappings,
  sms_lists: smsLists,
  sms_members: smsMembers,
  sms_job_parts: smsJobParts,
  jobs,
  job_parts: jobParts,
  api_keys: apiKeys,
  api_key_uses: apiKeyUses,
  plugin_records: pluginRecords,
  plugin_notes: pluginNotes,
  remembered_answers: rememberedAnswers,
  command_log: commandLog,
} as const;

/** What mongoose is asked to index, by collection. */
export const SCHEMA_INDEXES = Object.entries(SCHEMAS).map(
  ([collection, schema]) => [collection, schema.indexes()] as const,
);

export interface Collections {
  readonly client: mongo.MongoClient;
  readonly database: mongo.Db;
  readonly tenants: mongo.Collection<TenantDocument>;
  readonly tenantState: mongo.Collection<TenantStateDocument>;
  readonly users: mongo.Collection<UserDocument>;
  readonly deletedUsers: mongo.Collection<DeletedUserDocument>;
  readonly rooms: mongo.Collection<RoomDocument>;
  readonly groups: mongo.Collection<GroupDocument>;
  readonly memberships: mongo.Collection<MembershipDocument>;
  readonly roleMappings: mongo.Collection<RoleMappingDocument>;
  readonly smsLists: mongo.Collection<SmsListDocument>;
  readonly smsMembers: mongo.Collection<SmsMemberDocument>;
  readonly smsJobParts: mongo.Collection<SmsJobPartDocument>;
  readonly jobs: mongo.Collection<JobDocument>;
  readonly jobParts: mongo.Collection<JobPartDocument>;
  readonly apiKeys: mongo.Collection<ApiKeyDocument>;
  readonly apiKeyUses: mongo.Collection<ApiKeyUseDocument>;
  readonly pluginNotes: mongo.Collection<PluginNoteDocument>;
  readonly pluginRecords: mongo.Collection<PluginRecordDocument>;
  readonly rememberedAnswers: mongo.Collection<RememberedAnswerDocument>;
  readonly commandLog: mongo.Collection<CommandLogDocument>;
}

export const collectionsOf = (connection: Connection): Collections => {
  const database = connection.db;
  if (!database) throw new Error('The connection to MongoDB is not open.');
  return {
    client: connection.getClient(),
    database,
    tenants: database.collection('tenants'),
    tenantState: database.collection('tenant_state'),
    users: database.collection('users'),
    deletedUsers: database.collection('departed_users'),
    rooms: database.collection('rooms'),
    groups: database.collection('groups'),
    memberships: database.collection('memberships'),
    roleMappings: database.collection('role_mappings'),
    smsLists: database.collection('sms_lists'),
    smsMembers: database.collection('sms_members'),
    smsJobParts: database.collection('sms_job_parts'),
    jobs: database.collection('jobs'),
    jobParts: database.collection('job_parts'),
    apiKeys: database.collection('api_keys'),
    apiKeyUses: database.collection('api_key_uses'),
    pluginNotes: database.collection('plugin_notes'),
    pluginRecords: database.collection('plugin_records'),
    rememberedAnswers: database.collection('remembered_answers'),
    commandLog: database.collection('command_log'),
  };
};

/**
 * Makes the collections and their indexes where they are missing. Collections first: a transaction
 * that has to make one waits for a lock on the whole database.
 */
export const ensureCollections = async (connection: Connection): Promise<void> => {
  await Promise.all(
    Object.entries(SCHEMAS).map(async ([name, schema]) => {
      const model = connection.models[name] ?? connection.model(name, schema, name);
      await model.createCollection();
      await model.createIndexes();
    }),
  );
  await dropIndexOfBefore(connection);
};

/** The provisioning log was once found by the id of what a command was about, and no more. */
const dropIndexOfBefore = async (connection: Connection): Promise<void> => {
  const { commandLog } = collectionsOf(connection);
  const name = 'tenant_1_target_1_at_-1';
  if (await commandLog.indexExists(name)) await commandLog.dropIndex(name).catch(() => undefined);
};
