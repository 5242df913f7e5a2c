import { fold } from './fold.js';
import type { JobId, SmsListId, TenantId } from './ids.js';
import type { SmsWindow } from './sms-window.js';

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
