import type { Clock } from '../contract/clock.js';
import type { PluginLog } from '../contract/plugin-log.js';
import type { KeyGate } from './key-gate.js';

/** The last attempt of a plugin that failed, on this instance. */
export interface LastFailure {
  readonly reason: string;
  readonly agoMs: number;
}

/** Logs when deliveries to a key begin to fail, and each change of the cause. */
export interface DeliveryFailures {
  readonly failed: (gate: KeyGate, reason: string) => void;
  readonly succeeded: (gate: KeyGate) => void;
  /** By plugin. */
  readonly last: () => ReadonlyMap<string, LastFailure>;
}

interface Cause {
  readonly reason: string;
  readonly loggedAt: number;
  isCurrent: boolean;
}

/** At least so long between two lines about a key: its deliveries may fail and succeed in turns. */
const QUIET_MS = 10_000;

/** Of a URL, only the host: its path and query may be secrets. */
const withoutUrlDetails = (reason: string): string =>
  reason.replace(/\b(https?:\/\/)(?:[^\s/?#@]*@)?([^\s/?#]+)\S*/gi, '$1$2');

export const createDeliveryFailures = ({
  clock,
  log,
}: {
  readonly clock: Clock;
  readonly log: PluginLog;
}): DeliveryFailures => {
  const causes = new WeakMap<KeyGate, Cause>();
  const last = new Map<string, { readonly reason: string; readonly at: number }>();
  return {
    failed: (gate, text) => {
      const { plugin, key } = gate;
      const reason = withoutUrlDetails(text);
      const at = clock.now();
      last.set(plugin, { reason, at });
      const cause = causes.get(gate);
      if (cause?.isCurrent && cause.reason === reason) return;
      if (cause && at - cause.loggedAt < QUIET_MS) return;
      causes.set(gate, { reason, loggedAt: at, isCurrent: true });
      // Not as `key`: the log hides what is called so.
      log.warn({ plugin, target: key, reason }, 'Deliveries fail.');
    },
    succeeded: (gate) => {
      const cause = causes.get(gate);
      if (cause) cause.isCurrent = false;
    },
    last: () =>
      new Map(
        [...last].map(([plugin, { reason, at }]) => [plugin, { reason, agoMs: clock.now() - at }]),
      ),
  };
};
