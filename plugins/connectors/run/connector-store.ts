import type { JsonObject, UserId } from '../../../src/plugin/api.js';
import type { IsoDate } from '../iso-date.js';
import {
  type Link,
  LINK_PRESENCE,
  LINK_STATE,
  type LinkPresence,
  type LinkState,
} from '../link.js';
import { fromStoredItem, type PlanItem, toStoredItem } from '../plan/plan-item.js';
import {
  type CollectionName,
  createDocuments,
  type Documents,
  PAGE,
  type StoreParts,
} from './documents.js';
import {
  type ConnectorControl,
  type ConnectorMemory,
  NO_CONTROL,
  NO_MEMORY,
  type QuarantinedRecord,
} from './run-record.js';
import { createUploadStore } from '../uploads/upload-store.js';
import { createStoredRuns } from './stored-runs.js';

const DAY_MS = 86_400_000;
/** Staged records are of no use after their run, and plans are kept for a quarter, as runs are. */
const STAGE_DAYS = 7;
const HISTORY_DAYS = 90;

/** A record as it was read, or that it could not be, or that it was deleted. */
export type Staged = {
  readonly sourceId: string;
  /** Where in the read it came, to find repetitions. */
  readonly segment: number;
} & (
  | { readonly kind: 'record'; readonly data: JsonObject; readonly hash: string }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'tombstone' }
);

/** Records of a complete read for which nothing is to be done. */
export interface UnchangedPage {
  /** Counts the pages of the run. */
  readonly index: number;
  readonly segment: number;
  /** They need nothing on this day; on another one, their dates may have come. */
  readonly day: IsoDate;
  readonly ids: readonly string[];
  /** The mapped fields without a value in any of them. */
  readonly empty: readonly string[];
}

/** An item of a plan, and its place there. */
export interface IndexedItem {
  readonly index: number;
  readonly item: PlanItem;
}

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
  /** Users whose manager has no user yet. */
  readonly unmetManagers?: number;
  /** Whether items before `done` were skipped, because an operator cancelled the run. */
  readonly isCut?: true;
}

const NO_PROGRESS: ApplyProgress = { pass: 1, done: 0, applied: 0, failed: 0 };

/** The mark of a link without a user; only its record id is stored. */
type UnusedLink = Pick<Link, 'sourceId'> & Partial<Pick<Link, 'state' | 'changesOn'>>;

/** Pages of up to 500 ids. */
const UNCHANGED_AT_ONCE = 10;
const unchangedPrefix = (runId: string): string => `${runId}=`;

const nineDigits = (index: number): string => String(index).padStart(9, '0');

/** What one connector of one tenant stores. */
export type ConnectorStore = ReturnType<typeof createConnectorStore>;

export const createConnectorStore = (parts: StoreParts) => {
  const { collection, tenantId, connector, now, fence } = parts;
  const guard = fence ? { fence } : {};
  const inDays = (days: number) => (): Date => new Date(now().getTime() + days * DAY_MS);
  const expiresAt = inDays(HISTORY_DAYS);
  const unusedPrefix = `n:${connector}:`;

  const documentsIn = <Value extends object>(
    name: CollectionName,
    more: Omit<Parameters<typeof createDocuments<Value>>[0], 'collection' | 'tenantId' | 'fence'>,
  ): Documents<Value> =>
    createDocuments({ collection: collection(name), tenantId, fence, ...more });

  const memories = documentsIn<ConnectorMemory>('connectors', {
    prefix: 'memory:',
    nameOf: () => connector,
  });
  const controls = createDocuments<ConnectorControl>({
    collection: collection('connectors'),
    tenantId,
    // Operators change it, and a run whose lease has ended may still ask for one.
    fence: undefined,
    prefix: 'control:',
    nameOf: () => connector,
  });
  const byRecord = {
    prefix: `l:${connector}:`,
    nameOf: ({ sourceId }: Pick<Link, 'sourceId'>) => sourceId,
  };
  const links = documentsIn<Link>('links', byRecord);
  /** Who has no user: a future hire is of interest until the day of the hire, a leaver for a quarter. */
  const unused = documentsIn<UnusedLink>('links', {
    prefix: unusedPrefix,
    nameOf: ({ sourceId }) => sourceId,
    expiresAt: ({ state, changesOn = null }) =>
      state === 'future' && changesOn !== null
        ? new Date(Date.parse(changesOn) + 2 * DAY_MS)
        : expiresAt(),
    read: ({ key }) => ({ sourceId: key.slice(unusedPrefix.length) }),
    write: () => ({}),
  });
  const owners = documentsIn<UserOwner & Pick<Link, 'userId' | 'rev'>>('links', {
    prefix: 'u:',
    nameOf: ({ userId }) => userId ?? '',
    write: ({ connector, sourceId }) => ({ connector, sourceId }),
  });
  const progressOf = (runId: string) =>
    documentsIn<ApplyProgress>('links', { prefix: 'p:', nameOf: () => runId, expiresAt });
  const itemsOf = (runId: string) =>
    documentsIn<IndexedItem>('plans', {
      prefix: `${runId}:i:`,
      nameOf: ({ index }) => nineDigits(index),
      expiresAt,
      read: ({ key, value }) => ({ index: Number(key.slice(-9)), item: fromStoredItem(value) }),
      write: ({ item }) => toStoredItem(item),
    });
  const outcomesOf = (runId: string) =>
    documentsIn<ItemOutcome>('plans', {
      prefix: `${runId}:o:`,
      nameOf: ({ index }) => nineDigits(index),
      expiresAt,
    });
  const ofStage = (runId: string) => ({
    prefix: `${runId}:`,
    nameOf: ({ sourceId }: Pick<Staged, 'sourceId'>) => sourceId,
    expiresAt: inDays(STAGE_DAYS),
  });
  const unchanged = (runId: string) =>
    documentsIn<UnchangedPage>('stage', {
      prefix: unchangedPrefix(runId),
      nameOf: ({ index }) => nineDigits(index),
      expiresAt: inDays(STAGE_DAYS),
    });
  const staged = (runId: string) => documentsIn<Staged>('stage', ofStage(runId));

  return {
    ...createStoredRuns(parts),

    /** Of a connector that receives them. */
    uploads: createUploadStore(parts),

    memory: async () => (await memories.get(connector)) ?? NO_MEMORY,
    /** What a run leaves to the next ones. */
    remember: (change: (memory: ConnectorMemory) => Partial<ConnectorMemory>) =>
      memories.change(connector, (memory = NO_MEMORY) => ({ ...memory, ...change(memory) })),
    control: async () => (await controls.get(connector)) ?? NO_CONTROL,
    changeControl: (change: (control: ConnectorControl) => Partial<ConnectorControl>) =>
      controls.change(connector, (control = NO_CONTROL) => ({ ...control, ...change(control) })),

    /** What a run has read. */
    staged,
    /** Which records a run has read, and where. */
    stagedIds: (runId: string) =>
      documentsIn<Pick<Staged, 'sourceId' | 'segment'>>('stage', {
        ...ofStage(runId),
        fields: ['sourceId', 'segment'],
      }),
    /** What a run has read and not staged, because nothing is to be done. */
    unchangedPages: (runId: string) => unchanged(runId).pages(UNCHANGED_AT_ONCE),
    putUnchanged: (runId: string, page: UnchangedPage) => unchanged(runId).add([page]),
    stage: (runId: string, records: readonly Staged[]) =>
      collection('stage').put(
        tenantId,
        [
          // Follows all staged records of the run. For minutes, MongoDB keeps deleted keys in the
          // index; without this one, each record would be compared with all those that the run
          // before had staged.
          { key: `${runId};`, value: {}, expiresAt: inDays(STAGE_DAYS)() },
          ...staged(runId).toStore(records, () => true),
        ],
        guard,
      ),
    clearStage: async (runId: string) => {
      for (const prefix of [`${runId}:`, unchangedPrefix(runId)])
        await collection('stage').clear(tenantId, prefix, guard);
    },

    links,
    /** The links, without what was read and applied. */
    linkStates: documentsIn<LinkState>('links', { ...byRecord, fields: LINK_STATE }),
    linkPresence: documentsIn<LinkPresence>('links', { ...byRecord, fields: LINK_PRESENCE }),
    /** Links without a user, of future hires and of people who have left; the first ones. */
    unusedLinks: async (limit: number) => {
      const ids = (await unused.list(limit)).map(({ sourceId }) => sourceId);
      // The record may have got a user since.
      return [...(await links.many(ids)).values()].filter(({ userId }) => userId === null);
    },
    /** Which records have these users. */
    owners: (userIds: readonly UserId[]): Promise<ReadonlyMap<string, UserOwner>> =>
      owners.many(userIds),
    /** Links and the progress of the run, together. */
    putLinks: (runId: string, changed: readonly Link[], progress: ApplyProgress) => {
      /** Whether its record had no link before. */
      const isFirst = ({ rev }: Pick<Link, 'rev'>): boolean => progress.pass === 1 && rev === 1;
      return collection('links').put(
        tenantId,
        [
          ...links.toStore(changed, isFirst),
          ...owners.toStore(
            changed.flatMap(({ userId, sourceId, rev }) =>
              userId === null ? [] : [{ userId, connector, sourceId, rev }],
            ),
            isFirst,
          ),
          ...unused.toStore(changed.filter(({ userId }) => userId === null)),
          ...progressOf(runId).toStore([progress]),
        ],
        guard,
      );
    },
    progress: async (runId: string) => (await progressOf(runId).get(runId)) ?? NO_PROGRESS,

    putItems: (runId: string, from: number, items: readonly PlanItem[]) =>
      itemsOf(runId).add(items.map((item, at) => ({ index: from + at, item }))),
    items: (runId: string, from: number, limit = PAGE) =>
      itemsOf(runId).list(limit, from > 0 ? nineDigits(from - 1) : undefined),
    /** In the order of the indexes. */
    itemsAt: async (runId: string, indexes: readonly number[]) => [
      ...(await itemsOf(runId).many(indexes.map(nineDigits))).values(),
    ],
    putOutcomes: (runId: string, outcomes: readonly ItemOutcome[]) =>
      outcomesOf(runId).put(outcomes),
    outcomesAt: async (runId: string, indexes: readonly number[]) =>
      new Map(
        [...(await outcomesOf(runId).many(indexes.map(nineDigits))).values()].map((outcome) => [
          outcome.index,
          outcome,
        ]),
      ),
    outcomePages: (runId: string) => outcomesOf(runId).pages(),

    /** Records that could not be planned or applied. */
    quarantine: documentsIn<QuarantinedRecord>('quarantine', {
      prefix: `${connector}:`,
      nameOf: ({ sourceId }) => sourceId,
    }),
  };
};
