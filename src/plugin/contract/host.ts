import type { PluginLog, PluginMetrics } from './extension.js';
import type { Observable } from 'rxjs';
import type { EventReader } from '../../ports/tenants.js';
import type { Fence, PluginCollection } from '../../ports/plugin-storage.js';
import type { Actor, Source } from '../../domain/kernel/actor.js';
import type {
  DeliveryScope,
  DeliveryPage,
  DeliveryQuery,
  DeliveryRecord,
  RecoverRequest,
  Recovery,
  RedeliverRequest,
} from '../../ports/deliveries.js';
import type { DomainEvent } from '../../domain/events.js';
import type { DeliveryId, RecordId, TenantId } from '../../domain/kernel/ids.js';
import type { JsonObject, JsonValue } from '../../domain/kernel/json.js';
import type { PluginRecord } from '../../domain/plugin/plugin-record.js';
import type { Idempotency } from '../../domain/kernel/stored-response.js';
import type { Submit } from '../../pipeline/submit.js';
import type { TenantAttention } from '../../routes/extensions.js';
import type { SourceNetwork } from './connector-contract.js';
import type { HttpSender } from './http-sender.js';

/** What the gateway provides to one instance of a plugin. */
export interface PluginHost<Settings = unknown> {
  /** The key of its section in the configuration; what it stores belongs to this name. */
  readonly name: string;
  readonly settings: Settings;
  readonly log: PluginLog;
  readonly records: PluginRecords;
  readonly notes: PluginNotes;
  /** A collection that the plugin declares; throws for any other name. */
  readonly collection: (name: string) => PluginCollection;
  readonly deliveries: PluginDeliveries;
  readonly actions: PluginActions;
  readonly leases: PluginLeases;
  readonly secrets: SecretBox;
  /** Outbound HTTPS through the address guard. */
  readonly http: HttpSender;
  /** Other outbound connections, through the same guard. */
  readonly network: SourceNetwork;
  /**
   * What operators should look at, as the home pages of these tenants show it; absent: of all
   * tenants. One tenant after another, in the order of their creation. Available once `start` has
   * returned.
   */
  readonly attention: (slugs?: readonly string[]) => AsyncIterable<TenantAttention>;
  /** The address of the gateway for its clients, without a slash at the end. */
  readonly publicUrl: () => string;
  readonly metrics: PluginMetrics;
  readonly events: PluginEvents;
  /**
   * The events that this instance commits, as they happen. Lossy: for live views and gauges. Errors
   * of a listener are logged.
   */
  readonly events$: Observable<DomainEvent>;
  readonly newId: () => RecordId;
  /** The database's time, which all instances share; it never goes back. */
  readonly now: () => Date;
}

/** The event logs of tenants. */
export interface PluginEvents extends EventReader {
  /**
   * The events that this instance commits from now on, until the signal aborts. A reader that is
   * 1,000 events behind misses the oldest of them.
   */
  readonly live: (signal: AbortSignal) => AsyncIterable<DomainEvent>;
}

/** On whose behalf a record changes. */
export interface ChangeRequest {
  readonly tenantId: TenantId;
  readonly actor: Actor;
  readonly source: Source;
  readonly requestId: string;
  /** Of the request, if it has one: a repeated request returns the first result. */
  readonly idempotency?: Idempotency;
  /** Of the request: pass it on, so that a dry run of the request writes nothing. */
  readonly submit?: Submit;
}

/** The plugin's own records of a tenant, changed in the tenant's lane with version checks. */
export interface PluginRecords {
  /** Oldest first. */
  readonly list: (tenantId: TenantId) => Promise<readonly PluginRecord[]>;
  readonly find: (tenantId: TenantId, id: RecordId) => Promise<PluginRecord | undefined>;
  /**
   * Runs one of the plugin's rules in the lane; rejects with a RefusalError if the rule refuses.
   * Available once `start` has returned.
   */
  readonly change: (
    request: ChangeRequest,
    change: string,
    input: JsonObject,
  ) => Promise<JsonValue>;
}

/**
 * Small operational notes on records, such as the outcome of the last delivery: written often,
 * outside the lane, and the last write wins. A note is deleted about an hour after its record.
 */
export interface PluginNotes {
  readonly read: (
    tenantId: TenantId,
    ids: readonly string[],
  ) => Promise<ReadonlyMap<string, JsonObject>>;
  /** Replaces the note and its mark, a word by which `marked` finds it. */
  readonly write: (
    tenantId: TenantId,
    id: string,
    note: JsonObject,
    mark?: string,
  ) => Promise<void>;
  /** The notes of all tenants with this mark; keep them few. */
  readonly marked: (mark: string) => Promise<readonly MarkedNote[]>;
  /** Removes the mark and keeps the note. */
  readonly unmark: (tenantId: TenantId, id: string, mark: string) => Promise<void>;
}

/** A note that `marked` found. */
export interface MarkedNote {
  readonly tenantId: TenantId;
  readonly id: string;
  readonly note: JsonObject;
}

/** Work that one instance at a time may do. */
export interface PluginLeases {
  /**
   * Runs the work if no other instance holds the lease, and renews the lease while it runs. The
   * signal aborts if the gateway stops or the lease is lost. Resolves with false if another
   * instance holds the lease.
   */
  readonly run: (
    name: string,
    work: (lease: { readonly signal: AbortSignal; readonly fence: Fence }) => Promise<void>,
  ) => Promise<boolean>;
}

/** The plugin's deliveries: those with an attempt, and the events that wait for their first. */
export interface PluginDeliveries {
  readonly list: (query: DeliveryQuery) => Promise<DeliveryPage>;
  /** With everything that is kept of its attempts. */
  readonly find: (owner: DeliveryScope, id: DeliveryId) => Promise<DeliveryRecord | undefined>;
  /**
   * Sends a finished delivery again, under its id and with the whole retry schedule; a pending one is
   * tried now, and one in progress again after its attempt. False if there is none.
   */
  readonly redeliver: (request: RedeliverRequest) => Promise<boolean>;
  /**
   * Sends all failed deliveries again, in the background on any instance. Continues after a crash;
   * stops if the key is no longer served.
   */
  readonly recover: (request: RecoverRequest) => Promise<Recovery>;
  readonly findRecovery: (owner: DeliveryScope, id: string) => Promise<Recovery | undefined>;
}

/** Actions that do not change the tenant's state. */
export interface PluginActions {
  /**
   * Runs the action, and returns the same result for 24 hours to requests with the same
   * Idempotency-Key; without a key it runs each time. Rejects with a RefusalError if the key is in
   * use.
   */
  readonly once: (
    request: Pick<ChangeRequest, 'tenantId' | 'idempotency'>,
    act: () => Promise<JsonValue>,
  ) => Promise<{
    readonly result: JsonValue;
    /** The result of an earlier request: pass it on to the route's response. */
    readonly isReplay: boolean;
  }>;
}

/** Encryption at rest (AES-256-GCM) with the gateway's key. */
export interface SecretBox {
  readonly seal: (plain: string) => string;
  /** Throws if the text was not encrypted with this key. */
  readonly unseal: (sealed: string) => string;
}
