import type { NewEvent } from './events.js';
import type { JobId, RosterId, SmsListId, TenantId, UserId } from './ids.js';
import type { JsonObject } from './json.js';

/** What is to become of one user on a roster. */
export interface RosterEntry {
  readonly userId: UserId;
  readonly action: 'join' | 'leave' | 'set';
  readonly txPermission: boolean;
}

/** Goes through a list of entries, part by part, and changes the members of a roster by them. */
export interface ApplyToRoster {
  readonly kind: 'roster.apply';
  readonly rosterId: RosterId;
}

/** Ends all memberships of a roster whose room or group is no more, or no more a group. */
export interface ClearRoster {
  readonly kind: 'roster.clear';
  readonly rosterId: RosterId;
  /** `data.room` of the events; null where the roster has no room. */
  readonly room: JsonObject | null;
  /** What happens when all have left. */
  readonly lastly: readonly NewEvent[];
}

/** Works the roles of a roster's members out again, or of everybody without a mapped role. */
export interface RecomputeRoles {
  readonly kind: 'roles.recompute';
  /** Null: users who have the tenant's default role, which has changed. */
  readonly rosterId: RosterId | null;
}

/** Goes through a list of entries, part by part, and changes the members of an SMS list by them. */
export interface ApplyToSmsList {
  readonly kind: 'sms-list.apply';
  readonly listId: SmsListId;
}

/** Removes the members of an SMS list that is no more. */
export interface ClearSmsList {
  readonly kind: 'sms-list.clear';
  readonly listId: SmsListId;
}

export type Work = ApplyToRoster | ClearRoster | RecomputeRoles | ApplyToSmsList | ClearSmsList;

/**
 * The rest of a change that is larger than a transaction should be. The command that asked for it
 * was validated as a whole and answered; steps of the same lane do what is left, and each moves the
 * cursor in its own commit, so that after a crash it rolls forward (pipeline-rules.md 1).
 */
export interface Job {
  readonly id: JobId;
  readonly tenantId: TenantId;
  readonly work: Work;
  /** Where the next step begins: a part's number, or the user after whom it begins. */
  readonly cursor: string;
  readonly done: number;
  /** How many there were when it began. */
  readonly total: number;
  /** Of the request that asked for it. */
  readonly requestId: string;
  /** When it began, or last began anew. */
  readonly createdAt: Date;
  /** Of the last step. */
  readonly updatedAt: Date;
  readonly finishedAt: Date | null;
}

/** A part of the list of entries that a job goes through. */
export interface JobPart<Entry> {
  readonly id: string;
  readonly tenantId: TenantId;
  readonly entries: readonly Entry[];
}

export const jobPartIdOf = (jobId: JobId, part: number): string => `${jobId}:${part}`;

/** What at most one unfinished job is about: a second wish for the same begins it anew. */
export const jobSubjectOf = ({ work, finishedAt }: Job): string | null =>
  finishedAt === null && work.kind === 'roles.recompute' ? rolesSubject(work.rosterId) : null;

export const rolesSubject = (rosterId: RosterId | null): string => `roles:${rosterId ?? 'default'}`;
