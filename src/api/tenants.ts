import type { ApiKey, Tenant } from '../domain/tenant/tenant.js';
import type { ApiKeyId, TenantId } from '../domain/kernel/ids.js';

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Reads tenants. Deleted tenants are not found. */
export interface TenantReader {
  readonly find: (id: TenantId) => Promise<Tenant | undefined>;
  readonly findBySlug: (slug: string) => Promise<Tenant | undefined>;
  /** All tenants, or those with these slugs. */
  readonly page: (
    page: Page,
    slugs?: readonly string[] | null,
  ) => Promise<{ readonly tenants: readonly Tenant[]; readonly total: number }>;
}

/** The latest request with an API key. */
export interface ApiKeyUse {
  readonly at: Date;
  /** Absent if the client sent none. */
  readonly userAgent?: string;
  /** The first search for a user since this gateway started, if there was one. */
  readonly lookedUpAt?: Date;
}

/** `lastUsedAt` is accurate to a minute; null if the key was never used. */
export interface ApiKeyWithUse {
  readonly key: ApiKey;
  readonly lastUsedAt: Date | null;
  /** Of the last use; null if the client sent none. */
  readonly userAgent: string | null;
  /** Its first use and its first search for a user; null: never, or before these were recorded. */
  readonly firstUsedAt: Date | null;
  readonly lookedUpAt: Date | null;
}

/** Reads API keys and records their use (accurate to a minute, decisions.md 3). */
export interface ApiKeyReader {
  /** The key with this SHA-256, and its tenant; undefined if either was deleted. */
  readonly findByHash: (
    hash: string,
  ) => Promise<{ readonly key: ApiKey; readonly tenant: Tenant } | undefined>;
  readonly page: (
    tenantId: TenantId,
    page: Page,
  ) => Promise<{ readonly keys: readonly ApiKeyWithUse[]; readonly total: number }>;
  readonly recordUse: (uses: ReadonlyMap<ApiKeyId, ApiKeyUse>) => Promise<void>;
}
