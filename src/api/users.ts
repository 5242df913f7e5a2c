import type { AttributeReference, Filter } from '../domain/kernel/filter.js';
import type { TenantId, UserId } from '../domain/kernel/ids.js';
import type { User } from '../domain/user/user.js';
import type { GroupOfUser, GroupsByUser } from './groups.js';
import type { PageCursors, CursorRequest } from './paging.js';

/** All conditions must match. */
export interface UserQuery {
  readonly filter?: Filter;
  /** Case-insensitive. */
  readonly email?: string;
  readonly externalId?: string;
  readonly active?: boolean;
  /** The effective role. */
  readonly role?: string;
  /** The tenant's default role, for conditions on roles. */
  readonly defaultRole: string;
  /** Prefix of the e-mail address or display name, case-insensitive. */
  readonly prefix?: string;
  /** Prefix of the e-mail address, user name, display name or a later word of one, case-insensitive. */
  readonly search?: string;
  /** Default: by creation, oldest first, then id (decisions.md 4). */
  readonly sort?: { readonly attribute: AttributeReference; readonly descending: boolean };
  /** Ignored with a cursor. */
  readonly offset: number;
  /** 0: only the total. */
  readonly limit: number;
  /** Present: cursor pagination instead of offsets. */
  readonly cursorRequest?: CursorRequest;
  /** Whether the users' groups are needed; a lookup by user name then reads them in its query. */
  readonly withGroups?: boolean;
}

/** A page of users. */
export interface UserPage extends PageCursors {
  readonly users: readonly User[];
  readonly total: number;
  /** The users' groups, if they were read in the same query. */
  readonly groupsByUser?: GroupsByUser;
}

/** Reads users. Rejects with a RefusalError UNAVAILABLE or INVALID_FILTER. */
export interface UserReader {
  readonly find: (tenantId: TenantId, id: UserId) => Promise<User | undefined>;
  /** With their groups, by display name, in one query. */
  readonly findWithGroups: (
    tenantId: TenantId,
    id: UserId,
  ) => Promise<{ readonly user: User; readonly groups: readonly GroupOfUser[] } | undefined>;
  readonly page: (tenantId: TenantId, query: UserQuery) => Promise<UserPage>;
}
