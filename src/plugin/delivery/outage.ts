import type { PluginLog } from '../contract/plugin-log.js';

/** Logs when calls begin to fail and when they succeed again, not every failure. */
export interface Outage {
  readonly failed: (cause: unknown) => void;
  readonly succeeded: () => void;
  /** Failures since the last success. */
  readonly failures: () => number;
}

export const createOutage = (
  log: PluginLog,
  messages: { readonly began: string; readonly ended: string },
  fields: object = {},
): Outage => {
  let failures = 0;
  return {
    failed: (cause) => {
      if (failures === 0) log.warn({ ...fields, err: cause }, messages.began);
      failures += 1;
    },
    succeeded: () => {
      if (failures > 0) log.info({ ...fields, failures }, messages.ended);
      failures = 0;
    },
    failures: () => failures,
  };
};
