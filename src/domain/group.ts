import { fold } from './fold.js';
import type { GroupId, JobId, RoomId, RosterId, TenantId } from './ids.js';

/**
 * A SCIM group: the mapping of a room, or a group of its own for a role (interface.md, "Groups,
 * role mapping and SMS lists").
 */
export interface Group {
  /** Its own, for its life, whatever room it has. */
  readonly id: GroupId;
  readonly tenantId: TenantId;
  /** Unique in the tenant without regard to case; not the room's name, which it never changes. */
  readonly displayName: string;
  /** Need not be unique. */
  readonly externalId: string | null;
  /** Null: role-only, it keeps its members itself. */
  readonly roomId: RoomId | null;
  readonly memberCount: number;
  /** Counts the changes of the group and of its members from 1; the ETag. */
  readonly version: number;
  /** As of a room; only where the group keeps its members itself. */
  readonly pendingJob: JobId | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const groupNameKey = ({ displayName }: Pick<Group, 'displayName'>): string =>
  fold(displayName);

/** Whose members are the group's: its room's where it has one, else its own. */
export const rosterOf = ({ id, roomId }: Pick<Group, 'id' | 'roomId'>): RosterId => roomId ?? id;
