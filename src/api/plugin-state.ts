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
