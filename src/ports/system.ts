/** A gateway of this database. */
export interface SystemInstance {
  readonly id: string;
  /** Null: a gateway of an earlier version. */
  readonly host: string | null;
  readonly version: string | null;
  readonly startedAt: Date;
  readonly heartbeatAt: Date;
}

/** The database as this gateway sees it. */
export interface SystemDatabase {
  readonly version: string;
  readonly isSupported: boolean;
  /** Null: a sharded cluster. */
  readonly replicaSet: string | null;
  /** `host:port` of each member. */
  readonly members: readonly string[];
  /** How long it takes to respond. */
  readonly pingMs: number;
}

export const CHECK_STATES = ['ok', 'warn', 'fail'] as const;

/** The result of a check, and what to do. */
export interface SystemCheck {
  /** Stable, for programs: `database`. */
  readonly id: string;
  readonly title: string;
  readonly status: (typeof CHECK_STATES)[number];
  readonly message: string;
  /** Null if there is nothing to do. */
  readonly action: string | null;
}

/** The gateways and their database. */
export interface SystemState {
  readonly version: string;
  readonly node: string;
  readonly startedAt: Date;
  /** Of this gateway. */
  readonly instanceId: string;
  readonly instances: readonly SystemInstance[];
  readonly database: SystemDatabase & { readonly kind: 'embedded' | 'external' };
  readonly checks: readonly SystemCheck[];
}

export type ReadSystem = () => Promise<SystemState>;

export const PLUGIN_STATES = ['running', 'degraded', 'disabled'] as const;

/** A plugin and its health on this instance, for operators. */
export interface PluginState {
  /** The key of its section in the configuration. */
  readonly name: string;
  /** Its path or package; null: built in. */
  readonly use: string | null;
  /** Null while it is disabled. */
  readonly title: string | null;
  readonly version?: string;
  /** Degraded: it runs, and its health check failed. */
  readonly state: (typeof PLUGIN_STATES)[number];
  /** Null while it is disabled. */
  readonly health: { readonly ok: boolean; readonly message: string } | null;
  /** Null: it does not subscribe to events. */
  readonly lag: PluginLag | null;
  /** The last delivery attempt that failed on this instance since its start; null: none. */
  readonly lastFailure: { readonly at: Date; readonly reason: string } | null;
}

/** Pending deliveries of a plugin, over all instances; null if the database is unavailable. */
export interface PluginLag {
  readonly pending: number | null;
  /** How long the most overdue delivery has been due. */
  readonly overdueSeconds: number | null;
}

/** A request's rate limit (decisions.md 3: a fixed window of 60 s per key). */
export interface RateLimitResult {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds to the end of the window. */
  readonly resetSeconds: number;
}

/** Counts requests per key and window. Usually synchronous, without a write per request. */
export interface RateLimiter {
  readonly take: (key: string) => RateLimitResult | Promise<RateLimitResult>;
}
