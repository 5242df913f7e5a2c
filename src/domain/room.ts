import { fold } from './fold.js';
import type { JobId, RoomId, TenantId } from './ids.js';

/** A voice room: made, renamed and removed by an operator (decisions.md 5). */
export interface Room {
  readonly id: RoomId;
  readonly tenantId: TenantId;
  /** Unique in the tenant without regard to case. */
  readonly name: string;
  readonly memberCount: number;
  /** Counts the changes of the room, of its mapping and of its members from 1. */
  readonly version: number;
  /** The job that is still changing its members; other changes of them wait for it. */
  readonly pendingJob: JobId | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const roomNameKey = ({ name }: Pick<Room, 'name'>): string => fold(name);
