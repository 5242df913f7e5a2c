import type { PluginLog } from '../contract/extension.js';

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

/** How long to rest after so many failures in a row: doubling, with ±20 % jitter, and bounded. */
export const backoffMs = (
  failures: number,
  { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number },
  random: () => number,
): number => Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30)) * (0.8 + 0.4 * random());
