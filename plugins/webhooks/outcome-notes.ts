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
  /** Keeps it now; resolves when it is kept. */
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
}

export interface OutcomeNotesParts {
  readonly notes: PluginNotes;
  readonly log: PluginLog;
  readonly clock?: Clock;
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
  readonly callOff: () => void;
}

const Note = LastTriggerStatus.optional().catch(undefined);

export const createOutcomeNotes = ({
  notes,
  log,
  clock = systemClock,
}: OutcomeNotesParts): OutcomeNotes => {
  const kept = createLruMap<string, { status: LastTriggerStatus; at: number }>(MOST_KEPT);
  const pending = new Map<string, Pending>();
  const underWay = new Map<string, Promise<void>>();

  const keep = async ({ target, status }: Pending): Promise<void> => {
    const { tenantId, id } = target;
    try {
      await notes.write(tenantId, id, { last_trigger_status: status });
      kept.set(id, { status, at: clock.now() });
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

  const note = (target: Target, status: LastTriggerStatus): void => {
    const { id } = target;
    pending.get(id)?.callOff();
    const callOff = clock.after(waitBefore(id, status), () => void writeOut(id));
    pending.set(id, { target, status, callOff });
  };

  return {
    note,
    noteNow: (target, status) => {
      note(target, status);
      return writeOut(target.id);
    },
    read: async (tenantId, ids) => {
      const found = await notes.read(tenantId, ids);
      const statuses = [...found].map(([id, fields]) => [
        id,
        Note.parse(fields.last_trigger_status),
      ]);
      return new Map(statuses.filter((entry): entry is [string, LastTriggerStatus] => !!entry[1]));
    },
    flush: async () => {
      await Promise.all([...pending.keys(), ...underWay.keys()].map(writeOut));
    },
  };
};
