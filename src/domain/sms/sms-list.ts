import { fold } from '../kernel/fold.js';
import type { JobId, SmsListId, TenantId } from '../kernel/ids.js';

/** A half-open time window: from ≤ t < until (decisions.md 6). */
export interface SmsWindow {
  /** Null: no start. */
  readonly validFrom: Date | null;
  /** Null: no end. */
  readonly validUntil: Date | null;
}

/** Whether the window ends after it starts. */
export const isSmsWindow = ({ validFrom, validUntil }: SmsWindow): boolean =>
  validFrom === null || validUntil === null || validFrom < validUntil;

/** Whether the window includes the time. */
export const holdsAt = ({ validFrom, validUntil }: SmsWindow, at: Date): boolean =>
  (validFrom === null || validFrom <= at) && (validUntil === null || at < validUntil);

/** A list of recipients of text messages (decisions.md 6). */
export interface SmsList extends SmsWindow {
  readonly id: SmsListId;
  readonly tenantId: TenantId;
  /** Unique per tenant, case-insensitively. */
  readonly name: string;
  /** Unique per tenant if set. */
  readonly externalId: string | null;
  readonly memberCount: number;
  /** The `place` of the next new member. */
  readonly nextPlace: number;
  /** Counts the changes of the list and its members, from 1. */
  readonly version: number;
  /** The job that is changing its members; other changes of them wait for it. */
  readonly pendingJob: JobId | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const smsListNameKey = ({ name }: Pick<SmsList, 'name'>): string => fold(name);
