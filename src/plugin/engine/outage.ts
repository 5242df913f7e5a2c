import type { PluginLog } from '../host.js';

/** Something that answers, or does not. Both are logged where they begin, not at every question. */
export interface Outage {
  readonly failed: (cause: unknown) => void;
  readonly succeeded: () => void;
  /** Failures since the last answer. */
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
