import type { ApiKey } from '../domain/api-key.js';
import type { ApiKeyId, TenantId } from '../domain/ids.js';
import type { Tenant } from '../domain/tenant.js';

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Reads of the tenants' directory. Tenants that were deleted are not in it. */
export interface TenantReader {
  readonly find: (id: TenantId) => Promise<Tenant | undefined>;
  readonly findBySlug: (slug: string) => Promise<Tenant | undefined>;
  readonly page: (
    page: Page,
  ) => Promise<{ readonly tenants: readonly Tenant[]; readonly total: number }>;
}

/** A key with the minute of its last use, null where it never was used. */
export interface ApiKeyWithUse {
  readonly key: ApiKey;
  readonly lastUsedAt: Date | null;
}

/** Reads of API keys, and the one note of their use (kept within a minute, decisions.md 3). */
export interface ApiKeyReader {
  /** The key with this SHA-256 and its tenant; undefined where either is gone. */
  readonly findByHash: (
    hash: string,
  ) => Promise<{ readonly key: ApiKey; readonly tenant: Tenant } | undefined>;
  readonly page: (
    tenantId: TenantId,
    page: Page,
  ) => Promise<{ readonly keys: readonly ApiKeyWithUse[]; readonly total: number }>;
  readonly noteUse: (uses: ReadonlyMap<ApiKeyId, Date>) => Promise<void>;
}
