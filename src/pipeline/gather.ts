import { LRUCache } from 'lru-cache';
import { type Group, rosterOf } from '../domain/group/group.js';
import { type Hints, LIMITS, type Limits } from '../domain/kernel/decider.js';
import type { GroupId, RosterId, TenantId, CommandId } from '../domain/kernel/ids.js';
import { COMMANDS, deciderOf, type SingleCommandType } from '../domain/command-catalogue.js';
import type { Envelope } from '../domain/commands.js';
import { each, type Chunked } from '../domain/kernel/chunked.js';
import type { Lookup } from '../domain/tables.js';
import { type Batch, type GatheredBatch, needsPriorityLock, commandsOf } from './batch.js';
import type { CommandLogEntry, CommitStore } from './commit-store.js';
import { runCooperatively } from './loop-scheduler.js';
import { Workspace } from './workspace.js';

/** Groups in memory, over all tenants: about 3 MB. */
const MAX_GROUPS = 20_000;

/**
 * The rosters of the groups that were loaded last. An identity provider changes the members of one
 * group in many requests: all but the first find the room and the memberships in the same query as
 * the group (decision 0047).
 */
interface RosterHints {
  readonly of: (tenantId: TenantId) => Hints;
  readonly note: (groups: readonly Group[]) => void;
}

export const createRosterHints = (): RosterHints => {
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
  { replays, looksUpAll }: Batch,
  envelopes: readonly Envelope<SingleCommandType>[],
): boolean =>
  !looksUpAll &&
  replays === 0 &&
  envelopes.every(
    ({ command, idempotency }) =>
      COMMANDS[command.type].isCheckedByIndexes === true && !idempotency,
  );

const NONE: ReadonlyMap<CommandId, CommandLogEntry> = new Map();

/** Stage 3: loads everything that the batch's commands state, as of one version of the tenant. */
export const gather = (store: CommitStore, rosters: RosterHints, limits: Limits = LIMITS) =>
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
    const mayBeCommitted = envelopes.filter(
      ({ takesEffectOnce }) => batch.replays > 0 || takesEffectOnce,
    );
    const committed =
      mayBeCommitted.length > 0
        ? await store.findCommitted(
            batch.tenantId,
            mayBeCommitted.map(({ id }) => id),
          )
        : NONE;
    const workspace = await runCooperatively(Workspace.over(loaded, lookups, limits));
    return { ...batch, lookups, loaded, workspace, committed };
  };

/**
 * Loads what deciders turned out to need. What is already loaded stays valid while the tenant's
 * version is the same; if another commit came in between, everything is loaded again.
 */
export const gatherMore = (store: CommitStore, rosters: RosterHints, limits: Limits = LIMITS) => {
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
