import type { DomainEvent } from '../../src/domain/events.js';
import type { DeliveryId } from '../../src/domain/kernel/ids.js';
import { isSpan, type OutboxRow, type OutboxEvent } from '../../src/outbox/outbox-planner.js';
import { type Claimable, distributeClaim } from '../../src/outbox/distribute-claim.js';
import type {
  ClaimedRow,
  ClaimedSpan,
  ClaimResult,
  Expansion,
  OutboxStore,
} from '../../src/outbox/outbox-claims.js';

export type RowState = 'pending' | 'delivered' | 'failed' | 'dropped';

/** The state of a row that the contract tests check. */
export interface StoredRow {
  readonly id: DeliveryId;
  readonly state: RowState;
  /** Milliseconds from now; negative if overdue. */
  readonly dueIn: number;
  readonly owner: string | null;
  readonly attempts: number;
  readonly lastReason: string | null | undefined;
  readonly expires: boolean;
}

/** The state of a span that the contract tests check. */
export interface StoredSpan {
  readonly id: DeliveryId;
  readonly state: RowState;
  /** Milliseconds from now; negative if overdue. */
  readonly dueIn: number;
  readonly owner: string | null;
  /** The sequence number of the next event, and the number of remaining events. */
  readonly seq: number;
  readonly left: number;
  readonly lastReason: string | null | undefined;
  readonly expires: boolean;
}

interface MemoryRow extends Omit<OutboxEvent, 'due' | 'owner' | 'seq' | 'name' | 'at'> {
  state: RowState;
  seq: number;
  /** Only for spans: the sequence numbers of the remaining events. */
  span: { readonly since: number; seqs: readonly number[] } | undefined;
  due: number;
  owner: string | null;
  claim: string | null;
  /** The key of a redelivery that was requested while the row was leased. */
  again: string | undefined;
  attempts: number;
  last: { readonly reason: string | null; readonly ms: number } | undefined;
}

type LaneName = Pick<OutboxEvent, 'plugin' | 'key' | 'resource'>;

/** An outbox in memory with its own clock, tested by the same contract as the real one. */
export interface MemoryOutbox extends OutboxStore {
  /** As the commit stage does in its transaction. */
  readonly insert: (rows: readonly OutboxRow[], events: readonly DomainEvent[]) => void;
  readonly rows: () => readonly StoredRow[];
  readonly spans: () => readonly StoredSpan[];
  readonly forgetEvents: () => void;
  /** As a plugin's host does on request. */
  readonly redeliver: (id: DeliveryId, to: string) => boolean;
}

const STATES = { delivered: 'delivered', failed: 'failed', dropped: 'dropped' } as const;

const spanOf = (tenantId: string): string => `span:${tenantId}`;

const eventsIn = ({ span }: MemoryRow): number => span?.seqs.length ?? 1;

const toClaimable = ({ id, key, span }: MemoryRow): Claimable =>
  span ? { id, key, left: span.seqs.length } : { id, key };

/** `now` returns the server's time in milliseconds. */
export const createMemoryOutbox = (now: () => number): MemoryOutbox => {
  const rows = new Map<string, MemoryRow>();
  const events = new Map<string, DomainEvent>();
  /** Pending rows by key and resource, in place of the partial indexes of the real store. */
  const lanes = new Map<string, Set<MemoryRow>>();

  const laneOf = ({ plugin, key, resource }: LaneName): Set<MemoryRow> => {
    const name = `${plugin}\n${key}\n${resource}`;
    const lane = lanes.get(name) ?? new Set();
    lanes.set(name, lane);
    return lane;
  };
  const pending = (): MemoryRow[] => [...lanes.values()].flatMap((lane) => [...lane]);
  const isDue = (row: MemoryRow): boolean => row.due <= now();

  const releaseRow = (row: MemoryRow, inMs: number): void => {
    Object.assign(row, { owner: null, claim: null, due: now() + inMs });
  };
  const uncount = (row: MemoryRow): void => {
    row.attempts = Math.max(0, row.attempts - 1);
  };

  const requeue = (row: MemoryRow, key: string, inMs: number): void => {
    laneOf(row).delete(row);
    releaseRow(row, inMs);
    Object.assign(row, { state: 'pending', key, again: undefined, attempts: 0 });
    laneOf(row).add(row);
  };

  const finish = (row: MemoryRow, result: ClaimResult): void => {
    if (row.again !== undefined) {
      requeue(row, row.again, result.kind === 'deferred' ? result.inMs : 0);
    } else if (result.kind === 'retry' || result.kind === 'deferred') {
      releaseRow(row, result.inMs);
      if (result.kind === 'deferred') uncount(row);
    } else {
      Object.assign(row, { owner: null, claim: null, state: STATES[result.kind] });
      laneOf(row).delete(row);
    }
  };

  const store = (row: OutboxRow, claim: string | null): void => {
    const span = isSpan(row) ? { since: row.due.getTime(), seqs: row.seqs } : undefined;
    const ofEvent = isSpan(row)
      ? { eventId: '' as OutboxEvent['eventId'], seq: row.seqs[0]!, resource: spanOf(row.tenantId) }
      : { eventId: row.eventId, seq: row.seq, resource: row.resource };
    const stored: MemoryRow = {
      id: row.id,
      tenantId: row.tenantId,
      plugin: row.plugin,
      key: row.key,
      ...ofEvent,
      state: 'pending',
      due: row.due.getTime(),
      owner: row.owner,
      claim,
      again: undefined,
      attempts: row.owner === null ? 0 : 1,
      last: undefined,
      span,
    };
    rows.set(row.id, stored);
    laneOf(stored).add(stored);
  };

  /** Whether a span of the same tenant and key precedes the row in the log. */
  const isBehind = ({ plugin, key, tenantId, seq }: MemoryRow): boolean =>
    [...laneOf({ plugin, key, resource: spanOf(tenantId) })].some((span) => span.seq < seq);

  const renewalOf = ({ id }: MemoryRow, renewed: ReadonlyMap<string, string | null>) => {
    const renews = renewed.get(id);
    return renews === undefined ? {} : { renews };
  };

  const toClaimedSpan = (row: MemoryRow, claim: string, limit: number): ClaimedSpan => {
    const seqs = row.span?.seqs ?? [];
    const next = seqs[limit];
    return {
      id: row.id,
      tenantId: row.tenantId,
      plugin: row.plugin,
      key: row.key,
      claim,
      seqs: seqs.slice(0, limit),
      rest: next === undefined ? null : { seq: next, left: seqs.length - limit },
      leasedUntil: new Date(row.due),
    };
  };

  const move = ({ span: { id, claim, seqs }, owner }: Expansion): void => {
    const row = rows.get(id);
    if (!row?.span || row.state !== 'pending' || row.owner !== owner || row.claim !== claim) return;
    row.span.seqs = row.span.seqs.slice(seqs.length);
    const [next] = row.span.seqs;
    if (next === undefined) {
      laneOf(row).delete(row);
      rows.delete(id);
    } else {
      const { since: due } = row.span;
      Object.assign(row, { owner: null, claim: null, attempts: 0, seq: next, due });
    }
  };

  const toClaimed = (
    row: MemoryRow,
    claim: string,
    renewed: ReadonlyMap<string, string | null>,
  ): ClaimedRow => ({
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
    ...renewalOf(row, renewed),
  });

  return {
    insert: (fresh, newEvents) => {
      for (const event of newEvents) events.set(event.id, event);
      for (const row of fresh) {
        if (rows.has(row.id)) throw new Error('A row with this id exists already.');
        store(row, null);
      }
    },
    rows: () =>
      [...rows.values()]
        .filter(({ span }) => !span)
        .map((row) => ({
          id: row.id,
          state: row.state,
          dueIn: row.due - now(),
          owner: row.owner,
          attempts: row.attempts,
          lastReason: row.last?.reason,
          expires: row.state !== 'pending',
        })),
    spans: () =>
      [...rows.values()]
        .filter(({ span }) => span)
        .map((row) => ({
          id: row.id,
          state: row.state,
          dueIn: row.due - now(),
          owner: row.owner,
          seq: row.seq,
          left: eventsIn(row),
          lastReason: row.last?.reason,
          expires: row.state !== 'pending',
        })),
    forgetEvents: () => events.clear(),
    redeliver: (id, to) => {
      const row = rows.get(id);
      if (!row || row.span) return false;
      if (row.state !== 'pending') requeue(row, to, 0);
      else if (row.owner === null) row.due = Math.min(row.due, now());
      else row.again = to;
      return true;
    },
    claimDue: async ({ plugin, owner, claim, leaseMs, limit, more, share, capacity }) => {
      const due = pending()
        .filter((row) => row.plugin === plugin && isDue(row) && capacity.get(row.key) !== 0)
        .sort((one, other) => one.due - other.due || one.seq - other.seq);
      const behind = new Set(due.filter(isBehind));
      const free = due.filter((row) => !behind.has(row));
      const { events: taken, crowded } = distributeClaim(free.map(toClaimable), {
        limit,
        more,
        share,
        capacity,
      });
      const inOrder = free
        .filter(({ id }) => taken.has(id))
        .sort((one, other) => one.seq - other.seq);
      const renewed = new Map(
        inOrder.filter((row) => row.owner === owner).map((row) => [row.id, row.claim]),
      );
      for (const row of inOrder) {
        Object.assign(row, { owner, claim, due: now() + leaseMs, attempts: row.attempts + 1 });
      }
      return Promise.resolve({
        rows: inOrder.filter(({ span }) => !span).map((row) => toClaimed(row, claim, renewed)),
        spans: inOrder
          .filter(({ span }) => span)
          .map((row) => ({
            ...toClaimedSpan(row, claim, taken.get(row.id) ?? 1),
            ...renewalOf(row, renewed),
          })),
        crowded: [...new Set([...crowded, ...[...behind].map(({ key }) => key)])],
        more: false,
      });
    },
    expand: async (expansions) => {
      const created = expansions.flatMap(({ span, rows: fresh }) =>
        fresh.filter(({ id }) => !rows.has(id)).map((row) => ({ row, claim: span.claim })),
      );
      for (const { row, claim } of created) store(row, claim);
      expansions.forEach(move);
      return Promise.resolve(new Set(created.map(({ row }) => row.id)));
    },
    acknowledge: async (batch) => {
      for (const { id, owner, claim, result, attempt } of batch) {
        const row = rows.get(id);
        if (row?.state !== 'pending' || row.owner !== owner || row.claim !== claim) continue;
        finish(row, result);
        if (attempt) row.last = attempt;
      }
      return Promise.resolve();
    },
    release: async (owner, plugins) => {
      for (const row of pending()) {
        if (row.owner !== owner || !plugins.includes(row.plugin) || isDue(row)) continue;
        finish(row, { kind: 'deferred', inMs: 0 });
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
      return Promise.resolve(waiting.reduce((events, row) => events + eventsIn(row), 0));
    },
    earliestUnsent: async (questions) =>
      Promise.resolve(
        questions.map((question) => {
          const span = { ...question, resource: spanOf(question.tenantId) };
          const earlier = [...laneOf(question), ...laneOf(span)].filter(
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
    readLog: async (places) =>
      Promise.resolve(
        [...events.values()].filter((event) =>
          places.some(
            ({ tenantId, seqs }) => tenantId === event.tenantId && seqs.includes(event.seq),
          ),
        ),
      ),
    counts: async () => {
      const pendingRows = new Map<string, number>();
      for (const row of pending()) {
        pendingRows.set(row.plugin, (pendingRows.get(row.plugin) ?? 0) + eventsIn(row));
      }
      const overdueMs = new Map<string, number>();
      for (const { plugin, due } of pending())
        overdueMs.set(plugin, Math.max(overdueMs.get(plugin) ?? 0, now() - due, 0));
      return Promise.resolve({ pending: pendingRows, overdueMs });
    },
  };
};
