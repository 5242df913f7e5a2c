import { takeFairly } from '../../src/domain/fair-share.js';
import type { DomainEvent } from '../../src/domain/events.js';
import type { DeliveryId } from '../../src/domain/ids.js';
import type { OutboxRow } from '../../src/domain/outbox.js';
import type { ClaimedRow, Ending } from '../../src/domain/outbox-work.js';
import type { OutboxStore } from '../../src/plugin/outbox-store.js';

export type RowState = 'pending' | 'delivered' | 'failed' | 'dropped';

/** A row as the tests see it, whichever store keeps it. */
export interface StoredRow {
  readonly id: DeliveryId;
  readonly state: RowState;
  /** Milliseconds from now; negative where overdue. */
  readonly dueIn: number;
  readonly owner: string | null;
  readonly attempts: number;
  readonly lastReason: string | null | undefined;
  readonly expires: boolean;
}

interface MemoryRow extends Omit<OutboxRow, 'due' | 'owner'> {
  state: RowState;
  due: number;
  owner: string | null;
  claim: string | null;
  attempts: number;
  last: { readonly reason: string | null; readonly ms: number } | undefined;
}

type LaneName = Pick<OutboxRow, 'plugin' | 'key' | 'resource'>;

/** The outbox in memory, under the same contract suite as the real one, with a clock of its own. */
export interface MemoryOutbox extends OutboxStore {
  /** What the commit stage does in its transaction. */
  readonly insert: (rows: readonly OutboxRow[], events: readonly DomainEvent[]) => void;
  readonly rows: () => readonly StoredRow[];
  readonly forgetEvents: () => void;
}

const STATES = { delivered: 'delivered', failed: 'failed', dropped: 'dropped' } as const;

/** `now`: the server's time in milliseconds. */
export const createMemoryOutbox = (now: () => number): MemoryOutbox => {
  const rows = new Map<string, MemoryRow>();
  const events = new Map<string, DomainEvent>();
  /** What is pending, by key and resource: what the partial indexes are to the real one. */
  const lanes = new Map<string, Set<MemoryRow>>();

  const laneOf = ({ plugin, key, resource }: LaneName): Set<MemoryRow> => {
    const name = `${plugin}\n${key}\n${resource}`;
    const lane = lanes.get(name) ?? new Set();
    lanes.set(name, lane);
    return lane;
  };
  const pending = (): MemoryRow[] => [...lanes.values()].flatMap((lane) => [...lane]);
  const isDue = (row: MemoryRow): boolean => row.due <= now();

  const letGo = (row: MemoryRow, inMs: number): void => {
    Object.assign(row, { owner: null, claim: null, due: now() + inMs });
  };
  const uncount = (row: MemoryRow): void => {
    row.attempts = Math.max(0, row.attempts - 1);
  };

  const finish = (row: MemoryRow, ending: Ending): void => {
    if (ending.kind === 'retry' || ending.kind === 'deferred') {
      letGo(row, ending.inMs);
      if (ending.kind === 'deferred') uncount(row);
    } else {
      Object.assign(row, { owner: null, claim: null, state: STATES[ending.kind] });
      laneOf(row).delete(row);
    }
  };

  const toClaimed = (row: MemoryRow, claim: string): ClaimedRow => ({
    id: row.id,
    tenantId: row.tenantId,
    plugin: row.plugin,
    key: row.key,
    eventId: row.eventId,
    seq: row.seq,
    resource: row.resource,
    claim,
    attempt: row.attempts,
    hasFailed: row.last !== undefined,
  });

  return {
    insert: (fresh, happened) => {
      for (const event of happened) events.set(event.id, event);
      for (const row of fresh) {
        if (rows.has(row.id)) throw new Error('A row with this id is there already.');
        const kept: MemoryRow = {
          ...row,
          state: 'pending',
          due: row.due.getTime(),
          claim: null,
          attempts: row.owner === null ? 0 : 1,
          last: undefined,
        };
        rows.set(row.id, kept);
        laneOf(kept).add(kept);
      }
    },
    rows: () =>
      [...rows.values()].map((row) => ({
        id: row.id,
        state: row.state,
        dueIn: row.due - now(),
        owner: row.owner,
        attempts: row.attempts,
        lastReason: row.last?.reason,
        expires: row.state !== 'pending',
      })),
    forgetEvents: () => events.clear(),
    claimDue: async ({ plugin, owner, claim, leaseMs, limit, share, room }) => {
      const due = pending()
        .filter((row) => row.plugin === plugin && isDue(row) && room.get(row.key) !== 0)
        .sort((one, other) => one.due - other.due || one.seq - other.seq);
      const roomOf = (key: string): number => room.get(key) ?? limit;
      const { taken, crowded } = takeFairly(due, { limit, share, roomOf });
      for (const row of taken) {
        Object.assign(row, { owner, claim, due: now() + leaseMs, attempts: row.attempts + 1 });
      }
      const inOrder = [...taken].sort((one, other) => one.seq - other.seq);
      return Promise.resolve({
        rows: inOrder.map((row) => toClaimed(row, claim)),
        crowded: [...crowded],
        more: false,
      });
    },
    acknowledge: async (batch) => {
      for (const { id, owner, claim, ending, attempt } of batch) {
        const row = rows.get(id);
        if (row?.state !== 'pending' || row.owner !== owner || row.claim !== claim) continue;
        finish(row, ending);
        if (attempt) row.last = attempt;
      }
      return Promise.resolve();
    },
    giveBack: async (owner, plugins) => {
      for (const row of pending()) {
        if (row.owner !== owner || !plugins.includes(row.plugin) || isDue(row)) continue;
        letGo(row, 0);
        uncount(row);
      }
      return Promise.resolve();
    },
    endWaiting: async ({ plugin, key, tenantId, kind, overdueMs = -Infinity, reason }) => {
      const waiting = pending().filter(
        (row) =>
          row.plugin === plugin &&
          row.key === key &&
          row.owner === null &&
          (tenantId ?? row.tenantId) === row.tenantId &&
          now() - row.due >= overdueMs,
      );
      for (const row of waiting) {
        finish(row, { kind });
        row.last = { reason, ms: 0 };
      }
      return Promise.resolve(waiting.length);
    },
    earliestUnsent: async (questions) =>
      Promise.resolve(
        questions.map((question) => {
          const earlier = [...laneOf(question)].filter(
            (row) =>
              row.seq < question.beforeSeq &&
              row.last === undefined &&
              !question.except.includes(row.id),
          );
          return earlier.length === 0 ? undefined : Math.min(...earlier.map((row) => row.seq));
        }),
      ),
    readEvents: async (ids) =>
      Promise.resolve(
        new Map(
          ids.flatMap((id) => {
            const event = events.get(id);
            return event ? [[id, event] as const] : [];
          }),
        ),
      ),
    counts: async () => {
      const owed = new Map<string, number>();
      for (const row of pending()) owed.set(row.plugin, (owed.get(row.plugin) ?? 0) + 1);
      const overdueMs = Math.max(0, ...pending().map((row) => now() - row.due));
      return Promise.resolve({ owed, overdueMs });
    },
  };
};
