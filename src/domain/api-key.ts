import type { ApiKeyId, TenantId } from './ids.js';
import type { Scope } from './scopes.js';

/** An API key as it is kept: never the key itself, only its SHA-256 (decisions.md 3). */
export interface ApiKey {
  readonly id: ApiKeyId;
  readonly tenantId: TenantId;
  /** SHA-256 of the whole key, in hexadecimal. */
  readonly hash: string;
  /** The part of the key that may be shown: `rg_` and eight characters. */
  readonly prefix: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
}
