import type { Clock } from '../contract/clock.js';
import type { LastFailure } from './delivery-failures.js';
import type { OutboxStore } from './outbox-store.js';

/** How attempts, and waits for one, ended; counted since the start of the process. */
export const ENDINGS = ['delivered', 'retry', 'failed', 'dropped', 'deferred'] as const;

export type EndingKind = (typeof ENDINGS)[number];

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
