import { apiKeyIdOf } from '../domain/actor.js';
import { isRefused } from '../domain/decide/decider.js';
import type { DomainEvent } from '../domain/events.js';
import type { EventId } from '../domain/ids.js';
import { mapped, type Pieces } from '../domain/in-pieces.js';
import { isSpan, type OutboxRow } from '../domain/outbox.js';
import type { Committed, Decided, JudgedCommand } from './batch.js';
import {
  CommitConflict,
  type CommandLogEntry,
  type CommitStore,
  StoreUnavailable,
} from './commit-store.js';
import { inTurns } from './in-turns.js';
import { type DescribeRecord, logEntryOf } from './log-entry.js';
import { newId } from './new-id.js';
import type { OutboxPlanner } from './outbox-planner.js';
import { needsTurn } from './turn.js';
import { netOf } from './workspace.js';

/**
 * Writes the whole batch in one version-checked transaction: state, events, what is owed to
 * subscribers, the log. A batch without a change only checks that what it saw still holds.
 */
export const commit = (
  store: CommitStore,
  outbox: OutboxPlanner,
  describe: DescribeRecord = () => undefined,
) =>
  async function commit(decided: Decided): Promise<Committed> {
    const { loaded, tenantId } = decided;
    const written = await inTurns(writeUp(decided, describe));
    const changes = await inTurns(netOf(decided.workspace.changes));
    if (changes.length === 0) {
      if (!(await store.isAt(tenantId, loaded.version))) throw new CommitConflict();
      if (needsTurn(decided)) await store.yieldTurn(tenantId);
      return { ...decided, ...written, outbox: [] };
    }
    const owed = await planOutbox(decided, written.events, outbox);
    try {
      await store.commit({
        tenantId,
        version: loaded.version,
        seqAfter: loaded.version.seq + written.events.length,
        now: loaded.now,
        changes,
        events: written.events,
        outbox: owed,
        log: withDeliveries(written.logged, owed),
      });
    } catch (error) {
      outbox.abandoned(owed, writtenBy(error));
      throw error;
    }
    return { ...decided, ...written, outbox: owed };
  };

const writtenBy = (error: unknown): StoreUnavailable['written'] =>
  error instanceof StoreUnavailable ? error.written : 'nothing';

const planOutbox = async (
  { loaded, workspace }: Decided,
  events: readonly DomainEvent[],
  outbox: OutboxPlanner,
): Promise<readonly OutboxRow[]> => {
  const tenant = loaded.tenant ?? workspace.tenant;
  if (!tenant || events.length === 0) return [];
  await outbox.prepare(tenant);
  return inTurns(outbox.plan(tenant, events, loaded.now));
};

/** Each line with how many deliveries its events led to. */
const withDeliveries = (
  entries: readonly CommandLogEntry[],
  owed: readonly OutboxRow[],
): readonly CommandLogEntry[] => {
  if (owed.length === 0) return entries;
  const bySeq = new Map<number, number>();
  for (const row of owed)
    for (const seq of isSpan(row) ? row.seqs : [row.seq]) bySeq.set(seq, (bySeq.get(seq) ?? 0) + 1);
  return entries.map((entry) => {
    const [first, last] = entry.events ?? [1, 0];
    let deliveries = 0;
    for (let seq = first; seq <= last; seq += 1) deliveries += bySeq.get(seq) ?? 0;
    return deliveries === 0 ? entry : { ...entry, deliveries };
  });
};

interface Written {
  readonly events: readonly DomainEvent[];
  readonly logged: readonly CommandLogEntry[];
  readonly unlogged: readonly CommandLogEntry[];
}

/** Gives events their places in the tenant's log, gapless, and each command its line. */
const writeUp = function* (
  { judged, loaded, workspace }: Decided,
  describe: DescribeRecord,
): Pieces<Written> {
  const tenant = workspace.tenant ?? loaded.tenant;
  const slug = tenant?.slug ?? '';
  const about = { at: loaded.now, facts: workspace, tenant, describe };
  const events: DomainEvent[] = [];
  const [logged, unlogged]: [CommandLogEntry[], CommandLogEntry[]] = [[], []];
  for (const { arrival, commands } of judged) {
    // A Bulk whose answer is lost must end each operation as it did, refusals too.
    const isKept = arrival.envelope.command.type === 'bulk' && commands.some(isApplied);
    for (const command of commands) {
      if (command.recalled || isPostponed(command)) continue;
      const after = loaded.version.seq + events.length;
      const own = yield* eventsOf(command, { slug, at: loaded.now, after });
      const entry = yield* logEntryOf(command, own, { ...about, since: arrival.receivedAt });
      events.push(...own);
      yield;
      (isKept || isApplied(command) ? logged : unlogged).push(entry);
    }
  }
  return { events, logged, unlogged };
};

const isApplied = ({ verdict }: JudgedCommand): boolean =>
  !isRefused(verdict) && verdict.changes.length > 0;

const isPostponed = ({ verdict }: JudgedCommand): boolean =>
  isRefused(verdict) && verdict.postponed === true;

const eventsOf = function* (
  { envelope, verdict }: JudgedCommand,
  { slug, at, after }: { readonly slug: string; readonly at: Date; readonly after: number },
): Pieces<readonly DomainEvent[]> {
  if (isRefused(verdict)) return [];
  return yield* mapped(verdict.events, (event, index) => ({
    ...event,
    id: newId<EventId>(),
    tenantId: envelope.tenantId,
    tenantSlug: slug,
    seq: after + index + 1,
    at,
    apiKeyId: apiKeyIdOf(envelope.actor),
  }));
};
