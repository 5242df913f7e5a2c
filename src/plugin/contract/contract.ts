import type { PostedEvents, OverviewDeclaration, Site } from '../../routes/extensions.js';
import type { Fence } from '../../ports/plugin-storage.js';
import type { Route } from '../../routes/route.js';
import type { ExtensionExplain, SearchResult } from '../../ports/tenants.js';
import type { DescribedRecord, PluginRule } from '../../domain/kernel/decider.js';
import type { StoredAttempt } from '../../ports/deliveries.js';
import type { DomainEvent, EventName } from '../../domain/events.js';
import type { DeliveryId, TenantId } from '../../domain/kernel/ids.js';
import type { PluginRecord } from '../../domain/plugin/plugin-record.js';
import type { ExtensionRefusal } from '../../domain/kernel/refusals.js';
import type { ExtensionScope } from '../../domain/scopes.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import type { CliResource } from './cli-resource.js';
import type { DoctorCheck } from './doctor-check.js';
import type { PluginHost } from './host.js';
import type { Manifest } from './extension.js';

/**
 * A plugin. Importing it must do nothing; `start` is called once for each enabled section of the
 * configuration that uses it.
 */
export interface Plugin<Settings = unknown> extends Manifest<Settings> {
  /** Scopes that API keys can hold. Unknown while the plugin is disabled. */
  readonly scopes?: readonly ScopeDeclaration[];
  /** The scope that an API key needs for `host.records.change`. Absent: no key can do that. */
  readonly changeScope?: ExtensionScope;
  /**
   * Error codes of its routes and rules. Each begins with a prefix that no code of the core or of
   * another plugin has: its first word, as in `AUDIT_ENTRY_NOT_FOUND`.
   */
  readonly refusals?: readonly ExtensionRefusal[];
  /** Checks of `rollgate doctor`. */
  readonly doctor?: readonly DoctorCheck<Settings>[];
  /** Commands of `rollgate`. */
  readonly commands?: readonly CliResource[];
  /** Names of the collections that it keeps documents in: lower-case words joined by hyphens. */
  readonly collections?: readonly string[];
  /** Descriptions of the tags of its routes, for the OpenAPI document. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Requests that it sends to receivers, for the OpenAPI document. */
  readonly posts?: PostedEvents;
  /**
   * Starts it. A rejection stops the gateway from starting and its message is shown to the operator:
   * say what to do.
   */
  readonly start: (host: PluginHost<Settings>) => Promise<RunningPlugin> | RunningPlugin;
}

/** A scope, for operators who create API keys. */
export interface ScopeDeclaration {
  readonly scope: ExtensionScope;
  /** What a key with it may do: `register, change, delete and test webhooks`. */
  readonly allows: string;
  /** Presets of `rollgate key create` that include it, new ones or existing ones. */
  readonly presets?: readonly string[];
  /** Whether it allows `GET /events`, a route of the plugin: `rollgate event list` uses such keys. */
  readonly readsEvents?: true;
}

/** What a started plugin provides; every part is optional. */
export interface RunningPlugin {
  /** The rules by which `host.records.change` changes records; pure, run inside the tenant's lane. */
  readonly rules?: Readonly<Record<string, PluginRule>>;
  /**
   * What the provisioning log shows of a record; pure, and never a secret. Absent: the record's id.
   */
  readonly describe?: (record: PluginRecord) => DescribedRecord;
  readonly subscriber?: EventSubscriber;
  /** Routes of the tenant API and of the operators' API. */
  readonly routes?: readonly Route[];
  /** Static files and pages. */
  readonly sites?: readonly Site[];
  /** Work that one instance does at regular intervals. */
  readonly timers?: readonly Timer[];
  readonly health?: () => PluginHealth | Promise<PluginHealth>;
  /** Its part of the overview of a tenant that operators see first; read within 1 s. */
  readonly overview?: OverviewDeclaration;
  /** Its objects whose name begins with the text, which is in lower case, within 1 s; at most 20. */
  readonly search?: (tenant: Tenant, text: string) => Promise<readonly SearchResult[]>;
  /** What it has on a person who is not in a room, of bounded reads within 1 s. */
  readonly explain?: ExtensionExplain;
  /** Called once, after the last delivery and timer have ended. Time limit: 5 s. */
  readonly stop?: () => Promise<void> | void;
}

/** The health of a plugin, as `rollgate plugin list` shows it. */
export interface PluginHealth {
  readonly ok: boolean;
  /** One sentence for an operator. */
  readonly message: string;
}

/** A subscriber whose parts with a default may be absent. */
export type EventSubscriber = Pick<DurableSubscriber, 'deliver'> &
  Partial<Omit<DurableSubscriber, 'isByRecord'>> & {
    /** Of a subscriber without `subscriptions`: the events that it wants. Absent: all. */
    readonly events?: readonly EventName[];
  };

/**
 * Receives events at least once: each of its subscriptions is a position in the log of a tenant, and
 * the host moves it. The host takes care of crashes, retries and other instances.
 */
export interface DurableSubscriber {
  /**
   * The subscriptions of a tenant that get deliveries now. Read the plugin's records: another
   * instance may have changed them. A tenant for which the plugin never changed a record is not
   * asked; the result is used for 1 s. What is pending for a key that is no longer among them is
   * dropped, so a key must not be used again later: put a counter in it. Absent: one for every
   * tenant, under the key `all`, of all events from the first start of the plugin on.
   */
  readonly subscriptions: (tenantId: TenantId) => Promise<readonly Subscription[]>;
  /** Whether its subscriptions depend on records. Set by the host. */
  readonly isByRecord: boolean;
  /**
   * Makes one attempt. It must end within 1 s after the signal aborts, which happens 10 s after the
   * start at the earliest. If it throws, the attempt has failed and is retried.
   */
  readonly deliver: (delivery: Delivery, signal: AbortSignal) => Promise<DeliveryOutcome>;
  /**
   * Milliseconds to wait before each further attempt; empty: no retries. Jitter of ±20 % is added.
   * Absent: 5 s, 30 s, 2 min, 10 min, 1 h, 6 h, 24 h.
   */
  readonly retry: readonly number[];
  /** How many attempts may run at once for one key. Absent: 1. */
  readonly concurrency: number;
}

/** What one recipient of a plugin gets of a tenant's events. */
export interface Subscription {
  /** The recipient within the plugin, for example `registration:epoch`. */
  readonly key: string;
  /** Only events after this position of the log: that of the change that made it. Default: the first. */
  readonly after?: number | undefined;
  /** The events that it wants, by name, each after this position. Absent: all. */
  readonly events?: ReadonlyMap<EventName, number>;
}

/** One event for one key, in one attempt. */
export interface Delivery {
  /** The same in every attempt, on every instance. */
  readonly id: DeliveryId;
  readonly key: string;
  readonly event: DomainEvent;
  /** From 1. */
  readonly attempt: number;
}

/** How an attempt ended. */
export type DeliveryOutcome =
  | { readonly kind: 'delivered'; readonly kept?: StoredAttempt }
  | {
      readonly kind: 'failed';
      /** False: a retry cannot succeed; the delivery ends as failed. */
      readonly retry: boolean;
      /** Wait at least this long before the next attempt (from Retry-After, for example). */
      readonly waitMs?: number;
      /** A few words for the log and the operator; no secrets. */
      readonly reason: string;
      readonly kept?: StoredAttempt;
    };

/** Work that one instance at a time does at regular intervals. */
export interface Timer {
  /** Unique among the timers of the plugin: lower-case words joined by hyphens. */
  readonly name: string;
  /** From the start of one run to the start of the next, such as `30s` or `6h`; 1 s to 30 d. */
  readonly every: string;
  /**
   * One run. The next run, on whichever instance, starts after this one has ended. If it throws, the
   * error is logged and the next run is on time. Runs that were missed are not repeated.
   */
  readonly run: (run: TimerRun) => Promise<void>;
}

/** What a run of a timer receives. */
export interface TimerRun {
  /** Aborts if the gateway stops or the lease is lost. */
  readonly signal: AbortSignal;
  /** Pass it to writes that another instance must not see overwritten later. */
  readonly fence: Fence;
}

/**
 * Declares a plugin; its settings are typed by its schema. The result is what a module exports as
 * its default: the host checks the settings by the same schema before it passes them on.
 *
 * @example
 * export default definePlugin({
 *   apiVersion: 1,
 *   name: 'hello',
 *   title: 'Hello',
 *   description: 'Logs a greeting for each new user.',
 *   start: ({ events$, log }) => {
 *     const greeting = events$.subscribe(({ name }) => {
 *       if (name === 'user.created') log.info({}, 'Hello.');
 *     });
 *     return { stop: () => greeting.unsubscribe() };
 *   },
 * });
 */
export const definePlugin = <Settings>(plugin: Plugin<Settings>): Plugin =>
  plugin as unknown as Plugin;
