import type { ApiKeyId, TenantId } from '../kernel/ids.js';
import type { Scope } from '../scopes.js';

/** A stored API key: only its SHA-256, never the key itself (decisions.md 3). */
export interface ApiKey {
  readonly id: ApiKeyId;
  readonly tenantId: TenantId;
  /** SHA-256 of the whole key, in hexadecimal. */
  readonly hash: string;
  /** The public part of the key: `rg_` and eight characters. */
  readonly prefix: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
}
