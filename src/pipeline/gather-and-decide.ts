import {
  isRefused,
  type Limits,
  type Rules,
  type Hints,
  LIMITS,
} from '../domain/kernel/decider.js';
import {
  type Batch,
  type DecidedBatch,
  type GatheredBatch,
  needsPriorityLock,
  commandsOf,
} from './batch.js';
import type { CommitStore, CommandLogEntry } from './commit-store.js';
import { decide } from './decide.js';
import type { PipelineLog } from './pipeline-log.js';
import { MissingLookups, Workspace } from './workspace.js';
import { LRUCache } from 'lru-cache';
import { type Group, rosterOf } from '../domain/group/group.js';
import type { GroupId, RosterId, TenantId, CommandId } from '../domain/kernel/ids.js';
import { COMMANDS, deciderOf, type SingleCommandType } from '../domain/command-catalogue.js';
import type { Envelope } from '../domain/commands.js';
import { each, type Chunked } from '../domain/kernel/chunked.js';
import type { Lookup } from '../domain/tables.js';
import { runCooperatively } from './loop-scheduler.js';

/** Groups in memory, over all tenants: about 3 MB. */
const MAX_GROUPS = 20_000;

/**
 * The rosters of the groups that were loaded last. An identity provider changes the members of one
 * group in many requests: all but the first find the room and the memberships in the same query as
 * the group (decision 0010).
 */
interface RosterHints {
  readonly of: (tenantId: TenantId) => Hints;
  readonly note: (groups: readonly Group[]) => void;
}

const createRosterHints = (): RosterHints => {
  const rosters = new LRUCache<string, RosterId>({
    maxSize: MAX_GROUPS,
    sizeCalculation: () => 1,
  });
  const keyOf = (tenantId: TenantId, groupId: GroupId): string => `${tenantId} ${groupId}`;
  return {
    of: (tenantId) => ({ rosterOf: (groupId) => rosters.get(keyOf(tenantId, groupId)) }),
    note: (groups) => {
      for (const group of groups) rosters.set(keyOf(group.tenantId, group.id), rosterOf(group));
    },
  };
};

const lookupsOf = (
  { command, idempotency }: Envelope<SingleCommandType>,
  hints: Hints,
): readonly Lookup[] => [
  // The catalogue pairs each decider with its commands, which TypeScript does not follow.
  ...deciderOf(command.type).lookups(command, hints),
  ...(idempotency
    ? [{ table: 'rememberedAnswers', index: 'id', key: idempotency.id } as const]
    : []),
];

const distinct = function* (lookups: readonly Lookup[]): Chunked<readonly Lookup[]> {
  const byName = new Map<string, Lookup>();
  yield* each(lookups, (lookup) =>
    byName.set(`${lookup.table}.${lookup.index}=${lookup.key}`, lookup),
  );
  return [...byName.values()];
};

/**
 * Whether the batch may be decided as if its lookups found nothing, which saves a query: a commit
 * that was wrong about it fails as a duplicate key, and the batch is run again with all lookups.
 */
const mayAssume = (
  { arrivals, looksUpAll }: Batch,
  envelopes: readonly Envelope<SingleCommandType>[],
): boolean =>
  !looksUpAll &&
  !arrivals.some(({ mayBeCommitted }) => mayBeCommitted) &&
  envelopes.every(
    ({ command, idempotency }) =>
      COMMANDS[command.type].isCheckedByIndexes === true && !idempotency,
  );

const NONE: ReadonlyMap<CommandId, CommandLogEntry> = new Map();

/** Stage 3: loads everything that the batch's commands state, as of one version of the tenant. */
const gather = (store: CommitStore, rosters: RosterHints, limits: Limits = LIMITS) =>
  async function gather(batch: Batch, more: readonly Lookup[] = []): Promise<GatheredBatch> {
    const envelopes = batch.arrivals.flatMap(({ envelope }) => commandsOf(envelope));
    const hints = rosters.of(batch.tenantId);
    const lookups = await runCooperatively(
      distinct([...envelopes.flatMap((envelope) => lookupsOf(envelope, hints)), ...more]),
    );
    if (needsPriorityLock(batch)) await store.requestPriorityLock(batch.tenantId);
    const loaded = await store.load(batch.tenantId, lookups, {
      mayAssume: more.length === 0 && mayAssume(batch, envelopes),
    });
    rosters.note(loaded.entities.groups ?? []);
    const ids = batch.arrivals.flatMap(({ envelope, mayBeCommitted }) =>
      commandsOf(envelope).flatMap(({ id, takesEffectOnce }) =>
        mayBeCommitted || takesEffectOnce ? [id] : [],
      ),
    );
    const committed = ids.length > 0 ? await store.findCommitted(batch.tenantId, ids) : NONE;
    const workspace = await runCooperatively(Workspace.over(loaded, lookups, limits));
    return { ...batch, lookups, loaded, workspace, committed };
  };

/**
 * Loads what deciders turned out to need. What is already loaded stays valid while the tenant's
 * version is the same; if another commit came in between, everything is loaded again.
 */
const gatherMore = (store: CommitStore, rosters: RosterHints, limits: Limits = LIMITS) => {
  const gatherAll = gather(store, rosters, limits);
  return async function gatherMore(
    gathered: GatheredBatch,
    missing: readonly Lookup[],
  ): Promise<GatheredBatch> {
    const more = await runCooperatively(distinct(missing));
    const lookups = [...gathered.lookups, ...more];
    const loaded = await store.load(gathered.tenantId, more);
    if (loaded.version.v !== gathered.loaded.version.v) return gatherAll(gathered, lookups);
    const workspace = await runCooperatively(gathered.workspace.with(loaded, more));
    return { ...gathered, lookups, workspace };
  };
};

/**
 * Twice as many as any command of the model tests needs (10): each round is a query during which the lane waits. A
 * batch that needs more, because its commands depend on each other, is run command by command.
 */
const MAX_ROUNDS = 20;

export interface GatherAndDecideParts {
  readonly store: CommitStore;
  readonly rules: Rules;
  readonly log: PipelineLog;
  readonly limits?: Limits | undefined;
}

/**
 * Stages 3 and 4. If a decider needs something that was not loaded, it is loaded and the whole
 * batch is decided again (pipeline-rules.md 5).
 */
export const gatherAndDecide = ({ store, rules, log, limits }: GatherAndDecideParts) => {
  const rosters = createRosterHints();
  const gatherFirst = gather(store, rosters, limits);
  const gatherMissing = gatherMore(store, rosters, limits);
  const decideBatch = decide(rules, log);
  return async function gatherAndDecide(batch: Batch): Promise<DecidedBatch> {
    let gathered = await gatherFirst(batch);
    for (let round = 0; round < MAX_ROUNDS; round += 1)
      try {
        const decided = await decideBatch(gathered);
        if (
          !gathered.loaded.isAssumed ||
          !decided.decisions.some(({ decision }) => isRefused(decision))
        )
          return decided;
        // The reason may be another one if the keys exist.
        gathered = await gatherFirst({ ...batch, looksUpAll: true });
      } catch (error) {
        if (!(error instanceof MissingLookups)) throw error;
        gathered = await gatherMissing(gathered, error.lookups);
      }
    throw new Error(`Not decided after ${MAX_ROUNDS} rounds of lookups.`);
  };
};
