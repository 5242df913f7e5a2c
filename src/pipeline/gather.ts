import { deciderOf, type SingleType } from '../domain/decide/deciders.js';
import { type Limits, LIMITS } from '../domain/decide/limits.js';
import type { Envelope } from '../domain/commands.js';
import type { CommandId } from '../domain/ids.js';
import { each, type Pieces } from '../domain/in-pieces.js';
import type { Need } from '../domain/tables.js';
import type { Batch, Gathered } from './batch.js';
import type { CommandLogEntry, CommitStore } from './commit-store.js';
import { inTurns } from './in-turns.js';
import { commandsOf } from './operations.js';
import { needsTurn } from './turn.js';
import { Workspace } from './workspace.js';

const needsOf = ({ command, idempotency }: Envelope<SingleType>): readonly Need[] => [
  // Each decider is handed the command of its own type: the table's type says so, TypeScript
  // cannot follow it through the union.
  ...deciderOf(command.type).needs(command),
  ...(idempotency
    ? [{ table: 'rememberedAnswers', index: 'id', key: idempotency.id } as const]
    : []),
];

const distinct = function* (needs: readonly Need[]): Pieces<readonly Need[]> {
  const byName = new Map<string, Need>();
  yield* each(needs, (need) => byName.set(`${need.table}.${need.index}=${need.key}`, need));
  return [...byName.values()];
};

const NONE: ReadonlyMap<CommandId, CommandLogEntry> = new Map();

/** Loads in one go what the commands of a batch say they need, as of one version of the tenant. */
export const gather = (store: CommitStore, limits: Limits = LIMITS) =>
  async function gather(batch: Batch, more: readonly Need[] = []): Promise<Gathered> {
    const envelopes = batch.arrivals.flatMap(({ envelope }) => commandsOf(envelope));
    const needs = await inTurns(distinct([...envelopes.flatMap(needsOf), ...more]));
    if (needsTurn(batch)) await store.takeTurn(batch.tenantId);
    const loaded = await store.load(batch.tenantId, needs);
    const committed =
      batch.replays > 0
        ? await store.findCommitted(
            batch.tenantId,
            envelopes.map(({ id }) => id),
          )
        : NONE;
    const workspace = await inTurns(Workspace.over(loaded, needs, limits));
    return { ...batch, needs, loaded, workspace, committed };
  };

/**
 * Loads what deciders asked for beyond that. What is known already holds while the tenant has the
 * same version; where another commit came in between, all is loaded anew.
 */
export const gatherMore = (store: CommitStore, limits: Limits = LIMITS) => {
  const gatherAll = gather(store, limits);
  return async function gatherMore(gathered: Gathered, asked: readonly Need[]): Promise<Gathered> {
    const more = await inTurns(distinct(asked));
    const needs = [...gathered.needs, ...more];
    const loaded = await store.load(gathered.tenantId, more);
    if (loaded.version.v !== gathered.loaded.version.v) return gatherAll(gathered, needs);
    const workspace = await inTurns(gathered.workspace.with(loaded, more));
    return { ...gathered, needs, workspace };
  };
};
