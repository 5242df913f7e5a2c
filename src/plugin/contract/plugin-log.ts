import type { Metrics } from '../../ports/telemetry.js';

/** Metrics for operators; names are prefixed with `rollgate_` and the name of the instance. */
export type PluginMetrics = Pick<Metrics, 'gauge' | 'counter'>;

/** The gateway's log; every line names the plugin. */
export interface PluginLog {
  readonly debug: (fields: object, message: string) => void;
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
}
