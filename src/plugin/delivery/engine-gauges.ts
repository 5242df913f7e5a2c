import type { Clock } from '../contract/clock.js';
import type { PluginLog } from '../contract/extension.js';
import type { KeyGate } from './key-gate.js';
import type { OutboxStore } from '../../outbox/outbox-claims.js';

/** The last attempt of a plugin that failed, on this instance. */
interface LastFailure {
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

/** How attempts, and waits for one, ended; counted since the start of the process. */
type EndingKind = 'delivered' | 'retry' | 'failed' | 'dropped' | 'deferred';

/** The engine at one moment, for metrics and health. */
export interface EngineSnapshot {
  /** By plugin. */
  readonly endings: ReadonlyMap<string, Readonly<Record<EndingKind, number>>>;
  /** Events that a subscriber could not route, by plugin: no key receives them. */
  readonly unrouted: ReadonlyMap<string, number>;
  readonly held: number;
  readonly inFlight: number;
  readonly openBreakers: number;
  /** The last failed attempt of each plugin on this instance. */
  readonly lastFailures: ReadonlyMap<string, LastFailure>;
  /** Pending rows of all instances, by plugin; null if the database does not respond. */
  readonly pending: ReadonlyMap<string, number> | null;
  /** How long the most overdue row of each plugin has been due, in seconds; null if the database does not respond. */
  readonly overdueSeconds: ReadonlyMap<string, number> | null;
}

export interface EngineGauges {
  /** Never rejects. */
  readonly snapshot: () => Promise<EngineSnapshot>;
}

/** The engine's counters. */
export interface EngineCounters {
  readonly ended: (plugin: string, kind: EndingKind, rows?: number) => void;
  readonly unrouted: (plugin: string) => void;
  readonly read: () => Pick<EngineSnapshot, 'endings' | 'unrouted'>;
}

const NONE: Readonly<Record<EndingKind, number>> = {
  delivered: 0,
  retry: 0,
  failed: 0,
  dropped: 0,
  deferred: 0,
};

export const createEngineCounters = (plugins: Iterable<string>): EngineCounters => {
  const endings = new Map([...plugins].map((plugin) => [plugin, NONE]));
  const unrouted = new Map([...endings.keys()].map((plugin) => [plugin, 0]));
  return {
    ended: (plugin, kind, rows = 1) => {
      const counts = endings.get(plugin) ?? NONE;
      endings.set(plugin, { ...counts, [kind]: counts[kind] + rows });
    },
    unrouted: (plugin) => void unrouted.set(plugin, (unrouted.get(plugin) ?? 0) + 1),
    read: () => ({ endings: new Map(endings), unrouted: new Map(unrouted) }),
  };
};

type PendingCounts = Pick<EngineSnapshot, 'pending' | 'overdueSeconds'>;

const readPending = async (store: OutboxStore): Promise<PendingCounts> => {
  try {
    const { pending, overdueMs } = await store.counts();
    const seconds = [...overdueMs].map(([plugin, ms]) => [plugin, ms / 1_000] as const);
    return { pending, overdueSeconds: new Map(seconds) };
  } catch {
    return { pending: null, overdueSeconds: null };
  }
};

/** Maximum age of a snapshot: one scrape reads several numbers of it. */
const FRESH_MS = 1_000;

/** Reads the part of a snapshot that is in the database, at most about once a second. */
export const createPendingReader = (
  store: OutboxStore,
  clock: Clock,
): (() => Promise<PendingCounts>) => {
  let last: { readonly at: number; readonly counts: Promise<PendingCounts> } | undefined;
  return () => {
    if (!last || clock.now() - last.at >= FRESH_MS) {
      last = { at: clock.now(), counts: readPending(store) };
    }
    return last.counts;
  };
};
