import { deciderOf, type SingleType } from '../domain/decide/deciders.js';
import { type Limits, LIMITS } from '../domain/decide/limits.js';
import type { Envelope } from '../domain/commands.js';
import type { CommandId } from '../domain/ids.js';
import type { Need } from '../domain/tables.js';
import type { Batch, Gathered } from './batch.js';
import type { CommandLogEntry, CommitStore } from './commit-store.js';
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

const distinct = (needs: readonly Need[]): readonly Need[] => [
  ...new Map(needs.map((need) => [`${need.table}.${need.index}=${need.key}`, need])).values(),
];

const NONE: ReadonlyMap<CommandId, CommandLogEntry> = new Map();

/** Loads in one go what the commands of a batch say they need, as of one version of the tenant. */
export const gather = (store: CommitStore, limits: Limits = LIMITS) =>
  async function gather(batch: Batch, more: readonly Need[] = []): Promise<Gathered> {
    const envelopes = batch.arrivals.flatMap(({ envelope }) => commandsOf(envelope));
    const needs = distinct([...envelopes.flatMap(needsOf), ...more]);
    if (needsTurn(batch)) await store.takeTurn(batch.tenantId);
    const loaded = await store.load(batch.tenantId, needs);
    const committed =
      batch.replays > 0
        ? await store.findCommitted(
            batch.tenantId,
            envelopes.map(({ id }) => id),
          )
        : NONE;
    return { ...batch, needs, loaded, workspace: Workspace.over(loaded, needs, limits), committed };
  };

/**
 * Loads what deciders asked for beyond that. What is known already holds while the tenant has the
 * same version; where another commit came in between, all is loaded anew.
 */
export const gatherMore = (store: CommitStore, limits: Limits = LIMITS) => {
  const gatherAll = gather(store, limits);
  return async function gatherMore(gathered: Gathered, asked: readonly Need[]): Promise<Gathered> {
    const more = distinct(asked);
    const needs = [...gathered.needs, ...more];
    const loaded = await store.load(gathered.tenantId, more);
    if (loaded.version.v !== gathered.loaded.version.v) return gatherAll(gathered, needs);
    return { ...gathered, needs, workspace: gathered.workspace.with(loaded, more) };
  };
};
