import type { Observable } from 'rxjs';
import type { z } from 'zod';
import type { Metrics } from '../api/metrics.js';
import type { Route } from '../api/route.js';
import type { Actor, Source } from '../domain/actor.js';
import type { DescribedRecord, PluginRule } from '../domain/decide/decider.js';
import type {
  DeliveryOwner,
  DeliveryPage,
  DeliveryQuery,
  DeliveryRecord,
  KeptOfAttempt,
  RecoverRequest,
  Recovery,
  RedeliverRequest,
} from '../domain/delivery-record.js';
import type { DomainEvent } from '../domain/events.js';
import type { DeliveryId, RecordId, TenantId } from '../domain/ids.js';
import type { JsonObject, JsonValue } from '../domain/json.js';
import type { PluginRecord } from '../domain/plugin-record.js';
import type { Idempotency } from '../domain/remembered-answer.js';
import type { Tenant } from '../domain/tenant.js';
import type { Submit } from '../pipeline/submit.js';
import type { HttpSender, OutboundPolicy } from './http-sender.js';

/**
 * An extension: a value that says what it is, what settings it takes, and how it starts. Nothing
 * happens on import. `plugins/index.ts` lists the built-in ones.
 */
export interface Plugin<Settings = unknown> {
  /** Lower case, with hyphens; the key of its section in the configuration. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Checked strictly before start; an unknown key is an error. Must accept `{}`. */
  readonly settings: z.ZodType<Settings>;
  /**
   * Reads the files that its settings name, and says what is wrong with them: before a start, and
   * for `rollgate config check`. Relative names start from `cwd`.
   */
  readonly checkFiles?: (settings: Settings, cwd: string) => readonly SettingFault[];
  /** What its `host.http` may reach beyond the public internet; absent: nothing. */
  readonly outbound?: (settings: Settings) => OutboundPolicy;
  /** Called once. A rejection stops the gateway's start with the message: say what to do. */
  readonly start: (host: PluginHost<Settings>) => Promise<RunningPlugin> | RunningPlugin;
}

/** What is wrong with a setting; the path begins in the plugin's section. */
export interface SettingFault {
  readonly path: readonly (string | number)[];
  /** What is wrong and what to do, in words that follow the setting's name. */
  readonly message: string;
}

/** What a started plugin offers; every part is optional. */
export interface RunningPlugin {
  /** The rules by which `host.records.change` changes records; pure, run inside the lane. */
  readonly rules?: Readonly<Record<string, PluginRule>>;
  /** What the provisioning log shows of a record; pure, and never a secret. Absent: its id alone. */
  readonly describe?: (record: PluginRecord) => DescribedRecord;
  readonly subscriber?: DurableSubscriber;
  readonly routes?: readonly Route[];
  readonly health?: () => PluginHealth | Promise<PluginHealth>;
  /** Called once, after the last delivery has ended; has 5 s. */
  readonly stop?: () => Promise<void> | void;
}

export interface PluginHealth {
  readonly ok: boolean;
  /** One sentence for an operator. */
  readonly message: string;
}

/**
 * Gets what happened with the promise "at least once": for each event it names the keys that are
 * owed it, and the rows are committed with the event. Crash, retry and other instances are the
 * engine's affair.
 */
export interface DurableSubscriber {
  /**
   * Makes ready for the events of a tenant whose records of this plugin are at this version (0:
   * never changed). Called before every batch; resolve at once where the version is held already.
   */
  readonly prepare: (tenant: Tenant, version: number) => Promise<void> | void;
  /**
   * Whom the event is owed to; synchronous, from memory, without side effects: a batch that another
   * commit overtook is routed again. A throw is logged, and the event is owed to nobody. A key may
   * be shared by tenants: then its concurrency and its pauses after failures are shared, too.
   */
  readonly route: (event: DomainEvent) => readonly string[];
  /**
   * Which of these keys are still to be served for the tenant; reads the database, for another
   * instance may have changed it. The engine trusts the answer for 1 s. Rows of other keys are
   * dropped, so a key that was served once must not come back: put an epoch in it.
   */
  readonly serving: (tenantId: TenantId, keys: readonly string[]) => Promise<ReadonlySet<string>>;
  /**
   * Makes one attempt. Must settle within 1 s after the signal aborts, which it does 5 s before the
   * lease ends, 10 s after the start at the earliest; a throw counts as a failure to retry.
   */
  readonly deliver: (delivery: Delivery, signal: AbortSignal) => Promise<DeliveryOutcome>;
  /** Milliseconds to wait before each further attempt; empty: none. The engine adds jitter of ±20 %. */
  readonly retrySchedule: readonly number[];
  /** How many attempts may be under way at once for one key. */
  readonly concurrencyPerKey: number;
}

export interface Delivery {
  /** The same in every attempt, on every instance. */
  readonly id: DeliveryId;
  readonly key: string;
  readonly event: DomainEvent;
  /** From 1. */
  readonly attempt: number;
}

export type DeliveryOutcome =
  | { readonly kind: 'delivered'; readonly kept?: KeptOfAttempt }
  | {
      readonly kind: 'failed';
      /** False: trying again cannot help; the delivery ends as failed. */
      readonly retry: boolean;
      /** At least this long before the next attempt (from Retry-After, for instance). */
      readonly waitMs?: number;
      /** In a few words, for the log and the operator; no secrets. */
      readonly reason: string;
      readonly kept?: KeptOfAttempt;
    };

/** What a plugin is given. */
export interface PluginHost<Settings = unknown> {
  readonly settings: Settings;
  readonly log: PluginLog;
  readonly records: PluginRecords;
  readonly notes: PluginNotes;
  readonly deliveries: PluginDeliveries;
  readonly actions: PluginActions;
  readonly secrets: SecretBox;
  /** Outbound HTTPS through the address guard. */
  readonly http: HttpSender;
  /** What operators can watch; names begin with `rollgate_` and the plugin's own. */
  readonly metrics: PluginMetrics;
  /**
   * This instance's commits as they happen: lossy, for tails and gauges. What a listener throws is
   * logged and harms nobody else.
   */
  readonly events$: Observable<DomainEvent>;
  readonly newId: () => RecordId;
  /**
   * The database's time, which all gateways share; it never goes back. A gateway's own clock may be
   * wrong by minutes.
   */
  readonly now: () => Date;
}

/** A name that belongs to somebody else is refused by a throw. */
export type PluginMetrics = Pick<Metrics, 'gauge' | 'counter'>;

export interface PluginLog {
  readonly debug: (fields: object, message: string) => void;
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
}

/** On whose behalf a record changes. */
export interface ChangeRequest {
  readonly tenantId: TenantId;
  readonly actor: Actor;
  readonly source: Source;
  readonly requestId: string;
  /** Of the request, where it has one: asked again, the first answer is given again. */
  readonly idempotency?: Idempotency;
  /** The request's own way in: hand it over, or a dry run of the request is none. */
  readonly submit?: Submit;
}

/** The plugin's own records of a tenant: changed through the lane, one version-checked commit each. */
export interface PluginRecords {
  /** Oldest first. */
  readonly list: (tenantId: TenantId) => Promise<readonly PluginRecord[]>;
  readonly find: (tenantId: TenantId, id: RecordId) => Promise<PluginRecord | undefined>;
  /**
   * Runs one of the plugin's rules inside the lane; rejects with the RefusalError of a refusal. Not
   * before the plugin's start has returned: its rules are known from then on.
   */
  readonly change: (
    request: ChangeRequest,
    change: string,
    input: JsonObject,
  ) => Promise<JsonValue>;
}

/**
 * Small operational notes on the plugin's records that are no state of the tenant, such as the
 * outcome of the last delivery: written often, without the lane, last one wins. A note is known by
 * its record's id and goes with the record, within about an hour.
 */
export interface PluginNotes {
  readonly read: (
    tenantId: TenantId,
    ids: readonly string[],
  ) => Promise<ReadonlyMap<string, JsonObject>>;
  /** Replaces the note, and its mark: a word by which `marked` finds it. */
  readonly write: (
    tenantId: TenantId,
    id: string,
    note: JsonObject,
    mark?: string,
  ) => Promise<void>;
  /** The notes of all tenants that bear this mark; let them be few. */
  readonly marked: (mark: string) => Promise<readonly MarkedNote[]>;
  /** Takes the mark off a note that bears it, and leaves the note. */
  readonly unmark: (tenantId: TenantId, id: string, mark: string) => Promise<void>;
}

export interface MarkedNote {
  readonly tenantId: TenantId;
  readonly id: string;
  readonly note: JsonObject;
}

/**
 * What became of the plugin's deliveries: looked at, and tried again. An event of a span (many
 * events of one batch) has no delivery before it is about to be sent.
 */
export interface PluginDeliveries {
  readonly list: (query: DeliveryQuery) => Promise<DeliveryPage>;
  /** With all that is kept of its attempts. */
  readonly find: (owner: DeliveryOwner, id: DeliveryId) => Promise<DeliveryRecord | undefined>;
  /**
   * Owes one that is over again, under its id and with the whole schedule; one that waits for its
   * next attempt is tried now. False where there is none.
   */
  readonly redeliver: (request: RedeliverRequest) => Promise<boolean>;
  /**
   * Owes all that failed again, in the background, on whichever instance; goes on after a crash,
   * and stops where the key is no longer served.
   */
  readonly recover: (request: RecoverRequest) => Promise<Recovery>;
  readonly findRecovery: (owner: DeliveryOwner, id: string) => Promise<Recovery | undefined>;
}

/** Actions that are no commands: they change nothing of the tenant's state. */
export interface PluginActions {
  /**
   * Does it, and gives the same answer for 24 hours to whoever asks with the same Idempotency-Key;
   * without one it is done each time. Rejects with the RefusalError of a key that is in use.
   */
  readonly once: (
    asking: Pick<ChangeRequest, 'tenantId' | 'idempotency'>,
    act: () => Promise<JsonValue>,
  ) => Promise<{
    readonly result: JsonValue;
    /** It was done before: hand it on to the route's answer. */
    readonly isReplay: boolean;
  }>;
}

/** Encryption at rest (AES-256-GCM) under the gateway's own key. */
export interface SecretBox {
  readonly seal: (plain: string) => string;
  /** Throws where the text was not sealed under this key. */
  readonly unseal: (sealed: string) => string;
}
