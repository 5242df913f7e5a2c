import {
  type JsonObject,
  type NewDocument,
  type PluginDocument,
  VersionConflict,
} from '../../../src/plugin/api.js';
import { Documents, expiryIn, type StoreParts } from './documents.js';
import { HISTORY_DAYS } from './plan-store.js';
import { isOpen, type RunRecord } from './run-record.js';

/** A run as it is stored. A write names the version that it read. */
export interface StoredRun extends RunRecord {
  /** 0: it is not stored yet. */
  readonly version: number;
  readonly updatedAt: Date;
}

/** The runs that are in progress or held, found without a look at all that are stored. */
export interface CurrentRuns {
  /** In progress: while there is one, no other starts. */
  readonly open: readonly StoredRun[];
  /** Their plans wait for an approval. */
  readonly held: readonly StoredRun[];
  readonly newest: StoredRun | undefined;
  /** Of the index, which every change of a run's state writes too. */
  readonly version: number;
}

/** The ids of current runs; written together with each change of a run's state. */
interface RunIndex {
  readonly open: readonly string[];
  readonly held: readonly string[];
}

const NO_RUNS: RunIndex = { open: [], held: [] };

const isHeld = ({ state }: StoredRun): boolean => state === 'held';

const indexAfter = ({ open, held }: CurrentRuns, moved: readonly StoredRun[]): JsonObject => {
  const ids = new Set(moved.map(({ id }) => id));
  const all = [...moved, ...[...open, ...held].filter(({ id }) => !ids.has(id))];
  return {
    open: all.filter(isOpen).map(({ id }) => id),
    held: all.filter(isHeld).map(({ id }) => id),
  };
};

/** By the clock of runs, which all other times of a run are by; version 0.1.0 did not store this one. */
const storedRun = ({ value, version, updatedAt }: PluginDocument): StoredRun =>
  ({
    ...value,
    version,
    updatedAt: typeof value.updatedAt === 'string' ? new Date(value.updatedAt) : updatedAt,
  }) as unknown as StoredRun;

/** The runs of one connector. */
export const createStoredRuns = (parts: StoreParts) => {
  const { tenantId, connector, now, guard } = parts;
  const collection = parts.collection('runs');
  /** Outside of the keys of runs, which begin with the connector and a colon. */
  const indexKey = `state/${connector}`;
  const runs = new Documents<StoredRun>({
    ...{ collection, tenantId, guard },
    prefix: `${connector}:`,
    nameOf: ({ id }) => id,
    expiresAt: expiryIn(HISTORY_DAYS, now),
    read: storedRun,
    write: ({ version: _version, ...run }) => ({ ...run, updatedAt: now().toISOString() }),
  });

  const currentRuns = async (): Promise<CurrentRuns> => {
    const stored = await collection.get(tenantId, indexKey);
    const index = (stored?.value as RunIndex | undefined) ?? NO_RUNS;
    const [newest] = await runs.list(1);
    // A database of version 0.1.0 has no index; its run in progress, or that is held, is the newest.
    const ids = new Set([...index.open, ...index.held, ...(newest ? [newest.id] : [])]);
    const found = [...(await runs.many([...ids].sort())).values()];
    const version = stored?.version ?? 0;
    return { open: found.filter(isOpen), held: found.filter(isHeld), newest, version };
  };

  const toStore = (moved: readonly StoredRun[]): readonly NewDocument[] =>
    moved.flatMap((run) =>
      runs.toStore([run]).map((document) => ({ ...document, ifVersion: run.version })),
    );

  const written = (run: StoredRun): StoredRun => ({
    ...run,
    version: run.version + 1,
    updatedAt: now(),
  });

  return {
    run: (id: string) => runs.get(id),
    /** Newest first. */
    runs: (limit: number, after?: string) => runs.list(limit, after),
    currentRuns,
    /** Stores a run whose state stays. Rejects with a VersionConflict. */
    putRun: async (run: StoredRun): Promise<StoredRun> => {
      await collection.put(tenantId, toStore([run]), guard);
      return written(run);
    },
    /**
     * Stores runs whose state changes, all of them or none. Rejects with a VersionConflict if one of
     * them has changed, or any run since `since` was read.
     */
    moveRuns: async (
      moved: readonly StoredRun[],
      since?: CurrentRuns,
    ): Promise<readonly StoredRun[]> => {
      for (;;) {
        const current = since ?? (await currentRuns());
        try {
          const value = indexAfter(current, moved);
          const index = { key: indexKey, value, ifVersion: current.version };
          await collection.put(tenantId, [...toStore(moved), index], guard);
          return moved.map(written);
        } catch (error) {
          if (!(error instanceof VersionConflict) || since) throw error;
          // Only the index has changed, by another run: it is read again.
          const stored = await runs.many(moved.map(({ id }) => id));
          if (moved.some(({ id, version }) => (stored.get(id)?.version ?? 0) !== version))
            throw error;
        }
      }
    },
  };
};
