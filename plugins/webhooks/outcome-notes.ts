import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import {
  type Clock,
  type PluginLog,
  type PluginNotes,
  systemClock,
  type TenantId,
} from '../../src/plugin/api.js';
import {
  Activity,
  type Failure,
  NO_ACTIVITY,
  sumOf,
  type Tally,
  withAttempts,
} from './activity.js';
import {
  Failing,
  FAILING_MARK,
  failingAfter,
  type Outcome,
  type Target,
  type TriedDelivery,
  type FailingChange,
} from './failing.js';
import { LastTriggerStatus } from './bodies.js';

/** An attempt of a delivery. */
interface EndedAttempt {
  readonly ms: number;
  readonly deliveryId: string;
}

/** How the last attempt to each registration ended: `last_trigger_status` (interface.md). */
export interface OutcomeNotes {
  /** Keeps it soon: a change at once, the same again at most once a second. */
  readonly note: (target: Target, outcome: Outcome, attempt: EndedAttempt) => void;
  /** Keeps that of a test call, now; resolves when it is kept. */
  readonly noteNow: (target: Target, outcome: Outcome) => Promise<void>;
  readonly read: (
    tenantId: TenantId,
    ids: readonly string[],
  ) => Promise<ReadonlyMap<string, LastTriggerStatus>>;
  /** How the attempts to a registration went, and whether they fail. */
  readonly activity: (
    tenantId: TenantId,
    id: string,
  ) => Promise<{ readonly activity: Activity; readonly failing: Failing | undefined }>;
  /** Keeps all that is still to be kept. */
  readonly flush: () => Promise<void>;
}

export interface OutcomeNotesParts {
  readonly notes: PluginNotes;
  readonly log: PluginLog;
  readonly clock?: Clock;
  readonly now?: () => Date;
  /** Called with each stored outcome, and its effect on a failing registration. */
  readonly watch?: (tried: TriedDelivery, change: FailingChange) => void;
}

/**
 * Another gateway may have stored another outcome since, so the same one is written again now and
 * then; a busy registration would otherwise cost a write a delivery.
 */
const REPEAT_MS = 1_000;
const MAX_CACHED = 10_000;

interface Pending {
  readonly tried: TriedDelivery;
  readonly cancel: () => void;
}

const Note = z.object({
  last_trigger_status: LastTriggerStatus.optional().catch(undefined),
  failing: Failing.optional().catch(undefined),
  activity: Activity.catch(NO_ACTIVITY).default(NO_ACTIVITY),
});

export const createOutcomeNotes = ({
  notes,
  log,
  clock = systemClock,
  now = () => new Date(),
  watch = () => undefined,
}: OutcomeNotesParts): OutcomeNotes => {
  const written = new LRUCache<string, { status: LastTriggerStatus; at: number }>({
    max: MAX_CACHED,
  });
  const pending = new Map<string, Pending>();
  const inFlight = new Map<string, Promise<void>>();
  /** Attempts since the last write, of registrations in `pending`. */
  const ended = new Map<string, { readonly tally: Tally; readonly failure?: Failure }>();

  /** From the database: another gateway may have written since. */
  const readNote = async (tenantId: TenantId, id: string): Promise<z.output<typeof Note>> =>
    Note.parse((await notes.read(tenantId, [id])).get(id) ?? {});

  const write = async ({ tried }: Pending): Promise<void> => {
    const { tenantId, id } = tried.target;
    const { status } = tried.outcome;
    const attempts = ended.get(id) ?? { tally: [0, 0, 0] };
    ended.delete(id);
    try {
      const { failing: before, activity: known } = await readNote(tenantId, id);
      const after = failingAfter(before, tried, now());
      const activity = withAttempts(known, attempts, now());
      const note = { last_trigger_status: status, activity, ...(after && { failing: after }) };
      await notes.write(tenantId, id, note, after?.keeps ? FAILING_MARK : undefined);
      written.set(id, { status, at: clock.now() });
      watch(tried, { before, after });
    } catch (error) {
      log.warn({ err: error, webhook: id }, 'could not record the outcome of a delivery');
    }
  };

  /** One write at a time for a registration, so that the last one is the last one. */
  const writeOut = async (id: string): Promise<void> => {
    await inFlight.get(id);
    const entry = pending.get(id);
    if (!entry) return inFlight.get(id);
    pending.delete(id);
    entry.cancel();
    const writing = write(entry).finally(() => inFlight.delete(id));
    inFlight.set(id, writing);
    await writing;
  };

  const waitBefore = (id: string, status: LastTriggerStatus): number => {
    const last = written.get(id);
    return last?.status === status ? Math.max(0, last.at + REPEAT_MS - clock.now()) : 0;
  };

  const schedule = (tried: TriedDelivery): void => {
    const { id } = tried.target;
    const before = pending.get(id);
    if (before?.tried.outcome.status === tried.outcome.status) {
      // Due at the same time: a busy registration needs no timer for each delivery.
      pending.set(id, { tried, cancel: before.cancel });
      return;
    }
    before?.cancel();
    const cancel = clock.after(waitBefore(id, tried.outcome.status), () => void writeOut(id));
    pending.set(id, { tried, cancel });
  };

  return {
    note: (target, outcome, { ms, deliveryId }) => {
      const isFailed = outcome.status === 'failed';
      const before = ended.get(target.id);
      ended.set(target.id, {
        ...before,
        tally: sumOf(before?.tally, [1, isFailed ? 1 : 0, ms]),
        ...(isFailed && {
          failure: { at: now().toISOString(), delivery_id: deliveryId, reason: outcome.reason },
        }),
      });
      schedule({ target, outcome, isTest: false });
    },
    noteNow: (target, outcome) => {
      schedule({ target, outcome, isTest: true });
      return writeOut(target.id);
    },
    read: async (tenantId, ids) => {
      const found = await notes.read(tenantId, ids);
      const statuses = [...found].map(([id, fields]) => [
        id,
        Note.parse(fields).last_trigger_status,
      ]);
      return new Map(statuses.filter((entry): entry is [string, LastTriggerStatus] => !!entry[1]));
    },
    activity: async (tenantId, id) => {
      const { activity, failing } = await readNote(tenantId, id);
      return { activity, failing };
    },
    flush: async () => {
      await Promise.all([...pending.keys(), ...inFlight.keys()].map(writeOut));
    },
  };
};
