import type { TenantId } from '../../domain/kernel/ids.js';
import type { ApiKey, Tenant } from '../../domain/tenant/tenant.js';
import {
  DEFAULT_SCIM_SETTINGS,
  type RoomProvisioning,
  type ScimSettings,
} from '../../domain/tenant/scim-settings.js';
import type { CustomAttribute } from '../../domain/tenant/custom-attributes.js';
import type { Scope } from '../../domain/scopes.js';
import { createCodec, OF_TENANT } from './codec.js';
import { rememberDeletedKeys } from './connections.js';
import { SEGMENTS, type SegmentCounts } from './segments.js';
import {
  defineCollection,
  defineTenantCollection,
  type DocumentOf,
  EXPIRES,
  expireLater,
  uniqueWhereSet,
  whereSet,
} from './collection.js';
import { nullable, optional, typed } from './fields.js';
import { defineTable } from './table.js';

/** The directory of tenants, apart from what their commits count (pipeline-rules.md 14). */
export const tenants = defineCollection({
  name: 'tenants',
  fields: {
    _id: String,
    /** Absent once the tenant is deleted, so that the slug is free again. */
    slug: optional(String),
    name: String,
    createdAt: Date,
    deletedAt: optional(Date),
  },
  indexes: [
    { key: { slug: 1 }, ...uniqueWhereSet('slug') },
    { key: { createdAt: 1, _id: 1 } },
    // Deleted tenants only: queried every minute, and few.
    { key: { deletedAt: 1 }, ...whereSet('deletedAt') },
  ],
  purge: 'last',
});

export type TenantDocument = DocumentOf<typeof tenants>;

/** One document per tenant, whose version every commit checks and increments (pipeline-rules.md 3). */
export const tenantState = defineCollection({
  name: 'tenant_state',
  fields: {
    _id: String,
    v: Number,
    seq: Number,
    /** The server's time of the last commit; the next one is later. */
    at: Date,
    /** The number of the next user in the order of creation. */
    nextOrdinal: Number,
    /** How many users each segment of that order still has (segments.ts). */
    [SEGMENTS]: optional(typed<SegmentCounts>(Object)),
    slug: String,
    name: String,
    seatCapacity: nullable(Number),
    defaultRole: String,
    roomProvisioning: typed<RoomProvisioning>(String),
    defaultCountry: nullable(String),
    /** Without the settings that a later version than that of the last change has added. */
    scim: typed<Partial<ScimSettings>>(Object),
    /** Absent from documents of version 0.1.0, as is `captureUntil`. */
    customAttributes: optional(typed<readonly CustomAttribute[]>(Object)),
    captureUntil: optional(nullable(Date)),
    createdAt: Date,
    settingsVersion: Number,
    seatsProvisioned: Number,
    userCount: Number,
    roomCount: Number,
    groupCount: Number,
    roleMappingCount: Number,
    smsListCount: Number,
    pluginVersions: typed<Readonly<Record<string, number>>>(Object),
    removals: typed<Tenant['removals']>(Object),
    deleted: optional(typed<true>(Boolean)),
    /** The priority lock (mongo-commit-store.ts): the instance whose commit is next. */
    turn: optional(typed<{ readonly own: string; readonly until: Date }>(Object)),
  },
  purge: 'last',
});

/** A tenant's state as a commit needs it. */
export type CommitState = Omit<DocumentOf<typeof tenantState>, typeof SEGMENTS>;

export const fromTenantState = (document: CommitState): Tenant => ({
  id: document._id as TenantId,
  slug: document.slug,
  name: document.name,
  seatCapacity: document.seatCapacity,
  defaultRole: document.defaultRole,
  roomProvisioning: document.roomProvisioning,
  defaultCountry: document.defaultCountry,
  scim: { ...DEFAULT_SCIM_SETTINGS, ...document.scim },
  customAttributes: document.customAttributes ?? [],
  captureUntil: document.captureUntil ?? null,
  createdAt: document.createdAt,
  version: document.settingsVersion,
  seatsProvisioned: document.seatsProvisioned,
  userCount: document.userCount,
  roomCount: document.roomCount,
  groupCount: document.groupCount,
  roleMappingCount: document.roleMappingCount,
  smsListCount: document.smsListCount,
  pluginVersions: document.pluginVersions,
  removals: document.removals,
});

/** The fields that a commit sets when the tenant changes, besides its own (commit.ts). */
export const toTenantFields = ({
  id: _id,
  version: settingsVersion,
  ...fields
}: Tenant): Omit<CommitState, '_id' | 'v' | 'seq' | 'at' | 'nextOrdinal' | 'turn'> => ({
  ...fields,
  settingsVersion,
});

export const tenantTable = defineTable('tenants', tenants, {
  keys: { id: '_id', slug: 'slug' },
  acrossTenants: true,
  fromDocument: ({ _id, slug }) => (slug === undefined ? undefined : { id: _id as TenantId, slug }),
});

const apiKeys = defineTenantCollection({
  name: 'api_keys',
  fields: {
    hash: String,
    prefix: String,
    description: String,
    scopes: typed<readonly Scope[]>([String]),
    createdAt: Date,
    /** Absent: the key does not expire. It stays listed until it is deleted. */
    expiresAt: optional(Date),
  },
  indexes: [{ key: { hash: 1 }, unique: true }, { key: { tenant: 1, createdAt: 1, _id: 1 } }],
});

export type ApiKeyDocument = DocumentOf<typeof apiKeys>;

/** When each key was last used; apart from the key, because it is written outside commits. */
export const apiKeyUses = defineCollection({
  name: 'api_key_uses',
  fields: {
    _id: String,
    /** Absent if the key was deleted before it was ever used. */
    lastUsedAt: optional(Date),
    /** Of the last use. */
    userAgent: optional(String),
    /** The first use, and the first search for a user. */
    firstUsedAt: optional(Date),
    lookedUpAt: optional(Date),
    /** Set when the key is deleted (`expireLater`). */
    expireAt: optional(Date),
  },
  indexes: [{ ...EXPIRES, ...whereSet('expireAt') }],
  purge: 'expires',
});

export const apiKeyTable = defineTable('apiKeys', apiKeys, {
  keys: { id: '_id' },
  ...createCodec<ApiKey, ApiKeyDocument>({ names: OF_TENANT }),
  afterDelete: async (deleted, database, session) => {
    await expireLater(
      apiKeyUses.in(database),
      deleted.map(({ id }) => id),
      session,
    );
    await rememberDeletedKeys(deleted, database, session);
  },
});
