import type { TenantId, ApiKeyId } from '../../domain/kernel/ids.js';
import type { ApiKey, Tenant } from '../../domain/tenant/tenant.js';
import {
  DEFAULT_SCIM_SETTINGS,
  type RoomProvisioning,
  type ScimSettings,
} from '../../domain/tenant/scim-settings.js';
import type { CustomAttribute } from '../../domain/tenant/custom-attributes.js';
import { rememberDeletedKeys } from './connections.js';
import { SEGMENTS, type SegmentCounts } from './segments.js';
import {
  defineCollection,
  MIXED,
  uniqueWhereSet,
  whereSet,
  defineTable,
  expireLater,
  EXPIRES,
} from './collection.js';
import type { Scope } from '../../domain/scopes.js';

/** The directory of tenants, apart from what their commits count (pipeline-rules.md 14). */
export interface TenantDocument {
  readonly _id: string;
  /** Absent once the tenant is deleted, so that the slug is free again. */
  readonly slug?: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly deletedAt?: Date;
}

export const tenants = defineCollection<TenantDocument>({
  name: 'tenants',
  fields: { _id: String, slug: String, name: String, createdAt: Date, deletedAt: Date },
  indexes: [
    { key: { slug: 1 }, ...uniqueWhereSet('slug') },
    { key: { createdAt: 1, _id: 1 } },
    // Deleted tenants only: queried every minute, and few.
    { key: { deletedAt: 1 }, ...whereSet('deletedAt') },
  ],
  purge: 'last',
});

/** One document per tenant, whose version every commit checks and increments (pipeline-rules.md 3). */
export interface TenantStateDocument {
  readonly _id: string;
  readonly v: number;
  readonly seq: number;
  /** The server's time of the last commit; the next one is later. */
  readonly at: Date;
  /** The number of the next user in the order of creation. */
  readonly nextOrdinal: number;
  /** How many users each segment of that order still has (segments.ts). */
  readonly [SEGMENTS]?: SegmentCounts;
  readonly slug: string;
  readonly name: string;
  readonly seatCapacity: number | null;
  readonly defaultRole: string;
  readonly roomProvisioning: RoomProvisioning;
  /** Absent from documents of earlier versions, as are the other optional fields. */
  readonly defaultCountry?: string | null;
  readonly scim?: Partial<ScimSettings>;
  readonly customAttributes?: readonly CustomAttribute[];
  readonly captureUntil?: Date | null;
  readonly createdAt: Date;
  readonly settingsVersion?: number;
  readonly seatsProvisioned: number;
  readonly userCount: number;
  readonly roomCount: number;
  readonly groupCount: number;
  readonly roleMappingCount: number;
  readonly smsListCount?: number;
  readonly pluginVersions: Readonly<Record<string, number>>;
  readonly removals?: Tenant['removals'];
  readonly deleted?: true;
  /** The priority lock (mongo-commit-store.ts): the instance whose commit is next. */
  readonly turn?: { readonly own: string; readonly until: Date };
}

/** A tenant's state as a commit needs it. */
export type CommitState = Omit<TenantStateDocument, typeof SEGMENTS>;

export const tenantState = defineCollection<TenantStateDocument>({
  name: 'tenant_state',
  fields: {
    _id: String,
    v: Number,
    seq: Number,
    at: Date,
    nextOrdinal: Number,
    [SEGMENTS]: MIXED,
    slug: String,
    name: String,
    seatCapacity: Number,
    defaultRole: String,
    roomProvisioning: String,
    defaultCountry: String,
    scim: MIXED,
    customAttributes: MIXED,
    captureUntil: Date,
    createdAt: Date,
    settingsVersion: Number,
    seatsProvisioned: Number,
    userCount: Number,
    roomCount: Number,
    groupCount: Number,
    roleMappingCount: Number,
    smsListCount: Number,
    pluginVersions: MIXED,
    removals: MIXED,
    deleted: Boolean,
    turn: MIXED,
  },
  indexes: [],
  purge: 'last',
});

export const fromTenantState = (document: CommitState): Tenant => ({
  id: document._id as TenantId,
  slug: document.slug,
  name: document.name,
  seatCapacity: document.seatCapacity,
  defaultRole: document.defaultRole,
  roomProvisioning: document.roomProvisioning,
  defaultCountry: document.defaultCountry ?? null,
  scim: { ...DEFAULT_SCIM_SETTINGS, ...document.scim },
  customAttributes: document.customAttributes ?? [],
  captureUntil: document.captureUntil ?? null,
  createdAt: document.createdAt,
  version: document.settingsVersion ?? 1,
  seatsProvisioned: document.seatsProvisioned,
  userCount: document.userCount,
  roomCount: document.roomCount,
  groupCount: document.groupCount,
  roleMappingCount: document.roleMappingCount,
  smsListCount: document.smsListCount ?? 0,
  pluginVersions: document.pluginVersions,
  removals: document.removals ?? {},
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

export const tenantTable = defineTable<'tenants', TenantDocument>(tenants, {
  keys: { id: '_id', slug: 'slug' },
  acrossTenants: true,
  fromDocument: ({ _id, slug }) => (slug === undefined ? undefined : { id: _id as TenantId, slug }),
});

export interface ApiKeyDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly hash: string;
  readonly prefix: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  /** Absent: the key does not expire. It stays listed until it is deleted. */
  readonly expiresAt?: Date;
}

export const apiKeys = defineCollection<ApiKeyDocument>({
  name: 'api_keys',
  fields: {
    _id: String,
    tenant: String,
    hash: String,
    prefix: String,
    description: String,
    scopes: [String],
    createdAt: Date,
    expiresAt: Date,
  },
  indexes: [{ key: { hash: 1 }, unique: true }, { key: { tenant: 1, createdAt: 1, _id: 1 } }],
  purge: 'by tenant',
});

/** When a key was last used; apart from the key, because it is written outside commits. */
export interface ApiKeyUseDocument {
  readonly _id: string;
  /** Absent if the key was deleted before it was ever used. */
  readonly lastUsedAt?: Date;
  /** Of the last use. */
  readonly userAgent?: string;
  /** The first use, and the first search for a user. */
  readonly firstUsedAt?: Date;
  readonly lookedUpAt?: Date;
  /** Set when the key is deleted (`expireLater`). */
  readonly expireAt?: Date;
}

export const apiKeyUses = defineCollection<ApiKeyUseDocument>({
  name: 'api_key_uses',
  fields: {
    _id: String,
    lastUsedAt: Date,
    userAgent: String,
    firstUsedAt: Date,
    lookedUpAt: Date,
    expireAt: Date,
  },
  indexes: [{ ...EXPIRES, ...whereSet('expireAt') }],
  purge: 'expires',
});

export const fromApiKeyDocument = ({ _id, tenant, ...key }: ApiKeyDocument): ApiKey => ({
  id: _id as ApiKeyId,
  tenantId: tenant as TenantId,
  ...key,
});

export const apiKeyTable = defineTable<'apiKeys', ApiKeyDocument>(apiKeys, {
  keys: { id: '_id' },
  fromDocument: fromApiKeyDocument,
  writes: {
    toDocument: ({ id, tenantId, ...key }) => ({ _id: id, tenant: tenantId, ...key }),
    afterDelete: async (deleted, database, session) => {
      await expireLater(
        apiKeyUses.in(database),
        deleted.map(({ id }) => id),
        session,
      );
      await rememberDeletedKeys(deleted, database, session);
    },
  },
});
