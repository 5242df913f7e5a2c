import type { ApiKey } from '../../domain/tenant/tenant.js';
import type { ApiKeyId, TenantId } from '../../domain/kernel/ids.js';
import type { Scope } from '../../domain/scopes.js';
import { defineCollection, expireLater, EXPIRES, whereSet } from './collection.js';
import { defineTable } from './table.js';

export interface ApiKeyDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly hash: string;
  readonly prefix: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
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
    afterDelete: (deleted, database, session) =>
      expireLater(
        apiKeyUses.in(database),
        deleted.map(({ id }) => id),
        session,
      ),
  },
});
