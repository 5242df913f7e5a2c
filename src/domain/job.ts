import type { NewEvent } from './events.js';
import type { ApiKeyId, JobId, RosterId, SmsListId, TenantId, UserId } from './ids.js';
import type { OwnerSummary } from './room/member-events.js';
import type { Scope } from './scopes.js';

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
  /** As it was, for the events: it is gone, or no more what it was. */
  readonly holder: OwnerSummary;
  /** What happens when all have left. */
  readonly lastly: readonly NewEvent[];
}

/** Works the roles of a roster's members out again, or of everybody without a mapped role. */
export interface RecomputeRoles {
  readonly kind: 'roles.recompute';
  /** Null: users who have the tenant's default role, which has changed. */
  readonly rosterId: RosterId | null;
  /** Of the default role: which one users had before, in the order of their ids. */
  readonly formerRoles?: readonly FormerRole[];
}

/** The default role that users up to this one, and after those of the entry before, last had. */
export interface FormerRole {
  /** Null: all who are left. */
  readonly until: string | null;
  readonly role: string;
}

/** Goes through a list of entries, part by part, and changes the members of an SMS list by them. */
export interface ApplyToSmsList {
  readonly kind: 'sms-list.apply';
  readonly listId: SmsListId;
  /** Reported by the last step: no event comes before its effect (decisions.md 3). */
  readonly report: SmsMembersReport;
}

/** What a request changed on an SMS list, and which key acted. */
export interface SmsMembersReport {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  readonly apiKeyId: ApiKeyId | null;
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
  /** A key with one of these may read it: the scopes of the requests that began it. */
  readonly readableBy: readonly Scope[];
  /** Of the request that asked for it. */
  readonly requestId: string;
  /** When it began, or last began anew. */
  readonly createdAt: Date;
  /** Of the last step. */
  readonly updatedAt: Date;
  readonly finishedAt: Date | null;
}

/** How far a job is. */
export type JobProgress = Pick<Job, 'id' | 'done' | 'total'>;

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
