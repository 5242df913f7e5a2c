import type { PluginLog, PluginMetrics } from './extension.js';
import type { Observable } from 'rxjs';
import type { EventReader } from '../../ports/tenants.js';
import type { UserLookups } from '../../ports/users.js';
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
import type { CommandOf, Results } from '../../domain/commands.js';
import type {
  DeliveryId,
  GroupId,
  RecordId,
  RoomId,
  TenantId,
  UserId,
} from '../../domain/kernel/ids.js';
import type { JsonObject, JsonValue } from '../../domain/kernel/json.js';
import type { PluginRecord } from '../../domain/plugin/plugin-record.js';
import type { Idempotency } from '../../domain/kernel/stored-response.js';
import type { ConnectorCommandType } from '../../domain/permissions.js';
import type { Preview } from '../../pipeline/preview.js';
import type { Outcome, Submit } from '../../pipeline/submit.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import type { TenantAttention } from '../../routes/extensions.js';
import type { Connector, RunningConnector, SourceNetwork } from './connector-contract.js';
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
  readonly commands: PluginCommands;
  readonly users: PluginUsers;
  readonly connectors: PluginConnectors;
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

/**
 * Commands on behalf of a connector, in the same pipeline as SCIM and REST. Only the types that the
 * plugin declares in `submits`; the tenant's other commands go first.
 */
export interface PluginCommands {
  /**
   * Submits a command and resolves with its outcome. Submit many at once: up to 200 of a tenant are in
   * flight, the rest wait in order. Waits while the gateway is busy or its database is away; rejects
   * only with the signal's reason, and then the command may or may not have been carried out.
   */
  readonly submit: <Type extends ConnectorCommandType>(
    request: CommandRequest<Type> & {
      /**
       * What the change is, up to 500 characters: the same key again, also after a crash, changes
       * nothing and returns the first result (`isReplay`), for as long as the provisioning log is
       * kept. A refused command is decided again.
       */
      readonly key: string;
      readonly signal: AbortSignal;
    },
  ) => Promise<Outcome<Type>>;
  /** What the command would do now; writes nothing. */
  readonly preview: <Type extends ConnectorCommandType>(
    request: CommandRequest<Type>,
  ) => Promise<Preview<Type>>;
  /**
   * An id for what a command creates, the same for the same key: with it a repeated command finds
   * what the first one created.
   */
  // The call site says of which kind the id is.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
  readonly idFor: <Id extends UserId | GroupId | RoomId>(tenantId: TenantId, key: string) => Id;
}

/** A command of a connector. */
export interface CommandRequest<Type extends ConnectorCommandType = ConnectorCommandType> {
  readonly tenantId: TenantId;
  /** The key of its section: the actor in the provisioning log. */
  readonly connector: string;
  readonly command: CommandOf<Type>;
  /** For the provisioning log, which finds all commands of a request: the run, for example. */
  readonly requestId: string;
}

/** The result of a successful command. */
export type CommandResult<Type extends ConnectorCommandType> = Results[Type];

/** Reads of many users and groups of a tenant; up to 1,000 values at once. */
export interface PluginUsers extends UserLookups {
  /** Undefined if there is none, or if it was deleted. `seatsProvisioned` counts its active users. */
  readonly tenant: (slug: string) => Promise<Tenant | undefined>;
}

/** The connectors of the configuration: empty unless the plugin declares `connectorOptions`. */
export interface PluginConnectors {
  /** Those that are switched off or cannot be used included. */
  readonly list: readonly ConfiguredConnector[];
}

/** A section under `connectors`. */
export interface ConfiguredConnector {
  /** The key of the section. */
  readonly name: string;
  /** The name of a built-in connector, a package or a path; empty if the section is malformed. */
  readonly use: string;
  /** The slug of the tenant whose users it provides. Empty if the section is malformed. */
  readonly tenant: string;
  readonly isEnabled: boolean;
  /** Why it cannot be used, as a sentence for an operator; null: it can. */
  readonly problem: string | null;
  /** What it declares; null if it is switched off or cannot be used. */
  readonly connector: Connector | null;
  /** Whether it runs in a process of its own. */
  readonly isolation: 'process' | 'none';
  /**
   * The section as parsed, with the options that the plugin declares; null if it is switched off or
   * cannot be used. Settings of the connector in it may be secret: show none of them.
   */
  readonly options: unknown;
  /**
   * Starts it, unless it runs. Rejects with a SourceError, after 10 s at the latest, and never stops
   * the gateway; the next call tries again.
   */
  readonly open: () => Promise<OpenConnector>;
  /** Stops it if it runs; the next `open` starts it again. */
  readonly close: () => Promise<void>;
}

/**
 * A started connector. Every call has a time limit, and every error is a SourceError. A record that
 * does not match the connector's `record` comes as a recordError. A read of which nothing was heard
 * for 2 min ends with an error. After a call that hung, or 30 s without a call, `open` starts the
 * connector again: open it for each use.
 */
export interface OpenConnector extends Pick<RunningConnector, 'read'> {
  /** A check that throws or takes longer than 30 s has failed. */
  readonly check: RunningConnector['check'];
  /** Absent: the connector offers no list of fields. */
  readonly discover?: NonNullable<RunningConnector['discover']>;
}
