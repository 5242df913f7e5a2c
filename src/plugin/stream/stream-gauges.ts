import type { StreamStore } from '../../ports/event-stream.js';
import type { Engine } from './engine.js';
import type { Lane } from './lane.js';

/** The last attempt of a plugin that failed, on this instance. */
export interface LastFailure {
  readonly reason: string;
  readonly agoMs: number;
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

/** Logs when deliveries to a key begin to fail, and each change of the cause. */
export const createDeliveryFailures = ({ clock, log }: Pick<Engine, 'clock' | 'log'>) => {
  const causes = new WeakMap<Lane, Cause>();
  const last = new Map<string, { readonly reason: string; readonly at: number }>();
  return {
    failed: (lane: Lane, text: string): void => {
      const { plugin } = lane.group;
      const reason = withoutUrlDetails(text);
      const at = clock.now();
      last.set(plugin, { reason, at });
      const cause = causes.get(lane);
      if (cause?.isCurrent && cause.reason === reason) return;
      if (cause && at - cause.loggedAt < QUIET_MS) return;
      causes.set(lane, { reason, loggedAt: at, isCurrent: true });
      // Not as `key`: the log hides what is called so.
      log.warn({ plugin, target: lane.key, reason }, 'Deliveries fail.');
    },
    succeeded: (lane: Lane): void => {
      const cause = causes.get(lane);
      if (cause) cause.isCurrent = false;
    },
    /** By plugin. */
    last: (): ReadonlyMap<string, LastFailure> =>
      new Map(
        [...last].map(([plugin, { reason, at }]) => [plugin, { reason, agoMs: clock.now() - at }]),
      ),
  };
};

/** How deliveries, and attempts that are followed by others, ended. */
type EndingKind = 'delivered' | 'retry' | 'failed' | 'dropped';

/** The event stream at one moment, for metrics and health. */
export interface StreamSnapshot {
  /** By plugin; counted since the start of the process. */
  readonly endings: ReadonlyMap<string, Readonly<Record<EndingKind, number>>>;
  /** Events in this gateway's memory that wait, are in flight, or are not recorded. */
  readonly held: number;
  readonly inFlight: number;
  readonly openBreakers: number;
  /** Partitions that this gateway owns. */
  readonly partitions: number;
  /** The last failed attempt of each plugin on this instance. */
  readonly lastFailures: ReadonlyMap<string, LastFailure>;
  /** Pending deliveries of all instances, by plugin; null if the database does not respond. */
  readonly pending: ReadonlyMap<string, number> | null;
  /** How long the most overdue one of each plugin has been due, in seconds; null if the database does not respond. */
  readonly overdueSeconds: ReadonlyMap<string, number> | null;
}

export interface StreamGauges {
  /** Never rejects. */
  readonly snapshot: () => Promise<StreamSnapshot>;
}

/** Counts how deliveries end. */
export const createEndings = (plugins: Iterable<string>) => {
  const none = { delivered: 0, retry: 0, failed: 0, dropped: 0 };
  const endings = new Map([...plugins].map((plugin) => [plugin, none]));
  return {
    add: (plugin: string, kind: EndingKind, deliveries = 1): void => {
      const counts = endings.get(plugin) ?? none;
      endings.set(plugin, { ...counts, [kind]: counts[kind] + deliveries });
    },
    read: (): StreamSnapshot['endings'] => new Map(endings),
  };
};

type PendingCounts = Pick<StreamSnapshot, 'pending' | 'overdueSeconds'>;

const readPending = async (
  { backlog }: Pick<StreamStore, 'backlog'>,
  plugins: readonly string[],
): Promise<PendingCounts> => {
  try {
    const { pending, overdueMs } = await backlog();
    const of = (counts: ReadonlyMap<string, number>, by: number) =>
      new Map(plugins.map((plugin) => [plugin, (counts.get(plugin) ?? 0) / by]));
    return { pending: of(pending, 1), overdueSeconds: of(overdueMs, 1_000) };
  } catch {
    return { pending: null, overdueSeconds: null };
  }
};

/** Maximum age of a snapshot: one scrape reads several numbers of it. */
const FRESH_MS = 1_000;

/** Reads the part of a snapshot that is in the database, at most about once a second. */
export const createPendingReader = ({
  store,
  clock,
  plugins,
}: Pick<Engine, 'store' | 'clock' | 'plugins'>): (() => Promise<PendingCounts>) => {
  let last: { readonly at: number; readonly counts: Promise<PendingCounts> } | undefined;
  return () => {
    if (!last || clock.now() - last.at >= FRESH_MS) {
      last = { at: clock.now(), counts: readPending(store, plugins) };
    }
    return last.counts;
  };
};
