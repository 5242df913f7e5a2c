import type { CommandType } from '../domain/commands.js';
import type { RosterEntry, Work } from '../domain/job.js';
import type { JsonObject, JsonValue } from '../domain/json.js';
import type { LoggedRefusal } from '../pipeline/commit-store.js';
import type { LoggedChange, LoggedThing } from '../pipeline/logged-command.js';
import type { Scope } from '../domain/scopes.js';
import type { RoomProvisioning, ScimSettings } from '../domain/tenant.js';
import type { UserProfile } from '../domain/user.js';

/** The directory of tenants, apart from what their commits count (pipeline-rules.md 14). */
export interface TenantDocument {
  readonly _id: string;
  /** Absent once the tenant is deleted, so that the slug is free again. */
  readonly slug?: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly deletedAt?: Date;
}

/** What every commit checks and bumps: one document a tenant (pipeline-rules.md 3). */
export interface TenantStateDocument {
  readonly _id: string;
  readonly v: number;
  readonly seq: number;
  /** The server's time of the last commit: the next one is later. */
  readonly at: Date;
  /** The place of the next user in the order of creation. */
  readonly nextOrdinal: number;
  /** How many users stand in each stretch of that order, by its number (order-of-creation.ts). */
  readonly stretches?: Readonly<Record<string, number>>;
  readonly slug: string;
  readonly name: string;
  readonly seatCapacity: number | null;
  readonly defaultRole: string;
  readonly roomProvisioning: RoomProvisioning;
  /** Absent in the states of tenants that are older than it; so is what follows of SMS lists. */
  readonly defaultCountry?: string | null;
  readonly scim?: Partial<ScimSettings>;
  readonly createdAt: Date;
  /** Absent where the settings were never changed since Rollgate counts that. */
  readonly settingsVersion?: number;
  readonly seatsProvisioned: number;
  readonly userCount: number;
  readonly roomCount: number;
  readonly groupCount: number;
  readonly roleMappingCount: number;
  readonly smsListCount?: number;
  readonly pluginVersions: Readonly<Record<string, number>>;
  readonly deleted?: true;
  /** The instance that lost too often and whose commit is the next (pipeline-rules.md 4). */
  readonly turn?: { readonly own: string; readonly until: Date };
}

/** A tenant's state without what only lists need. */
export type CommitState = Omit<TenantStateDocument, 'stretches'>;

export interface UserDocument {
  readonly _id: string;
  readonly tenant: string;
  /** The user's place in the order of creation, counted from 0 and never reused. */
  readonly n: number;
  readonly v: number;
  readonly profile: UserProfile;
  /** The profile's texts without regard to case, for look-ups; and `email` and `label`. */
  readonly folded: JsonObject;
  readonly email: string | null;
  readonly role: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A user who was deleted: kept for the audit trail, seen by no interface (decisions.md 4). */
export interface DeletedUserDocument extends Omit<UserDocument, 'folded'> {
  readonly departedAt: Date;
}

export interface ApiKeyDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly hash: string;
  readonly prefix: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
}

/** Apart from the key, for it is written without the tenant's version check. */
export interface ApiKeyUseDocument {
  readonly _id: string;
  /** Absent in one that was never written before its key went. */
  readonly lastUsedAt?: Date;
  /** Set when the key goes (forget-later.ts). */
  readonly expireAt?: Date;
}

/** A plugin's operational note on one of its records. */
export interface PluginNoteDocument {
  /** `{plugin}:{tenant}:{record}` */
  readonly _id: string;
  readonly tenant?: string;
  /** Absent in one that was never written before its record went. */
  readonly note?: JsonObject;
  /** `{plugin}:{mark}`; few notes have one. */
  readonly mark?: string;
  readonly at?: Date;
  /** Set when the record goes (forget-later.ts). */
  readonly expireAt?: Date;
}

export interface PluginRecordDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly plugin: string;
  readonly v: number;
  readonly data: JsonObject;
  readonly createdAt: Date;
}

/** The first answer to an Idempotency-Key; sealed, for it may show a secret (pipeline-rules.md 13). */
export interface RememberedAnswerDocument {
  /** SHA-256 of API key, method, path and Idempotency-Key. */
  readonly _id: string;
  readonly tenant: string;
  readonly fingerprint: string;
  readonly sealed: string;
  readonly at: Date;
  readonly expireAt: Date;
}

export interface CommandLogDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly at: Date;
  readonly actor: string;
  readonly source: string;
  readonly type: CommandType;
  readonly outcome: string;
  readonly refusal: LoggedRefusal | null;
  readonly events: readonly [number, number] | null;
  readonly durationMs: number;
  readonly requestId: string;
  readonly answer?: JsonValue;
  readonly expireAt: Date;
  /** Absent in lines of before, which have a target and names of what changed; so is what follows. */
  readonly actorName?: string | null;
  readonly subject?: LoggedThing | null;
  readonly affected?: readonly LoggedThing[];
  readonly affectedCount?: number;
  readonly changes?: readonly LoggedChange[];
  readonly changeCount?: number;
  readonly deliveries?: number;
  /** What the line is found by (pipeline/log-keys.ts). */
  readonly keys?: readonly string[];
  /** Of lines of before. */
  readonly target?: string | null;
  readonly changed?: readonly string[];
}

export interface RoomDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly v: number;
  readonly name: string;
  /** Without regard to case. */
  readonly folded: { readonly name: string };
  readonly memberCount: number;
  readonly pendingJob: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface GroupDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly v: number;
  readonly displayName: string;
  readonly externalId: string | null;
  /** Without regard to case. */
  readonly folded: { readonly displayName: string };
  /** Its room, or itself where it keeps its members. */
  readonly roster: string;
  readonly room: string | null;
  readonly memberCount: number;
  readonly pendingJob: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface MembershipDocument {
  /** Of roster and user. */
  readonly _id: string;
  readonly tenant: string;
  readonly roster: string;
  readonly user: string;
  readonly tx: boolean;
  readonly addedAt: Date;
}

export interface RoleMappingDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly v: number;
  readonly groupDisplayName: string;
  readonly folded: { readonly groupDisplayName: string };
  readonly role: string;
  readonly applies: boolean;
  readonly priority: number;
  readonly createdAt: Date;
}

export interface JobDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly work: Work;
  /** While it is unfinished and only one may be about the same. */
  readonly subject?: string;
  readonly cursor: string;
  readonly done: number;
  readonly total: number;
  readonly readableBy: readonly Scope[];
  readonly requestId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly finishedAt: Date | null;
  /** When a finished one may be forgotten. */
  readonly expireAt?: Date;
}

export interface JobPartDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly users: readonly string[];
  /** For each of them: what is to become of him. */
  readonly actions: readonly RosterEntry['action'][];
  readonly tx: readonly boolean[];
}
