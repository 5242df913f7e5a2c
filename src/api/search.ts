import type { TenantId } from '../domain/kernel/ids.js';
import type { Tenant } from '../domain/tenant/tenant.js';

/** An object of a tenant that matches a search. */
export interface SearchResult {
  /** `user`, `room`, `group`, `sms_list`, `role_mapping`, `api_key`, `command`, or an extension's. */
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  /** What distinguishes it from others with this title. */
  readonly subtitle: string;
}

/** Finds objects by the beginning of words of their names, ignoring case, or by id. */
export interface SearchReader {
  readonly find: (tenantId: TenantId, text: string) => Promise<readonly SearchResult[]>;
}

/** Finds an extension's objects; the text is in lower case. */
export type ExtensionSearch = (tenant: Tenant, text: string) => Promise<readonly SearchResult[]>;
