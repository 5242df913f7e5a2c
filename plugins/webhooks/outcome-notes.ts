import { z } from 'zod';
import type { TenantId } from '../../src/domain/ids.js';
import {
  type Clock,
  createLruMap,
  type PluginLog,
  type PluginNotes,
  systemClock,
} from '../../src/plugin/index.js';
import { LastTriggerStatus } from './presentation.js';

/** How the last attempt to each registration ended: `last_trigger_status` (interface.md). */
export interface OutcomeNotes {
  /** Keeps it soon: a change at once, the same again at most once a second. */
  readonly note: (target: Target, status: LastTriggerStatus) => void;
  /** Keeps that of a test call, now; resolves when it is kept. */
  readonly noteNow: (target: Target, status: LastTriggerStatus) => Promise<void>;
  readonly read: (
    tenantId: TenantId,
    ids: readonly string[],
  ) => Promise<ReadonlyMap<string, LastTriggerStatus>>;
  /** Keeps all that is still to be kept. */
  readonly flush: () => Promise<void>;
}

export interface Target {
  readonly tenantId: TenantId;
  readonly id: string;
  readonly epoch: number;
}

export interface OutcomeNotesParts {
  readonly notes: PluginNotes;
  readonly log: PluginLog;
  readonly clock?: Clock;
  readonly now?: () => Date;
  /** Told, about once a second, of a registration whose deliveries fail, and since when all did. */
  readonly fails?: (target: Target, since: Date) => void;
}

/**
 * Another gateway may have kept another outcome meanwhile, so the same one is written again now and
 * then; a busy registration would otherwise cost a write a delivery.
 */
const SAME_AGAIN_MS = 1_000;
const MOST_KEPT = 10_000;

interface Pending {
  readonly target: Target;
  readonly status: LastTriggerStatus;
  /** A test call: that it fails says nothing of deliveries. */
  readonly isTest: boolean;
  readonly callOff: () => void;
}

const Note = z.object({
  last_trigger_status: LastTriggerStatus.optional().catch(undefined),
  /** Since when deliveries have failed without one success, on whichever gateway. */
  failing_since: z.iso.datetime().optional().catch(undefined),
});

export const createOutcomeNotes = ({
  notes,
  log,
  clock = systemClock,
  now = () => new Date(),
  fails = () => undefined,
}: OutcomeNotesParts): OutcomeNotes => {
  const kept = createLruMap<string, { status: LastTriggerStatus; at: number }>(MOST_KEPT);
  const pending = new Map<string, Pending>();
  const underWay = new Map<string, Promise<void>>();

  /** From the database: another gateway may have seen a success meanwhile. */
  const failingSince = async ({ target, isTest }: Pending): Promise<string | undefined> => {
    const known = (await notes.read(target.tenantId, [target.id])).get(target.id);
    const since = Note.parse(known ?? {}).failing_since;
    return since ?? (isTest ? undefined : now().toISOString());
  };

  const keep = async (entry: Pending): Promise<void> => {
    const { target, status, isTest } = entry;
    const { tenantId, id } = target;
    try {
      const since = status === 'failed' ? await failingSince(entry) : undefined;
      const note = { last_trigger_status: status, ...(since && { failing_since: since }) };
      await notes.write(tenantId, id, note);
      kept.set(id, { status, at: clock.now() });
      if (since && !isTest) fails(target, new Date(since));
    } catch (error) {
      log.warn({ err: error, webhook: id }, 'The outcome of a delivery could not be noted.');
    }
  };

  /** One write at a time for a registration, so that the last one is the last one. */
  const writeOut = async (id: string): Promise<void> => {
    await underWay.get(id);
    const entry = pending.get(id);
    if (!entry) return underWay.get(id);
    pending.delete(id);
    entry.callOff();
    const writing = keep(entry).finally(() => underWay.delete(id));
    underWay.set(id, writing);
    await writing;
  };

  const waitBefore = (id: string, status: LastTriggerStatus): number => {
    const last = kept.get(id);
    return last?.status === status ? Math.max(0, last.at + SAME_AGAIN_MS - clock.now()) : 0;
  };

  const wish = (target: Target, status: LastTriggerStatus, isTest: boolean): void => {
    const { id } = target;
    pending.get(id)?.callOff();
    const callOff = clock.after(waitBefore(id, status), () => void writeOut(id));
    pending.set(id, { target, status, isTest, callOff });
  };

  return {
    note: (target, status) => wish(target, status, false),
    noteNow: (target, status) => {
      wish(target, status, true);
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
      await Promise.all([...pending.keys(), ...underWay.keys()].map(writeOut));
    },
  };
};
