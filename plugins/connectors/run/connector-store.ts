import {
  type Fence,
  type JsonObject,
  type NewDocument,
  type PluginCollection,
  type PluginDocument,
  type TenantId,
  type UserId,
  VersionConflict,
} from '../../../src/plugin/api.js';
import type { Link } from '../link.js';
import type { PlanItem } from '../plan/plan-item.js';
import {
  type ConnectorControl,
  type ConnectorMemory,
  isOpen,
  NO_CONTROL,
  NO_MEMORY,
  type QuarantinedRecord,
  type RunRecord,
} from './run-record.js';

/** The collections that the plugin declares. */
export const COLLECTIONS = ['connectors', 'stage', 'plans', 'links', 'runs', 'quarantine'] as const;
export type CollectionName = (typeof COLLECTIONS)[number];

const DAY_MS = 86_400_000;
/** Staged records are of no use after their run, and runs are kept for a quarter. */
const STAGE_MS = 7 * DAY_MS;
const HISTORY_MS = 90 * DAY_MS;
export const PAGE = 500;

/** A record as it was read, or that it could not be, or that it was deleted. */
export type Staged = {
  readonly sourceId: string;
  /** Where in the read it came, to find repetitions. */
  readonly segment: number;
  readonly attempt: number;
} & (
  | { readonly kind: 'record'; readonly data: JsonObject; readonly hash: string }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'tombstone' }
);

/** How an item of a plan ended, where it is not simply applied. */
export interface ItemOutcome {
  readonly index: number;
  readonly sourceId: string;
  readonly outcome: 'applied' | 'failed' | 'stale' | 'skipped';
  readonly code: string | null;
  readonly message: string | null;
}

/** Whose link a user has. */
export interface UserOwner {
  readonly connector: string;
  readonly sourceId: string;
}

/** How far the apply has come: everything before `done` has ended. */
export interface ApplyProgress {
  readonly pass: 1 | 2;
  readonly done: number;
  readonly applied: number;
  readonly failed: number;
  /** Whether items before `done` were skipped, because an operator cancelled the run. */
  readonly isCut?: true;
}

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
  /** Held runs, and the newer run that has read the source since and is done. */
  readonly outdated: Readonly<Record<string, string>>;
  readonly newest: StoredRun | undefined;
  /** Of the index, which every change of a run's state writes too. */
  readonly version: number;
}

/** The ids of current runs; written together with each change of a run's state. */
interface RunIndex {
  readonly open: readonly string[];
  readonly held: readonly string[];
  readonly outdated: CurrentRuns['outdated'];
}

/** Whether it is done and knows more of the source than the runs before it. */
const hasRead = ({ state, mode, counts }: RunRecord): boolean =>
  state === 'done' && (mode === 'full' || mode === 'delta') && counts.read > 0;

const nineDigits = (index: number): string => String(index).padStart(9, '0');

const asJson = (value: object): JsonObject => value as JsonObject;

/** What one connector of one tenant stores. */
export interface ConnectorStore {
  readonly memory: () => Promise<ConnectorMemory>;
  readonly putMemory: (memory: ConnectorMemory, fence: Fence) => Promise<void>;
  readonly control: () => Promise<ConnectorControl & { readonly version: number }>;
  readonly putControl: (control: ConnectorControl, ifVersion: number) => Promise<void>;

  readonly stage: (runId: string, staged: readonly Staged[], fence: Fence) => Promise<void>;
  readonly stagedMany: (
    runId: string,
    sourceIds: readonly string[],
  ) => Promise<ReadonlyMap<string, Staged>>;
  readonly stagedPages: (runId: string) => AsyncGenerator<readonly Staged[]>;
  readonly clearStage: (runId: string, fence: Fence) => Promise<void>;

  readonly links: (sourceIds: readonly string[]) => Promise<ReadonlyMap<string, Link>>;
  readonly linkPages: () => AsyncGenerator<readonly Link[]>;
  /** Links without a user, of future hires and of people who have left; the first ones. */
  readonly unusedLinks: (limit: number) => Promise<readonly Link[]>;
  readonly owners: (userIds: readonly UserId[]) => Promise<ReadonlyMap<string, UserOwner>>;
  /** Links and the progress of the run, together. */
  readonly putLinks: (
    runId: string,
    links: readonly Link[],
    progress: ApplyProgress,
    fence: Fence,
  ) => Promise<void>;
  readonly endLinks: (sourceIds: readonly string[], fence: Fence) => Promise<void>;
  readonly progress: (runId: string) => Promise<ApplyProgress>;

  readonly putItems: (
    runId: string,
    from: number,
    items: readonly PlanItem[],
    fence: Fence,
  ) => Promise<void>;
  readonly items: (
    runId: string,
    from: number,
    limit?: number,
  ) => Promise<readonly { readonly index: number; readonly item: PlanItem }[]>;
  /** In the order of the indexes. */
  readonly itemsAt: (
    runId: string,
    indexes: readonly number[],
  ) => Promise<readonly { readonly index: number; readonly item: PlanItem }[]>;
  readonly putOutcomes: (
    runId: string,
    outcomes: readonly ItemOutcome[],
    fence: Fence,
  ) => Promise<void>;
  readonly outcomes: (
    runId: string,
    indexes: readonly number[],
  ) => Promise<ReadonlyMap<number, ItemOutcome>>;
  readonly listOutcomes: (
    runId: string,
    limit: number,
    after?: number,
  ) => Promise<readonly ItemOutcome[]>;

  readonly run: (id: string) => Promise<StoredRun | undefined>;
  /** Newest first. */
  readonly runs: (limit: number, after?: string) => Promise<readonly StoredRun[]>;
  readonly currentRuns: () => Promise<CurrentRuns>;
  /** Stores a run whose state stays. Rejects with a VersionConflict. */
  readonly putRun: (run: StoredRun, fence: Fence) => Promise<StoredRun>;
  /**
   * Stores runs whose state changes, all of them or none. Rejects with a VersionConflict if one of them
   * has changed, or any run since `since` was read.
   */
  readonly moveRuns: (
    runs: readonly StoredRun[],
    guard: { readonly fence?: Fence; readonly since?: CurrentRuns },
  ) => Promise<readonly StoredRun[]>;

  readonly quarantined: (
    sourceIds: readonly string[],
  ) => Promise<ReadonlyMap<string, QuarantinedRecord & { readonly version: number }>>;
  readonly quarantine: (
    limit: number,
    after?: string,
  ) => Promise<readonly (QuarantinedRecord & { readonly version: number })[]>;
  readonly putQuarantined: (
    records: readonly QuarantinedRecord[],
    guard?: { readonly fence?: Fence; readonly ifVersion?: number },
  ) => Promise<void>;
  readonly release: (sourceIds: readonly string[], fence?: Fence) => Promise<void>;
}

export interface StoreParts {
  readonly collection: (name: CollectionName) => PluginCollection;
  readonly tenantId: TenantId;
  readonly connector: string;
  readonly now: () => Date;
}

// The call site names the type of what it stored.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
const read = <Value>(document: { readonly value: JsonObject } | undefined): Value | undefined =>
  document?.value as unknown as Value | undefined;

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
const withVersion = <Value>({ value, version }: PluginDocument) =>
  ({ ...value, version }) as unknown as Value & { readonly version: number };

/** Earlier versions did not store when they wrote a run. */
const storedRun = ({ value, version, updatedAt }: PluginDocument): StoredRun =>
  ({
    ...value,
    version,
    updatedAt: typeof value.updatedAt === 'string' ? new Date(value.updatedAt) : updatedAt,
  }) as unknown as StoredRun;

const indexOf = (
  runs: readonly StoredRun[],
  /** Those that are done by now. */
  read: readonly StoredRun[],
  before: RunIndex['outdated'],
): RunIndex => {
  const held = runs.filter(({ state }) => state === 'held');
  return {
    open: runs.filter(isOpen).map(({ id }) => id),
    held: held.map(({ id }) => id),
    outdated: Object.fromEntries(
      held.flatMap(({ id, createdAt }) => {
        const newer = before[id] ?? read.find((run) => run.createdAt >= createdAt)?.id;
        return newer === undefined ? [] : [[id, newer]];
      }),
    ),
  };
};

export const createConnectorStore = ({
  collection,
  tenantId,
  connector,
  now,
}: StoreParts): ConnectorStore => {
  const [connectors, stage, plans, links, runs, quarantine] = COLLECTIONS.map(collection) as [
    PluginCollection,
    PluginCollection,
    PluginCollection,
    PluginCollection,
    PluginCollection,
    PluginCollection,
  ];
  const later = (ms: number): Date => new Date(now().getTime() + ms);
  const linkKey = (sourceId: string): string => `l:${connector}:${sourceId}`;
  const own = (id: string): string => `${connector}:${id}`;
  /** A future hire is of interest until the day of the hire, who has left for a quarter. */
  const unusedUntil = ({ state, changesOn }: Link): Date =>
    state === 'future' && changesOn !== null
      ? new Date(Date.parse(changesOn) + 2 * DAY_MS)
      : later(HISTORY_MS);
  const unusedKey = (sourceId: string): string => `n:${connector}:${sourceId}`;

  const pages = async function* <Value>(
    of: PluginCollection,
    prefix: string,
    limit: number,
  ): AsyncGenerator<readonly Value[]> {
    let after: string | undefined;
    for (;;) {
      const found = await of.list(tenantId, {
        prefix,
        limit,
        ...(after !== undefined && { after }),
      });
      if (found.length > 0) yield found.map(({ value }) => value as unknown as Value);
      const last = found.at(-1);
      if (!last || found.length < limit) return;
      after = last.key;
    }
  };

  const many = async <Value>(
    of: PluginCollection,
    keys: readonly (readonly [key: string, name: string])[],
    readOne: (document: PluginDocument) => Value = ({ value }) => value as unknown as Value,
  ): Promise<ReadonlyMap<string, Value>> => {
    if (keys.length === 0) return new Map();
    const found = await of.getMany(
      tenantId,
      keys.map(([key]) => key),
    );
    return new Map(
      keys.flatMap(([key, name]) => {
        const document = found.get(key);
        return document ? [[name, readOne(document)]] : [];
      }),
    );
  };

  /** Outside of the keys of runs, which begin with the connector and a colon. */
  const indexKey = `state/${connector}`;

  const listRuns = async (limit: number, after?: string): Promise<readonly StoredRun[]> => {
    const found = await runs.list(tenantId, {
      prefix: own(''),
      limit,
      ...(after !== undefined && { after: own(after) }),
    });
    return found.map(storedRun);
  };

  /** Of a database that an older version wrote, which had no index: a look at all runs, once. */
  const allRuns = async (): Promise<RunIndex> => {
    const found: StoredRun[] = [];
    let lastRead: StoredRun | undefined;
    let after: string | undefined;
    do {
      const page = await listRuns(PAGE, after);
      lastRead ??= page.find(hasRead);
      found.push(...page.filter((run) => isOpen(run) || run.state === 'held'));
      after = page.length === PAGE ? page.at(-1)?.id : undefined;
    } while (after !== undefined);
    return indexOf(found, lastRead ? [lastRead] : [], {});
  };

  const currentRuns = async (): Promise<CurrentRuns> => {
    const stored = await runs.get(tenantId, indexKey);
    const index = stored ? (stored.value as unknown as RunIndex) : await allRuns();
    const [newest] = await listRuns(1);
    const ids = new Set([...index.open, ...index.held]);
    // During an upgrade, an instance of an older version may start a run without the index.
    if (newest) ids.add(newest.id);
    const found = [...(await runs.getMany(tenantId, [...ids].map(own))).values()]
      .map(storedRun)
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    return {
      open: found.filter(isOpen),
      held: found.filter(({ state }) => state === 'held'),
      outdated: index.outdated,
      newest,
      version: stored?.version ?? 0,
    };
  };

  const runDocument = ({ version, ...run }: StoredRun): NewDocument => ({
    key: own(run.id),
    value: asJson({ ...run, updatedAt: now().toISOString() }),
    expiresAt: later(HISTORY_MS),
    ifVersion: version,
  });

  const indexAfter = (current: CurrentRuns, moved: readonly StoredRun[]): NewDocument => {
    const ids = new Set(moved.map(({ id }) => id));
    const others = [...current.open, ...current.held].filter(({ id }) => !ids.has(id));
    const index = indexOf([...moved, ...others], moved.filter(hasRead), current.outdated);
    return { key: indexKey, value: asJson(index), ifVersion: current.version };
  };

  const written = (run: StoredRun): StoredRun => ({
    ...run,
    version: run.version + 1,
    updatedAt: now(),
  });

  const moveRuns: ConnectorStore['moveRuns'] = async (moved, { fence, since }) => {
    for (;;) {
      const current = since ?? (await currentRuns());
      try {
        await runs.put(
          tenantId,
          [...moved.map(runDocument), indexAfter(current, moved)],
          fence ? { fence } : {},
        );
        return moved.map(written);
      } catch (error) {
        if (!(error instanceof VersionConflict) || since) throw error;
        // Only the index has changed, by another run: it is read again.
        const stored = await runs.getMany(
          tenantId,
          moved.map(({ id }) => own(id)),
        );
        if (moved.some(({ id, version }) => (stored.get(own(id))?.version ?? 0) !== version))
          throw error;
      }
    }
  };

  const stagedKey = (runId: string, sourceId: string): string => `${runId}:${sourceId}`;
  /**
   * Follows all staged records of a run. For minutes, MongoDB keeps deleted keys in the index; without
   * this one, each record would be compared with all those that the run before had staged.
   */
  const stageEnd = (runId: string): string => `${runId};`;

  return {
    memory: async () =>
      read<ConnectorMemory>(await connectors.get(tenantId, `memory:${connector}`)) ?? NO_MEMORY,
    putMemory: (memory, fence) =>
      connectors.put(tenantId, [{ key: `memory:${connector}`, value: asJson(memory) }], { fence }),
    control: async () => {
      const found = await connectors.get(tenantId, `control:${connector}`);
      return found ? withVersion<ConnectorControl>(found) : { ...NO_CONTROL, version: 0 };
    },
    putControl: ({ isPaused, pausedBy, pausedAt, resumedAt, seenAt }, ifVersion) =>
      connectors.put(tenantId, [
        {
          key: `control:${connector}`,
          value: { isPaused, pausedBy, pausedAt, resumedAt, seenAt },
          ifVersion,
        },
      ]),

    stage: (runId, staged, fence) =>
      stage.put(
        tenantId,
        [
          { key: stageEnd(runId), value: {}, expiresAt: later(STAGE_MS) },
          ...staged.map((one) => ({
            key: stagedKey(runId, one.sourceId),
            value: asJson(one),
            expiresAt: later(STAGE_MS),
          })),
        ],
        { fence },
      ),
    stagedMany: (runId, sourceIds) =>
      many(
        stage,
        sourceIds.map((id) => [stagedKey(runId, id), id] as const),
      ),
    stagedPages: (runId) => pages(stage, `${runId}:`, PAGE),
    clearStage: (runId, fence) => stage.clear(tenantId, `${runId}:`, { fence }),

    links: async (sourceIds) =>
      many(
        links,
        sourceIds.map((id) => [linkKey(id), id] as const),
      ),
    unusedLinks: async (limit) => {
      const found = await links.list(tenantId, { prefix: unusedKey(''), limit });
      const ids = found.map(({ key }) => key.slice(unusedKey('').length));
      // The record may have got a user since.
      const current = await many<Link>(
        links,
        ids.map((id) => [linkKey(id), id] as const),
      );
      return [...current.values()].filter(({ userId }) => userId === null);
    },
    linkPages: () => pages(links, `l:${connector}:`, PAGE),
    owners: (userIds) =>
      many(
        links,
        userIds.map((id) => [`u:${id}`, id] as const),
      ),
    putLinks: (runId, given, progress, fence) => {
      const documents: NewDocument[] = given.flatMap((link) => [
        { key: linkKey(link.sourceId), value: asJson(link) },
        ...(link.userId === null
          ? [{ key: unusedKey(link.sourceId), value: {}, expiresAt: unusedUntil(link) }]
          : [{ key: `u:${link.userId}`, value: { connector, sourceId: link.sourceId } }]),
      ]);
      return links.put(
        tenantId,
        [
          ...documents,
          { key: `p:${runId}`, value: asJson(progress), expiresAt: later(HISTORY_MS) },
        ],
        { fence },
      );
    },
    endLinks: (sourceIds, fence) => links.delete(tenantId, sourceIds.map(linkKey), { fence }),
    progress: async (runId) =>
      read<ApplyProgress>(await links.get(tenantId, `p:${runId}`)) ?? {
        pass: 1,
        done: 0,
        applied: 0,
        failed: 0,
      },

    putItems: (runId, from, items, fence) =>
      plans.put(
        tenantId,
        items.map((item, at) => ({
          key: `${runId}:i:${nineDigits(from + at)}`,
          value: asJson(item),
          expiresAt: later(HISTORY_MS),
        })),
        { fence },
      ),
    items: async (runId, from, limit = PAGE) => {
      const found = await plans.list(tenantId, {
        prefix: `${runId}:i:`,
        limit,
        ...(from > 0 && { after: `${runId}:i:${nineDigits(from - 1)}` }),
      });
      return found.map(({ key, value }) => ({
        index: Number(key.slice(-9)),
        item: value as unknown as PlanItem,
      }));
    },
    itemsAt: async (runId, indexes) => {
      const found = await many<PlanItem>(
        plans,
        indexes.map((index) => [`${runId}:i:${nineDigits(index)}`, String(index)] as const),
      );
      return [...found].map(([index, item]) => ({ index: Number(index), item }));
    },
    putOutcomes: (runId, outcomes, fence) =>
      plans.put(
        tenantId,
        outcomes.map((outcome) => ({
          key: `${runId}:o:${nineDigits(outcome.index)}`,
          value: asJson(outcome),
          expiresAt: later(HISTORY_MS),
        })),
        { fence },
      ),
    outcomes: async (runId, indexes) => {
      const found = await many<ItemOutcome>(
        plans,
        indexes.map((index) => [`${runId}:o:${nineDigits(index)}`, String(index)] as const),
      );
      return new Map([...found].map(([index, outcome]) => [Number(index), outcome]));
    },
    listOutcomes: async (runId, limit, after) => {
      const found = await plans.list(tenantId, {
        prefix: `${runId}:o:`,
        limit,
        ...(after !== undefined && { after: `${runId}:o:${nineDigits(after)}` }),
      });
      return found.map(({ value }) => value as unknown as ItemOutcome);
    },

    run: async (id) => {
      const found = await runs.get(tenantId, own(id));
      return found && storedRun(found);
    },
    runs: listRuns,
    currentRuns,
    putRun: async (run, fence) => {
      await runs.put(tenantId, [runDocument(run)], { fence });
      return written(run);
    },
    moveRuns,

    quarantined: (sourceIds) =>
      many(
        quarantine,
        sourceIds.map((id) => [own(id), id] as const),
        (document) => withVersion<QuarantinedRecord>(document),
      ),
    quarantine: async (limit, after) => {
      const found = await quarantine.list(tenantId, {
        prefix: own(''),
        limit,
        ...(after !== undefined && { after: own(after) }),
      });
      return found.map((document) => withVersion<QuarantinedRecord>(document));
    },
    putQuarantined: (records, { fence, ifVersion } = {}) =>
      quarantine.put(
        tenantId,
        records.map((record) => {
          const { version: _version, ...value } = record as QuarantinedRecord & {
            version?: number;
          };
          return {
            key: own(record.sourceId),
            value: asJson(value),
            ...(ifVersion !== undefined && { ifVersion }),
          };
        }),
        fence ? { fence } : {},
      ),
    release: (sourceIds, fence) =>
      quarantine.delete(tenantId, sourceIds.map(own), fence ? { fence } : {}),
  };
};
