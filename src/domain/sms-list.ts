import { fold } from './fold.js';
import type { JobId, SmsListId, TenantId } from './ids.js';
import type { SmsWindow } from './sms-window.js';

/** People who may be sent text messages, for a while or for ever (decisions.md 6). */
export interface SmsList extends SmsWindow {
  readonly id: SmsListId;
  readonly tenantId: TenantId;
  /** Unique in the tenant without regard to case. */
  readonly name: string;
  /** Unique in the tenant where it is given. */
  readonly externalId: string | null;
  readonly memberCount: number;
  /** The place of the next member in the order in which they came. */
  readonly nextPlace: number;
  /** Grows with every change of the list or its members. */
  readonly version: number;
  /** The job that still changes its members; null: none does. */
  readonly pendingJob: JobId | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const smsListNameKey = ({ name }: Pick<SmsList, 'name'>): string => fold(name);
