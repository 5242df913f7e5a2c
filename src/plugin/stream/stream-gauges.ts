import type { Ending } from '../../ports/event-stream.js';
import { systemClock } from '../contract/clock.js';
import type { Groups } from './groups.js';
import type { Outcomes } from './outcomes.js';
import type { GroupParts } from './tenant-group.js';

/** The last attempt of a plugin that failed, on this instance. */
export interface LastFailure {
  readonly reason: string;
  readonly agoMs: number;
}

/** The event stream at one moment, for metrics and health. */
export interface StreamSnapshot {
  /** By plugin; counted since the start of the process. */
  readonly endings: ReadonlyMap<string, Readonly<Record<Ending['kind'], number>>>;
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

type PendingCounts = Pick<StreamSnapshot, 'pending' | 'overdueSeconds'>;

const readPending = async ({ store, plugins }: GroupParts): Promise<PendingCounts> => {
  try {
    const { pending, overdueMs } = await store.backlog();
    const of = (counts: ReadonlyMap<string, number>, by: number) =>
      new Map(plugins.map((plugin) => [plugin, (counts.get(plugin) ?? 0) / by]));
    return { pending: of(pending, 1), overdueSeconds: of(overdueMs, 1_000) };
  } catch {
    return { pending: null, overdueSeconds: null };
  }
};

/** Maximum age of what is read from the database: one scrape reads several numbers of it. */
const FRESH_MS = 1_000;

export const createGauges = (
  parts: GroupParts & { readonly groups: Groups; readonly outcomes: Outcomes },
): StreamGauges => {
  const { partitions, groups, results, outcomes, sender, memory } = parts;
  let pending: Promise<PendingCounts> | undefined;
  let readAt = -Infinity;
  return {
    snapshot: async () => {
      const now = systemClock.now();
      if (!pending || now - readAt >= FRESH_MS) {
        pending = readPending(parts);
        readAt = now;
      }
      const failures = [...outcomes.lastFailures].map(
        ([plugin, { reason, at }]) => [plugin, { reason, agoMs: now - at }] as const,
      );
      return {
        ...(await pending),
        endings: results.endings,
        lastFailures: new Map(failures),
        held: memory.queued + sender.inFlight() + results.held(),
        inFlight: sender.inFlight(),
        openBreakers: [...groups.lanes()].filter(({ breaker }) => !breaker.isClosed()).length,
        partitions: partitions.owned().length,
      };
    },
  };
};
