import type { Clock } from '../clock.js';
import type { OutboxStore } from '../outbox-store.js';

/** How attempts, and waits for one, ended; counted since the start of the process. */
export const ENDINGS = ['delivered', 'retry', 'failed', 'dropped', 'deferred'] as const;

export type EndingKind = (typeof ENDINGS)[number];

/** The engine at one moment, for metrics and health. */
export interface EngineSnapshot {
  /** By plugin. */
  readonly endings: ReadonlyMap<string, Readonly<Record<EndingKind, number>>>;
  /** Events that a subscriber could not route, by plugin: they are owed to nobody. */
  readonly unrouted: ReadonlyMap<string, number>;
  readonly held: number;
  readonly inFlight: number;
  readonly openBreakers: number;
  /** Rows that all instances together still owe, by plugin; null where the database does not answer. */
  readonly pending: ReadonlyMap<string, number> | null;
  /** How long the most overdue row of each plugin has been due, in seconds; null where the database does not answer. */
  readonly overdueSeconds: ReadonlyMap<string, number> | null;
}

export interface EngineGauges {
  /** Never rejects. */
  readonly snapshot: () => Promise<EngineSnapshot>;
}

/** What the engine counts as it goes. */
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

/** How old an answer may be: one look at the metrics asks for several numbers of one snapshot. */
const FRESH_MS = 1_000;

/** Reads the part of a snapshot that only the database knows, about once a second at most. */
export const createPendingReader = (
  store: OutboxStore,
  clock: Clock,
): (() => Promise<PendingCounts>) => {
  let last: { readonly at: number; readonly answer: Promise<PendingCounts> } | undefined;
  return () => {
    if (!last || clock.now() - last.at >= FRESH_MS) {
      last = { at: clock.now(), answer: readPending(store) };
    }
    return last.answer;
  };
};
