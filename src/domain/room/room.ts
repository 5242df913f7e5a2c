import { fold } from '../kernel/fold.js';
import type { JobId, RoomId, TenantId } from '../kernel/ids.js';

/** A voice room. Operators create, rename and delete it (decisions.md 5). */
export interface Room {
  readonly id: RoomId;
  readonly tenantId: TenantId;
  /** Unique per tenant, case-insensitively. */
  readonly name: string;
  readonly memberCount: number;
  /** Counts the changes of the room, its mapping and its members, from 1. */
  readonly version: number;
  /** The job that is changing its members; other changes of them wait for it. */
  readonly pendingJob: JobId | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const roomNameKey = ({ name }: Pick<Room, 'name'>): string => fold(name);

export const newRoom = (given: Pick<Room, 'id' | 'tenantId' | 'name'>, now: Date): Room => ({
  ...given,
  memberCount: 0,
  version: 1,
  pendingJob: null,
  createdAt: now,
  updatedAt: now,
});

/** The room after a change of something that its representation shows, such as its mapping. */
export const touchRoom = (room: Room, now: Date): Room => ({
  ...room,
  version: room.version + 1,
  updatedAt: now,
});
