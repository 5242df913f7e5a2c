import { apiKeyIdOf } from '../domain/kernel/actor.js';
import { isRefused } from '../domain/kernel/decider.js';
import type { DomainEvent } from '../domain/events.js';
import type { CommandId, EventId } from '../domain/kernel/ids.js';
import { mapped, type Chunked } from '../domain/kernel/chunked.js';
import {
  type CommittedBatch,
  type DecidedBatch,
  type DecidedCommand,
  needsPriorityLock,
} from './batch.js';
import {
  CommitConflict,
  type CommandLogEntry,
  type CommitStore,
  type LogCounts,
} from './commit-store.js';
import { runCooperatively } from './loop-scheduler.js';
import { type DescribeRecord, logEntryOf, stepCountsOf } from './log/log-entry.js';
import type { SetupMarks } from './log/log-keys.js';
import { newId } from './submit.js';
import { netOf } from './workspace.js';

interface CommitOptions {
  readonly describe?: DescribeRecord | undefined;
  readonly mark?: SetupMarks['mark'];
}

/**
 * Stage 5: writes the batch in one version-checked transaction: state, events and log entries. A
 * batch without changes only checks that the version it read is still current.
 */
export const commit = (
  store: CommitStore,
  { describe = () => undefined, mark = (entry) => entry }: CommitOptions = {},
) =>
  async function commit(decided: DecidedBatch): Promise<CommittedBatch> {
    const { loaded, tenantId } = decided;
    const records = await runCooperatively(recordsOf(decided, { describe, mark }));
    const changes = await runCooperatively(netOf(decided.workspace.changes));
    if (changes.length === 0) {
      if (!(await store.isAt(tenantId, loaded.version))) throw new CommitConflict();
      if (needsPriorityLock(decided)) await store.releasePriorityLock(tenantId);
      return { ...decided, ...records };
    }
    await store.commit({
      tenantId,
      version: loaded.version,
      seqAfter: loaded.version.seq + records.events.length,
      now: loaded.now,
      changes,
      events: records.events,
      log: records.logged,
      logCounts: records.logCounts,
    });
    return { ...decided, ...records };
  };

interface Records {
  readonly events: readonly DomainEvent[];
  readonly logged: readonly CommandLogEntry[];
  readonly unlogged: readonly CommandLogEntry[];
  readonly logCounts: readonly LogCounts[];
}

/** The batch's events, with gapless positions in the tenant's log, and its log entries. */
const recordsOf = function* (
  { decisions, loaded, workspace }: DecidedBatch,
  { describe, mark }: Pick<SetupMarks, 'mark'> & { readonly describe: DescribeRecord },
): Chunked<Records> {
  const tenant = workspace.tenant ?? loaded.tenant;
  const slug = tenant?.slug ?? '';
  const context = { at: loaded.now, facts: workspace, tenant, describe };
  const events: DomainEvent[] = [];
  const [logged, unlogged]: [CommandLogEntry[], CommandLogEntry[]] = [[], []];
  const logCounts: LogCounts[] = [];
  for (const { arrival, commands } of decisions) {
    // If the result of this commit is lost, each operation must end as it did, refusals included.
    const isAppliedBulk = arrival.envelope.command.type === 'bulk' && commands.some(isApplied);
    for (const command of commands) {
      if (command.recalled || isPostponed(command)) continue;
      const after = loaded.version.seq + events.length;
      const ownEvents = yield* eventsOf(command, { slug, at: loaded.now, after });
      const entry = mark(
        yield* logEntryOf(command, ownEvents, { ...context, since: arrival.receivedAt }),
      );
      events.push(...ownEvents);
      logCounts.push(...(yield* stepCountsOf(command, context)));
      yield;
      if (isAppliedBulk || isApplied(command)) logged.push(entry);
      else unlogged.push(withOwnId(entry, command));
    }
  }
  return { events, logged, unlogged, logCounts };
};

/** Only the change itself has the id that stands for it: a refused command may be tried again. */
const withOwnId = (entry: CommandLogEntry, { envelope }: DecidedCommand): CommandLogEntry =>
  envelope.takesEffectOnce ? { ...entry, id: newId<CommandId>() } : entry;

const isApplied = ({ decision }: DecidedCommand): boolean =>
  !isRefused(decision) && decision.changes.length > 0;

const isPostponed = ({ decision }: DecidedCommand): boolean =>
  isRefused(decision) && decision.postponed === true;

const eventsOf = function* (
  { envelope, decision }: DecidedCommand,
  { slug, at, after }: { readonly slug: string; readonly at: Date; readonly after: number },
): Chunked<readonly DomainEvent[]> {
  if (isRefused(decision)) return [];
  return yield* mapped(decision.events, (event, index) => ({
    ...event,
    id: newId<EventId>(),
    tenantId: envelope.tenantId,
    tenantSlug: slug,
    seq: after + index + 1,
    at,
    apiKeyId: apiKeyIdOf(envelope.actor),
  }));
};
