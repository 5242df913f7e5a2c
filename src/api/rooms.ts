import type { RoomView } from '../domain/commands.js';
import type { RoomId, TenantId, UserId } from '../domain/ids.js';
import type { Page } from './tenants.js';

/** Which rooms; all conditions must hold. */
export interface RoomConditions {
  /** Its name, without regard to case. */
  readonly name?: string;
  /** Whether it has a SCIM group mapping. */
  readonly mapped?: boolean;
}

/** One user in a room, with what a list of members shows of him. */
export interface RoomMember {
  readonly userId: UserId;
  readonly txPermission: boolean;
  readonly email: string | null;
  readonly displayName: string;
  readonly active: boolean;
  readonly addedAt: Date;
}

/** A list without a limit: read as it is written, a batch at a time, never held as a whole. */
export interface WholeList<Item> {
  readonly items: AsyncIterable<Item>;
  /** How many there were when it was asked for, those that are passed over included. */
  readonly total: number;
}

/**
 * Reads of rooms and their members; they do not pass the pipeline. Rooms come in the order of their
 * creation, members in that of their ids. Rejects with RefusalError UNAVAILABLE.
 */
export interface RoomReader {
  readonly find: (tenantId: TenantId, id: RoomId) => Promise<RoomView | undefined>;
  readonly page: (
    tenantId: TenantId,
    query: RoomConditions & Page,
  ) => Promise<{ readonly rooms: readonly RoomView[]; readonly total: number }>;
  readonly all: (
    tenantId: TenantId,
    query: RoomConditions & Pick<Page, 'offset'>,
  ) => Promise<WholeList<RoomView>>;
  /** Undefined where there is no such room. */
  readonly memberPage: (
    tenantId: TenantId,
    id: RoomId,
    page: Page,
  ) => Promise<{ readonly members: readonly RoomMember[]; readonly total: number } | undefined>;
  readonly allMembers: (
    tenantId: TenantId,
    id: RoomId,
    page: Pick<Page, 'offset'>,
  ) => Promise<WholeList<RoomMember> | undefined>;
}
