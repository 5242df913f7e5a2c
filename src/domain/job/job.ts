import type { NewEvent } from '../events.js';
import {
  type ApiKeyId,
  type CommandId,
  type JobId,
  type RosterId,
  type SmsListId,
  startOfJob,
  type TenantId,
  type UserId,
} from '../kernel/ids.js';
import type { OwnerSummary } from '../room/room.js';
import type { Scope } from '../scopes.js';

/** A change of one user's membership. */
export interface RosterEntry {
  readonly userId: UserId;
  readonly action: 'join' | 'leave' | 'set';
  readonly txPermission: boolean;
}

/** Applies a list of entries to the members of a roster, one part per step. */
export interface ApplyToRoster {
  readonly kind: 'roster.apply';
  readonly rosterId: RosterId;
}

/** Removes all memberships of a roster whose room or group was deleted. */
export interface ClearRoster {
  readonly kind: 'roster.clear';
  readonly rosterId: RosterId;
  /** The former room or group, for the events. */
  readonly holder: OwnerSummary;
  /** Events after the last removal. */
  readonly lastly: readonly NewEvent[];
}

/** Recomputes the roles of a roster's members, or of all users with the tenant's default role. */
export interface RecomputeRoles {
  readonly kind: 'roles.recompute';
  /** Null: users with the tenant's default role, which has changed. */
  readonly rosterId: RosterId | null;
  /** The default roles that users had before, by ranges of user ids. */
  readonly formerRoles?: readonly FormerRole[];
}

/** The former default role of a range of users. */
export interface FormerRole {
  /** The last user id of the range, which starts after the one before it. Null: all further users. */
  readonly until: string | null;
  readonly role: string;
}

/** Applies a list of entries to the members of an SMS list, one part per step. */
export interface ApplyToSmsList {
  readonly kind: 'sms-list.apply';
  readonly listId: SmsListId;
  /** Reported by the last step: an event is written with its effect (decisions.md 3). */
  readonly report: SmsMembersReport;
}

/** The numbers of changes that a request makes to an SMS list, and the API key that acts. */
export interface SmsMembersReport {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  readonly apiKeyId: ApiKeyId | null;
}

/** Removes the members of a deleted SMS list. */
export interface ClearSmsList {
  readonly kind: 'sms-list.clear';
  readonly listId: SmsListId;
}

export type JobWork = ApplyToRoster | ClearRoster | RecomputeRoles | ApplyToSmsList | ClearSmsList;

/**
 * The rest of a change that is too large for one transaction. The command was validated as a whole
 * and committed; steps in the same lane make the rest of the change. Each step advances the cursor in
 * its own commit, so that the job continues after a crash (pipeline-rules.md 1).
 */
export interface Job {
  readonly id: JobId;
  readonly tenantId: TenantId;
  readonly work: JobWork;
  /** Where the next step starts: the number of a part, or the id of the last processed user. */
  readonly cursor: string;
  readonly done: number;
  /** Number of members when the job started. */
  readonly total: number;
  /** Scopes that may read the job: those of the requests that started it. */
  readonly readableBy: readonly Scope[];
  /** Of the request that started it. */
  readonly requestId: string;
  /** The command that restarted it last; absent: none but the one that started it. */
  readonly restartedBy?: CommandId;
  /** When it started, or last restarted. */
  readonly createdAt: Date;
  /** Time of the last step. */
  readonly updatedAt: Date;
  readonly finishedAt: Date | null;
}

/** The command that a job completes. */
export const commandOfJob = ({ id, restartedBy }: Pick<Job, 'id' | 'restartedBy'>): CommandId =>
  restartedBy ?? startOfJob(id);

export type JobProgress = Pick<Job, 'id' | 'done' | 'total'>;

/** A part of a job's entries. */
export interface JobPart<Entry> {
  readonly id: string;
  readonly tenantId: TenantId;
  readonly entries: readonly Entry[];
}

export const jobPartIdOf = (jobId: JobId, part: number): string => `${jobId}:${part}`;

/** Unique among unfinished jobs: a second request for the same subject restarts the job. */
export const jobSubjectOf = ({ work, finishedAt }: Job): string | null =>
  finishedAt === null && work.kind === 'roles.recompute' ? rolesSubject(work.rosterId) : null;

export const rolesSubject = (rosterId: RosterId | null): string => `roles:${rosterId ?? 'default'}`;
