import {
  type JsonObject,
  type NewDocument,
  type PluginDocument,
  VersionConflict,
} from '../../../src/plugin/api.js';
import { createDocuments, type StoreParts } from './documents.js';
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

/** The runs of one connector. */
export interface StoredRuns {
  readonly run: (id: string) => Promise<StoredRun | undefined>;
  /** Newest first. */
  readonly runs: (limit: number, after?: string) => Promise<readonly StoredRun[]>;
  readonly currentRuns: () => Promise<CurrentRuns>;
  /** Stores a run whose state stays. Rejects with a VersionConflict. */
  readonly putRun: (run: StoredRun) => Promise<StoredRun>;
  /**
   * Stores runs whose state changes, all of them or none. Rejects with a VersionConflict if one of them
   * has changed, or any run since `since` was read.
   */
  readonly moveRuns: (
    runs: readonly StoredRun[],
    since?: CurrentRuns,
  ) => Promise<readonly StoredRun[]>;
}

const DAY_MS = 86_400_000;
const KEPT_MS = 90 * DAY_MS;

/** Earlier versions did not store when they wrote a run. */
const storedRun = ({ value, version, updatedAt }: PluginDocument): StoredRun =>
  ({
    ...value,
    version,
    updatedAt: typeof value.updatedAt === 'string' ? new Date(value.updatedAt) : updatedAt,
  }) as unknown as StoredRun;

const indexOf = (runs: readonly StoredRun[]): RunIndex => ({
  open: runs.filter(isOpen).map(({ id }) => id),
  held: runs.filter(({ state }) => state === 'held').map(({ id }) => id),
});

export const createStoredRuns = ({
  collection,
  tenantId,
  connector,
  now,
  fence,
}: StoreParts): StoredRuns => {
  const runs = collection('runs');
  const keyOf = (id: string): string => `${connector}:${id}`;
  /** Outside of the keys of runs, which begin with the connector and a colon. */
  const indexKey = `state/${connector}`;
  const guard = fence ? { fence } : {};
  const documents = createDocuments<StoredRun>({
    collection: runs,
    tenantId,
    fence,
    prefix: keyOf(''),
    nameOf: ({ id }) => id,
    expiresAt: () => new Date(now().getTime() + KEPT_MS),
    read: storedRun,
    write: ({ version: _version, ...run }) => ({ ...run, updatedAt: now().toISOString() }),
  });

  /** Of a database that an older version wrote, which had no index: a look at all runs, once. */
  const indexAll = async (): Promise<RunIndex> => {
    const found: StoredRun[] = [];
    for await (const page of documents.pages())
      found.push(...page.filter((run) => isOpen(run) || run.state === 'held'));
    return indexOf(found);
  };

  const currentRuns = async (): Promise<CurrentRuns> => {
    const stored = await runs.get(tenantId, indexKey);
    const index = stored ? (stored.value as unknown as RunIndex) : await indexAll();
    const [newest] = await documents.list(1);
    const ids = new Set([...index.open, ...index.held]);
    // During an upgrade, an instance of an older version may start a run without the index.
    if (newest) ids.add(newest.id);
    const found = [...(await documents.many([...ids].sort())).values()];
    return {
      open: found.filter(isOpen),
      held: found.filter(({ state }) => state === 'held'),
      newest,
      version: stored?.version ?? 0,
    };
  };

  const toStore = (moved: readonly StoredRun[]): readonly NewDocument[] =>
    moved.flatMap((run) =>
      documents.toStore([run]).map((document) => ({ ...document, ifVersion: run.version })),
    );

  const indexAfter = (current: CurrentRuns, moved: readonly StoredRun[]): NewDocument => {
    const ids = new Set(moved.map(({ id }) => id));
    const others = [...current.open, ...current.held].filter(({ id }) => !ids.has(id));
    const index = indexOf([...moved, ...others]);
    return { key: indexKey, value: index as unknown as JsonObject, ifVersion: current.version };
  };

  const written = (run: StoredRun): StoredRun => ({
    ...run,
    version: run.version + 1,
    updatedAt: now(),
  });

  return {
    run: documents.get,
    runs: documents.list,
    currentRuns,
    putRun: async (run) => {
      await runs.put(tenantId, toStore([run]), guard);
      return written(run);
    },
    moveRuns: async (moved, since) => {
      for (;;) {
        const current = since ?? (await currentRuns());
        try {
          await runs.put(tenantId, [...toStore(moved), indexAfter(current, moved)], guard);
          return moved.map(written);
        } catch (error) {
          if (!(error instanceof VersionConflict) || since) throw error;
          // Only the index has changed, by another run: it is read again.
          const stored = await documents.many(moved.map(({ id }) => id));
          if (moved.some(({ id, version }) => (stored.get(id)?.version ?? 0) !== version))
            throw error;
        }
      }
    },
  };
};
