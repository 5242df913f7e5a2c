import type { Group } from '../domain/group/group.js';
import type { TenantId } from '../domain/kernel/ids.js';
import type { User } from '../domain/user/user.js';

/** What users are looked up by. */
export type UserKey = 'id' | 'externalId' | 'userName' | 'email';

/** Reads of many users and groups by key, in any order. Reject with a RefusalError UNAVAILABLE. */
export interface UserLookups {
  /** User names and e-mail addresses in any case; several users may share an external id. */
  readonly find: (
    tenantId: TenantId,
    by: UserKey,
    values: readonly string[],
  ) => Promise<readonly User[]>;
  /** Groups by display name, in any case. */
  readonly findGroups: (
    tenantId: TenantId,
    displayNames: readonly string[],
  ) => Promise<readonly Group[]>;
}
