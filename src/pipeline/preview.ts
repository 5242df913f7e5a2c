import type { CommandType } from '../domain/commands.js';
import { isRefused } from '../domain/kernel/decider.js';
import type { NewEvent } from '../domain/events.js';
import type { UserId } from '../domain/kernel/ids.js';
import type { Chunked } from '../domain/kernel/chunked.js';
import { refusalFor } from '../domain/permissions.js';
import { databaseUnavailable, internalError, type Refusal } from '../domain/kernel/refusals.js';
import type { Change } from '../domain/tables.js';
import { roleOf } from '../domain/user/user.js';
import { previewOutcome } from './announce.js';
import { arrivalOf, type Batch, batchOf, type DecidedBatch } from './batch.js';
import { StoreUnavailable, PriorityLockHeld } from './commit-store.js';
import { gatherAndDecide, type GatherAndDecideParts } from './gather-and-decide.js';
import { runCooperatively } from './loop-scheduler.js';
import type { Outcome, Submission } from './submit.js';
import { netOf } from './workspace.js';

/** A user whose role would change. */
export interface RoleChange {
  readonly userId: UserId;
  readonly from: string;
  readonly to: string;
}

/** How many users change from one role to another. */
export interface RoleChangeCount {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/** What a command would do. */
export interface Preview<Type extends CommandType = CommandType> {
  readonly outcome: Outcome<Type>;
  /** The first events; `eventCount` counts all of this commit. */
  readonly events: readonly NewEvent[];
  readonly eventCount: number;
  /** The first role changes; `roleChangeCount` counts all of this commit. */
  readonly roleChanges: readonly RoleChange[];
  readonly roleChangeCount: number;
  /** All of this commit by role before and after; the most frequent first. */
  readonly roleChangeSummary: readonly RoleChangeCount[];
  readonly seats: {
    readonly capacity: number | null;
    readonly before: number;
    readonly after: number;
  };
  /** Members that a job would process after the commit. */
  readonly remaining: number;
  /** Unknown members that would be left out: the first ids, and the number of all. Absent: none. */
  readonly skipped?: { readonly ids: readonly string[]; readonly count: number };
}

export type PreviewCommand = <Type extends CommandType>(
  submission: Submission<Type>,
) => Promise<Preview<Type>>;

/** Maximum number of events, role changes and left out members in a preview (pipeline-rules.md 5). */
const MAX_SHOWN = 100;

/**
 * Gathers and decides a command without committing it: outside the lane and on a workspace of its
 * own. It writes no Idempotency-Key, no log entry and no sequence number (pipeline-rules.md 5). The
 * result is valid until the tenant's next commit: if the tenant was decided as of memory and another
 * gateway has changed it, it is read, and the command decided once more.
 */
export const createPreview = ({
  store,
  rules,
  log,
  limits,
}: GatherAndDecideParts): PreviewCommand => {
  const decideAlone = gatherAndDecide({ store, rules, log, limits });
  return async (submission) => {
    const { actor, source, command } = submission;
    const forbidden = refusalFor(actor, source, command);
    if (forbidden) return refusedPreview(forbidden);
    // A stored response would hide what the command does, and a preview stores none.
    const { idempotency: _idempotency, takesEffectOnce: _once, ...asNew } = submission;
    const arrival = arrivalOf(asNew, () => undefined);
    try {
      const batch: Batch = { ...batchOf([arrival]), looksUpAll: true };
      let decided = await decideAlone(batch);
      if (!(await store.isAt(batch.tenantId, decided.loaded.version)))
        decided = await decideAlone(batch);
      return await runCooperatively(previewOf(decided));
    } catch (error) {
      if (isUnavailable(error)) return refusedPreview(databaseUnavailable());
      log.error({ err: error, request_id: submission.requestId }, 'a preview failed');
      return refusedPreview(internalError());
    }
  };
};

const isUnavailable = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof PriorityLockHeld;

const previewOf = function* <Type extends CommandType>({
  decisions,
  loaded,
  workspace,
}: DecidedBatch): Chunked<Preview<Type>> {
  const [only] = decisions;
  if (!only) throw new Error('Nothing was decided.');
  const { decision } = only;
  const events = isRefused(decision) ? [] : decision.events;
  const skipped = isRefused(decision) ? [] : (decision.skippedMembers ?? []);
  const net = yield* netOf(isRefused(decision) ? [] : decision.changes);
  const [before, after] = [loaded.tenant, workspace.tenant];
  const roleChanges = net.flatMap(roleChangeBy(before, after));
  return {
    outcome: previewOutcome(only) as Outcome<Type>,
    events: events.slice(0, MAX_SHOWN),
    eventCount: events.length,
    roleChanges: roleChanges.slice(0, MAX_SHOWN),
    roleChangeCount: roleChanges.length,
    roleChangeSummary: summarise(roleChanges).slice(0, MAX_SHOWN),
    seats: {
      capacity: (after ?? before)?.seatCapacity ?? null,
      before: before?.seatsProvisioned ?? 0,
      after: after?.seatsProvisioned ?? 0,
    },
    remaining: net.reduce((sum, change) => sum + remainingAfter(change), 0),
    ...(skipped.length > 0 && {
      skipped: { ids: skipped.slice(0, MAX_SHOWN), count: skipped.length },
    }),
  };
};

type DefaultRole = { readonly defaultRole: string } | undefined;

/** Of users that exist before and after: a created user has no role to change. */
const roleChangeBy =
  (before: DefaultRole, after: DefaultRole) =>
  (change: Change): readonly RoleChange[] => {
    if (change.table !== 'users' || !change.before || !change.after || !before || !after) return [];
    const [from, to]: [string, string] = [
      roleOf(change.before, before),
      roleOf(change.after, after),
    ];
    return from === to ? [] : [{ userId: change.after.id, from, to }];
  };

const summarise = (changes: readonly RoleChange[]): readonly RoleChangeCount[] => {
  const counts = new Map<string, RoleChangeCount>();
  for (const { from, to } of changes) {
    const key = JSON.stringify([from, to]);
    counts.set(key, { from, to, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].sort((one, other) => other.count - one.count);
};

const remainingAfter = (change: Change): number =>
  change.table === 'jobs' && change.after ? change.after.total - change.after.done : 0;

const refusedPreview = <Type extends CommandType>(refusal: Refusal): Preview<Type> => ({
  outcome: { ok: false, refusal },
  events: [],
  eventCount: 0,
  roleChanges: [],
  roleChangeCount: 0,
  roleChangeSummary: [],
  seats: { capacity: null, before: 0, after: 0 },
  remaining: 0,
});
