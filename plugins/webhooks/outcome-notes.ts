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
  Failing,
  FAILING_MARK,
  failingAfter,
  type Outcome,
  type Target,
  type TriedDelivery,
  type FailingChange,
} from './failing.js';
import { LastTriggerStatus } from './bodies.js';

/** How the last attempt to each registration ended: `last_trigger_status` (interface.md). */
export interface OutcomeNotes {
  /** Keeps it soon: a change at once, the same again at most once a second. */
  readonly note: (target: Target, outcome: Outcome) => void;
  /** Keeps that of a test call, now; resolves when it is kept. */
  readonly noteNow: (target: Target, outcome: Outcome) => Promise<void>;
  readonly read: (
    tenantId: TenantId,
    ids: readonly string[],
  ) => Promise<ReadonlyMap<string, LastTriggerStatus>>;
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

  /** From the database: another gateway may have seen a success or a failure since. */
  const failingBefore = async ({ tenantId, id }: Target): Promise<Failing | undefined> =>
    Note.parse((await notes.read(tenantId, [id])).get(id) ?? {}).failing;

  const write = async ({ tried }: Pending): Promise<void> => {
    const { tenantId, id } = tried.target;
    const { status } = tried.outcome;
    try {
      const before = await failingBefore(tried.target);
      const after = failingAfter(before, tried, now());
      const note = { last_trigger_status: status, ...(after && { failing: after }) };
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
    note: (target, outcome) => schedule({ target, outcome, isTest: false }),
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
    flush: async () => {
      await Promise.all([...pending.keys(), ...inFlight.keys()].map(writeOut));
    },
  };
};
