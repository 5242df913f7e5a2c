import type { CommandType } from '../domain/commands.js';
import { isRefused, type Rules } from '../domain/decide/decider.js';
import type { Limits } from '../domain/decide/limits.js';
import type { NewEvent } from '../domain/events.js';
import type { UserId } from '../domain/ids.js';
import type { Pieces } from '../domain/in-pieces.js';
import { refusalFor } from '../domain/permissions.js';
import type { Refusal } from '../domain/refusals.js';
import type { Change } from '../domain/tables.js';
import { roleOf } from '../domain/user.js';
import { weightOf } from '../domain/weight.js';
import { outcomeAtOnce } from './announce.js';
import type { Arrival, Batch, Decided } from './batch.js';
import { type CommitStore, StoreUnavailable, TurnTaken } from './commit-store.js';
import { deliberate } from './deliberate.js';
import { broken, unavailable } from './fault-refusals.js';
import { inTurns } from './in-turns.js';
import { newId } from './new-id.js';
import type { PipelineLog } from './pipeline-log.js';
import type { Outcome, Submission } from './submit.js';
import { netOf } from './workspace.js';

/** A role that a user would have, and the one he has. */
export interface RoleChange {
  readonly userId: UserId;
  readonly from: string;
  readonly to: string;
}

/** What a command would come to. */
export interface Preview<Type extends CommandType = CommandType> {
  readonly outcome: Outcome<Type>;
  /** The first of the events that would happen, and how many there would be in this commit. */
  readonly events: readonly NewEvent[];
  readonly eventCount: number;
  /** The first of them, too. */
  readonly roleChanges: readonly RoleChange[];
  readonly seats: {
    readonly capacity: number | null;
    readonly before: number;
    readonly after: number;
  };
  /** Members that a job would still have to go through after the commit. */
  readonly remaining: number;
}

export type PreviewCommand = <Type extends CommandType>(
  submission: Submission<Type>,
) => Promise<Preview<Type>>;

/** Events and role changes that an answer shows (pipeline-rules.md 5). */
const MOST_SHOWN = 100;

interface PreviewParts {
  readonly store: CommitStore;
  readonly rules: Rules;
  readonly log: PipelineLog;
  readonly limits?: Limits | undefined;
}

/**
 * Gathers and decides, and throws the decision away: outside the lane, on a workspace of its own,
 * with nothing after it that could write. It leaves no key, no line in the log and no place in the
 * sequence (pipeline-rules.md 5). What it says holds until the next commit of the tenant.
 */
export const previewWith = ({ store, rules, log, limits }: PreviewParts): PreviewCommand => {
  const decideAlone = deliberate({ store, rules, log, limits });
  return async (submission) => {
    const { actor, source, command } = submission;
    const forbidden = refusalFor(actor, source, command);
    if (forbidden) return nothing(forbidden);
    try {
      // One of its own type, which TypeScript cannot follow through the union.
      return await inTurns(
        previewOf(await decideAlone(batchOf(submission as unknown as Submission))),
      );
    } catch (error) {
      if (!(error instanceof StoreUnavailable || error instanceof TurnTaken))
        log.error({ err: error, request_id: submission.requestId }, 'a preview failed');
      return nothing(refusalOf(error));
    }
  };
};

const batchOf = ({ commandId, bytes = 0, ...submission }: Submission): Batch => {
  // A remembered answer would hide what the command comes to, and none is kept of a preview.
  const { idempotency: _idempotency, ...asked } = submission;
  const arrival: Arrival = {
    envelope: { id: commandId ?? newId(), ...asked },
    weight: weightOf(asked.command),
    bytes,
    receivedAt: performance.now(),
    answer: () => undefined,
  };
  return {
    tenantId: asked.tenantId,
    arrivals: [arrival],
    conflicts: 0,
    replays: 0,
  };
};

const previewOf = function* <Type extends CommandType>({
  judged,
  loaded,
  workspace,
}: Decided): Pieces<Preview<Type>> {
  const [only] = judged;
  if (!only) throw new Error('Nothing was decided.');
  const { verdict } = only;
  const events = isRefused(verdict) ? [] : verdict.events;
  const net = yield* netOf(isRefused(verdict) ? [] : verdict.changes);
  const [before, after] = [loaded.tenant, workspace.tenant];
  return {
    outcome: outcomeAtOnce(only) as Outcome<Type>,
    events: events.slice(0, MOST_SHOWN),
    eventCount: events.length,
    roleChanges: net.flatMap(roleChangeBy(before, after)).slice(0, MOST_SHOWN),
    seats: {
      capacity: (after ?? before)?.seatCapacity ?? null,
      before: before?.seatsProvisioned ?? 0,
      after: after?.seatsProvisioned ?? 0,
    },
    remaining: net.reduce((sum, change) => sum + startedBy(change), 0),
  };
};

type DefaultRole = { readonly defaultRole: string } | undefined;

/** A user who comes to be takes a role, too, but changes none. */
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

const startedBy = (change: Change): number =>
  change.table === 'jobs' && change.after ? change.after.total - change.after.done : 0;

const refusalOf = (error: unknown): Refusal =>
  error instanceof StoreUnavailable || error instanceof TurnTaken ? unavailable() : broken();

const nothing = <Type extends CommandType>(refusal: Refusal): Preview<Type> => ({
  outcome: { ok: false, refusal },
  events: [],
  eventCount: 0,
  roleChanges: [],
  seats: { capacity: null, before: 0, after: 0 },
  remaining: 0,
});
