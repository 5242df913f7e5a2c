import type { RoomView } from '../domain/commands.js';
import type { RoomId, TenantId, UserId } from '../domain/kernel/ids.js';
import type { Page } from './tenants.js';

/** All conditions must match. */
export interface RoomConditions {
  /** Case-insensitive. */
  readonly name?: string;
  /** Whether the room has a SCIM group mapping. */
  readonly mapped?: boolean;
}

/** A member of a room with the user's details. */
export interface RoomMember {
  readonly userId: UserId;
  readonly txPermission: boolean;
  readonly email: string | null;
  readonly displayName: string;
  readonly active: boolean;
  readonly addedAt: Date;
}

/** A room that a user is in. */
export interface UserRoom {
  readonly id: RoomId;
  readonly name: string;
  readonly txPermission: boolean;
  readonly addedAt: Date;
}

/** A complete list, read in batches while it is written to the response. */
export interface CompleteList<Item> {
  readonly items: AsyncIterable<Item>;
  /** Number of items at the start of the read, including skipped ones. */
  readonly total: number;
}

/**
 * Reads rooms in order of creation, and members in the order of their ids. Rejects with a RefusalError
 * UNAVAILABLE.
 */
export interface RoomReader {
  readonly find: (tenantId: TenantId, id: RoomId) => Promise<RoomView | undefined>;
  readonly page: (
    tenantId: TenantId,
    query: RoomConditions & Page,
  ) => Promise<{ readonly rooms: readonly RoomView[]; readonly total: number }>;
  /** Rooms with a SCIM group mapping, counted up to 10,000. */
  readonly countMapped: (tenantId: TenantId) => Promise<number>;
  readonly all: (
    tenantId: TenantId,
    query: RoomConditions & Pick<Page, 'offset'>,
  ) => Promise<CompleteList<RoomView>>;
  /** Undefined if the room does not exist. */
  readonly memberPage: (
    tenantId: TenantId,
    id: RoomId,
    page: Page,
  ) => Promise<{ readonly members: readonly RoomMember[]; readonly total: number } | undefined>;
  /** The rooms of a user by name; of the first 1,000. */
  readonly roomsOf: (
    tenantId: TenantId,
    userId: UserId,
    page: Page,
  ) => Promise<{ readonly rooms: readonly UserRoom[]; readonly total: number }>;
  readonly allMembers: (
    tenantId: TenantId,
    id: RoomId,
    page: Pick<Page, 'offset'>,
  ) => Promise<CompleteList<RoomMember> | undefined>;
}
