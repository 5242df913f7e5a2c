import type { AttributeReference, Filter } from '../domain/filter.js';
import type { TenantId, UserId } from '../domain/ids.js';
import type { User } from '../domain/user.js';
import type { Neighbours, Turn } from './paging.js';

/** Which users, in which order, which part of them. All conditions must hold. */
export interface UserQuery {
  readonly filter?: Filter;
  /** The native address, without regard to case. */
  readonly email?: string;
  readonly externalId?: string;
  readonly active?: boolean;
  /** The role in force. */
  readonly role?: string;
  /** The role that users without a mapping have; conditions on roles need it. */
  readonly defaultRole: string;
  /** Prefix of the e-mail or the display name, without regard to case. */
  readonly prefix?: string;
  /** Absent: by creation, oldest first, then id (decisions.md 4). */
  readonly sort?: { readonly attribute: AttributeReference; readonly descending: boolean };
  /** Of no account where there is a turn. */
  readonly offset: number;
  /** 0 asks for the total alone. */
  readonly limit: number;
  /** Present: pages are found by places, not by numbers. */
  readonly turn?: Turn;
}

/** Reads of users; they do not pass the pipeline. Rejects with RefusalError UNAVAILABLE or INVALID_FILTER. */
export interface UserReader {
  readonly find: (tenantId: TenantId, id: UserId) => Promise<User | undefined>;
  readonly page: (
    tenantId: TenantId,
    query: UserQuery,
  ) => Promise<{ readonly users: readonly User[]; readonly total: number } & Neighbours>;
}
