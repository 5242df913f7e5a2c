import type { ApiKey, Tenant } from '../domain/tenant/tenant.js';
import type { ApiKeyId, TenantId, JobId, UserId } from '../domain/kernel/ids.js';
import type { Job } from '../domain/job/job.js';
import type { DomainEvent, EventName } from '../domain/events.js';
import type { EntityReader, Page, PageOf } from './entity-reader.js';

/** Reads tenants. Deleted tenants are not found. */
export interface TenantReader {
  readonly find: (id: TenantId) => Promise<Tenant | undefined>;
  readonly findBySlug: (slug: string) => Promise<Tenant | undefined>;
  /** All tenants, or those with these slugs. */
  readonly page: (page: Page, slugs?: readonly string[] | null) => Promise<PageOf<Tenant>>;
}

/** The latest request with an API key. */
export interface ApiKeyUse {
  readonly at: Date;
  /** Absent if the client sent none. */
  readonly userAgent?: string;
  /** The first search for a user since this gateway started, if there was one. */
  readonly lookedUpAt?: Date;
}

/** `lastUsedAt` is accurate to a minute; null if the key was never used. */
export interface ApiKeyWithUse {
  readonly key: ApiKey;
  readonly lastUsedAt: Date | null;
  /** Of the last use; null if the client sent none. */
  readonly userAgent: string | null;
  /** Its first use and its first search for a user; null: never, or before these were recorded. */
  readonly firstUsedAt: Date | null;
  readonly lookedUpAt: Date | null;
}

/** Reads API keys and records their use (accurate to a minute, decisions.md 3). */
export interface ApiKeyReader extends EntityReader<ApiKeyId, ApiKeyWithUse> {
  /** The key with this SHA-256, and its tenant; undefined if either was deleted. */
  readonly findByHash: (
    hash: string,
  ) => Promise<{ readonly key: ApiKey; readonly tenant: Tenant } | undefined>;
  readonly recordUse: (uses: ReadonlyMap<ApiKeyId, ApiKeyUse>) => Promise<void>;
}

export interface JobConditions {
  readonly isFinished?: boolean;
}

/** Reads jobs, newest first. Finished jobs are kept for a week. */
export interface JobReader extends EntityReader<JobId, Job, JobConditions> {
  /** The jobs with these ids that exist. */
  readonly findByIds: (tenantId: TenantId, ids: readonly JobId[]) => Promise<readonly Job[]>;
}

export interface EventQuery {
  /** Return events after this position in the log; 0: from the start. */
  readonly after: number;
  readonly limit: number;
  /** Default: all events. */
  readonly names?: readonly EventName[];
}

interface EventPage {
  /** In order of position. */
  readonly events: readonly DomainEvent[];
  /** The last position that was read; the next page starts after it. */
  readonly upTo: number;
  /** Whether the log has later events. */
  readonly hasMore: boolean;
  /** Whether events after the requested position have been deleted from the log. */
  readonly hasGap: boolean;
}

/** Rejects with a RefusalError UNAVAILABLE. */
export interface EventLogEnd {
  /** The position of the last event; 0: there is none yet. */
  readonly position: (tenantId: TenantId) => Promise<number>;
}

/** Reads a tenant's event log. Rejects with a RefusalError UNAVAILABLE. */
export interface EventReader {
  readonly page: (tenantId: TenantId, query: EventQuery) => Promise<EventPage>;
}

/** An object of a tenant that matches a search. */
export interface SearchResult {
  /** `user`, `room`, `group`, `sms_list`, `role_mapping`, `api_key`, `command`, or an extension's. */
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  /** What distinguishes it from others with this title. */
  readonly subtitle: string;
}

/** Finds objects by the beginning of words of their names, ignoring case, or by id. */
export interface SearchReader {
  readonly find: (
    tenantId: TenantId,
    text: string,
    /** Absent: all kinds, and the first few of each. */
    options?: { readonly kinds?: readonly string[]; readonly limit?: number },
  ) => Promise<readonly SearchResult[]>;
}

/** A person, as an operator asks for them. */
export interface AskedPerson {
  /** A name, or a part of it, in lower case. */
  readonly text: string;
  /** Undefined: there is no such user. */
  readonly userId: UserId | undefined;
}

/** What an extension has on a person: why there is no user, or what waits to be done for them. */
export interface PersonFact {
  /** The person's name there. */
  readonly name: string;
  /** A sentence, of a person who has no user after "Never created.". */
  readonly text: string;
  /** Names of groups that the extension would make the user a member of. */
  readonly groups: readonly string[];
  /** Page of the dashboard, relative to the tenant's: `connectors/hr`. */
  readonly page: string;
  readonly remedies: readonly PersonRemedy[];
  /**
   * What the remedies do to the user, besides adding them to the groups: they are offered only if this
   * changes what was asked. Absent: it is not known before.
   */
  readonly effect?: { readonly leaves: readonly string[]; readonly active?: boolean };
}

/** What to do about it. */
export interface PersonRemedy {
  /** A sentence, in the form "Approving the run.". */
  readonly text: string;
  /** Absent: no call makes the change. */
  readonly call?: {
    /** For a button: "Approve the run". */
    readonly label: string;
    /** Below the tenant's part of the operators' API; POST, by the role `operator`. */
    readonly path: string;
    readonly body: Readonly<Record<string, unknown>>;
    /** The words of the command, after "rollgate". */
    readonly command: readonly string[];
  };
}

/** Explains what an extension has on a person; empty: nothing. */
export type ExtensionExplain = (
  tenant: Tenant,
  person: AskedPerson,
) => Promise<readonly PersonFact[]>;

/** Finds an extension's objects; the text is in lower case. */
export type ExtensionSearch = (tenant: Tenant, text: string) => Promise<readonly SearchResult[]>;
