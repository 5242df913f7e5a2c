import type {
  Fence,
  JsonObject,
  NewDocument,
  PluginCollection,
  PluginDocument,
  TenantId,
  UserId,
} from '../../../src/plugin/api.js';
import type { Link } from '../link.js';
import type { PlanItem } from '../plan/plan-item.js';
import {
  type ConnectorControl,
  type ConnectorMemory,
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
  readonly outcome: 'applied' | 'failed' | 'stale';
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
}

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
  readonly putOutcomes: (
    runId: string,
    outcomes: readonly ItemOutcome[],
    fence: Fence,
  ) => Promise<void>;
  readonly outcomes: (
    runId: string,
    indexes: readonly number[],
  ) => Promise<ReadonlyMap<number, ItemOutcome>>;
  readonly listOutcomes: (runId: string, limit: number) => Promise<readonly ItemOutcome[]>;

  readonly run: (id: string) => Promise<(RunRecord & { readonly version: number }) | undefined>;
  readonly runs: (
    limit: number,
    after?: string,
  ) => Promise<readonly (RunRecord & { readonly version: number })[]>;
  readonly putRun: (
    run: RunRecord,
    guard: { readonly fence: Fence } | { readonly ifVersion: number },
  ) => Promise<void>;

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
          ? []
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
    listOutcomes: async (runId, limit) => {
      const found = await plans.list(tenantId, { prefix: `${runId}:o:`, limit });
      return found.map(({ value }) => value as unknown as ItemOutcome);
    },

    run: async (id) => {
      const found = await runs.get(tenantId, own(id));
      return found && withVersion<RunRecord>(found);
    },
    runs: async (limit, after) => {
      const found = await runs.list(tenantId, {
        prefix: own(''),
        limit,
        ...(after !== undefined && { after: own(after) }),
      });
      return found.map((document) => withVersion<RunRecord>(document));
    },
    putRun: (run, guard) => {
      const { version: _version, ...value } = run as RunRecord & { version?: number };
      return runs.put(
        tenantId,
        [
          {
            key: own(run.id),
            value: asJson(value),
            expiresAt: later(HISTORY_MS),
            ...('ifVersion' in guard && { ifVersion: guard.ifVersion }),
          },
        ],
        'fence' in guard ? { fence: guard.fence } : {},
      );
    },

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
