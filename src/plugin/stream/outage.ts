import type { PluginLog } from '../contract/extension.js';

/** Logs when calls of the database begin to fail and when they succeed again, not every failure. */
export interface Outage {
  readonly failed: (cause: unknown) => void;
  readonly succeeded: () => void;
}

export const createOutage = (log: PluginLog): Outage => {
  let failures = 0;
  return {
    failed: (err) => {
      if (failures === 0) log.warn({ err }, 'The database does not respond; deliveries wait.');
      failures += 1;
    },
    succeeded: () => {
      if (failures > 0) log.info({ failures }, 'The database responds again; deliveries resume.');
      failures = 0;
    },
  };
};
