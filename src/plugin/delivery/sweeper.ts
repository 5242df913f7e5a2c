import { randomUUID } from 'node:crypto';
import type { DomainEvent } from '../../domain/events.js';
import { backoffMs, type Outage } from './outage.js';
import { type Backlog, ANY_RESOURCE, type EngineMemory, gateIdOf } from './engine-memory.js';
import type { DurableSubscriber } from '../contract/contract.js';
import type { Dispatcher } from './dispatcher.js';
import type { EngineParts } from './engine-parts.js';
import { type HeldRow, type OwnedRow, type KeyGate, capacityOf } from './key-gate.js';
import type { PeerLeases, Rest } from './peer-leases.js';
import type { SpanExpander } from './span-expander.js';
import type { Claimed, ClaimedRow, ClaimedSpan, ClaimResult } from '../../outbox/outbox-claims.js';

export interface SweeperParts extends EngineParts {
  readonly plugin: string;
  readonly subscriber: DurableSubscriber;
  readonly memory: EngineMemory;
  readonly backlog: Backlog;
  readonly outage: Outage;
  readonly dispatcher: Dispatcher;
  readonly expander: SpanExpander;
  readonly peerLeases: PeerLeases;
  readonly rest: Rest;
}

/**
 * Claims due rows of one subscriber that no instance holds: retries, rows that did not fit into
 * memory, rows of instances that died. About once a second, sooner if rows are known to wait, and
 * again at once while claims come back full.
 */
export interface Sweeper {
  readonly start: () => void;
  /** Resolves when the last sweep has ended. */
  readonly stop: () => Promise<void>;
  /** There are rows to claim, and capacity for them. */
  readonly wake: () => void;
  /** Whether the last look may have left due rows of keys behind that it did not get to. */
  readonly isBehind: () => boolean;
}

/** A rest is at least so many times as long as a look took: a huge backlog must not wear out the database. */
const PAUSE_FACTOR = 10;

const heldRowOf = (row: ClaimedRow, event: DomainEvent, leasedAt: number): HeldRow => ({
  id: row.id,
  event,
  resource: row.resource,
  attempt: row.attempt,
  hasFailed: row.hasFailed,
  leasedAt,
  claim: row.claim,
  isInOrder: false,
});

const append = <Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void => {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
};

const eventsIn = ({ rows, spans }: Claimed): number =>
  spans.reduce((events, { seqs }) => events + seqs.length, rows.length);

export const createSweeper = (parts: SweeperParts): Sweeper => {
  const { plugin, subscriber, memory, backlog, outage, dispatcher, expander, rest } = parts;
  const { store, owner, clock, random, limits } = parts;
  let state: 'new' | 'running' | 'stopped' = 'new';
  let sweeping: Promise<void> | undefined;
  let sweptAt = -Infinity;
  let claimMs = 0;
  let isUrgent = false;
  let isBehind = false;
  let cancelTimer = (): void => undefined;

  const mayRun = (): boolean => state === 'running';

  const gateOf = ({ key }: ClaimedRow | ClaimedSpan): KeyGate =>
    memory.gateOf({ plugin, key, subscriber });

  const capacityByKey = (): ReadonlyMap<string, number> => {
    const capacity = new Map<string, number>();
    for (const gate of memory.gates()) {
      if (gate.plugin === plugin) capacity.set(gate.key, capacityOf(gate, limits, clock.now()));
    }
    return capacity;
  };

  const endOwned = (gate: KeyGate, row: OwnedRow, ending: ClaimResult, reason?: string): void => {
    memory.hold(gate, row);
    const attempt = reason === undefined ? {} : { attempt: { reason, ms: 0 } };
    dispatcher.end({ gate, row, ending, ...attempt });
  };

  const endUnsent = (row: ClaimedRow, ending: ClaimResult, reason?: string): void => {
    const { id, resource, claim } = row;
    endOwned(gateOf(row), { id, resource, claim }, ending, reason);
  };

  const releaseSpan = (span: ClaimedSpan): void => {
    const { id, claim } = span;
    const owned = { id, resource: ANY_RESOURCE, claim };
    endOwned(gateOf(span), owned, { kind: 'deferred', inMs: 0 });
  };

  /**
   * Whether this instance holds the claimed row already: its lease expired here, and the row gets the
   * new claim. One that was requeued since is another delivery, even while its last end is being
   * written here: it is given back until that is done.
   */
  const isHeld = (row: ClaimedRow | ClaimedSpan, giveBack: () => void): boolean => {
    const held = memory.find(row.id);
    if (!held) return false;
    if (row.renews === held.claim) held.claim = row.claim;
    else giveBack();
    return true;
  };

  const admitRows = async (rows: readonly ClaimedRow[], leasedAt: number): Promise<void> => {
    const giveBack = (row: ClaimedRow): void => endUnsent(row, { kind: 'deferred', inMs: 0 });
    const fresh = rows.filter((row) => !isHeld(row, () => giveBack(row)));
    const ids = [...new Set(fresh.map((row) => row.eventId))];
    const events = await store.readEvents(ids).catch((cause: unknown) => {
      fresh.forEach(giveBack);
      throw cause;
    });
    const rowsOf = new Map<KeyGate, HeldRow[]>();
    for (const row of fresh) {
      const event = events.get(row.eventId);
      if (event) append(rowsOf, gateOf(row), heldRowOf(row, event, leasedAt));
      else endUnsent(row, { kind: 'failed' }, 'The event is past its retention.');
    }
    for (const [gate, held] of rowsOf) dispatcher.admit(gate, held);
  };

  const expand = async (spans: readonly ClaimedSpan[], leasedAt: number): Promise<void> => {
    const fresh = spans.filter((span) => !isHeld(span, () => releaseSpan(span)));
    const expanded = await expander.expand(fresh, leasedAt).catch((cause: unknown) => {
      fresh.forEach(releaseSpan);
      throw cause;
    });
    for (const { span, rows } of expanded) dispatcher.admit(gateOf(span), rows);
  };

  /** Rows first: those of a key come before its spans. */
  const admitAll = async ({ rows, spans }: Claimed, leasedAt: number): Promise<void> => {
    try {
      await admitRows(rows, leasedAt);
    } finally {
      await expand(spans, leasedAt);
    }
  };

  const updateBacklog = (
    claimed: Claimed,
    capacity: ReadonlyMap<string, number>,
    since: number,
  ) => {
    isBehind = claimed.more;
    for (const key of claimed.crowded) backlog.markFull(gateIdOf({ plugin, key }));
    const unseen = [...capacity].filter(([, rows]) => rows === 0).map(([key]) => key);
    const stays = new Set([...claimed.crowded, ...unseen].map((key) => gateIdOf({ plugin, key })));
    const isOurs = (gateId: string): boolean => gateId.startsWith(gateIdOf({ plugin, key: '' }));
    backlog.sweepEnded(since, (gateId) => claimed.more || !isOurs(gateId) || stays.has(gateId));
  };

  /** Returns whether the claim came back full, so that there are more to claim. */
  const claimDue = async (): Promise<boolean> => {
    const free = memory.freeCapacity();
    const limit = Math.min(limits.claimRows, free);
    if (limit <= 0) return false;
    const capacity = capacityByKey();
    const startedAt = clock.now();
    backlog.sweepStarted(startedAt);
    const claimed = await store.claimDue({
      plugin,
      owner,
      claim: randomUUID(),
      leaseMs: limits.leaseMs,
      limit,
      more: Math.min(limits.claimSpanEvents, free - limit),
      share: limits.claimShare,
      capacity,
    });
    outage.succeeded();
    claimMs = clock.now() - startedAt;
    await admitAll(claimed, startedAt);
    updateBacklog(claimed, capacity, startedAt);
    if (eventsIn(claimed) === 0) await rest.foundNothing();
    return (claimed.more || claimed.crowded.length > 0) && eventsIn(claimed) >= limit / 2;
  };

  const isStale = (row: HeldRow): boolean => clock.now() > row.leasedAt + limits.leaseMs / 2;

  const sweep = async (): Promise<void> => {
    sweptAt = clock.now();
    parts.peerLeases.peerLeasesPossible();
    if (!isUrgent && rest.isPossible()) return;
    isUrgent = false;
    try {
      // Before anything is taken: what is ended already need not be taken again.
      if (dispatcher.acks.isBehind()) await dispatcher.acks.flush();
      dispatcher.resume();
      do dispatcher.releaseWaiting(isStale);
      while (mayRun() && (await claimDue()));
      memory.prune();
    } catch (cause) {
      outage.failed(cause);
    }
  };

  const pauseMs = (): number => {
    const failures = outage.failures();
    if (failures > 0) {
      return backoffMs(failures, { firstMs: limits.sweepMs, maxMs: limits.maxPauseMs }, random);
    }
    if (isUrgent) return limits.urgentSweepMs;
    const jittered = limits.sweepMs * (0.8 + 0.4 * random());
    return Math.min(limits.maxPauseMs, Math.max(jittered, PAUSE_FACTOR * claimMs));
  };

  const scheduleIn = (ms: number): void => {
    cancelTimer();
    cancelTimer = clock.after(ms, () => void run());
  };

  const run = async (): Promise<void> => {
    if (!mayRun() || sweeping) return;
    sweeping = sweep();
    await sweeping;
    sweeping = undefined;
    if (mayRun()) scheduleIn(pauseMs());
  };

  return {
    start: () => {
      state = 'running';
      void run();
    },
    stop: async () => {
      state = 'stopped';
      cancelTimer();
      await sweeping;
    },
    wake: () => {
      if (isUrgent || !mayRun() || outage.failures() > 0) return;
      isUrgent = true;
      if (!sweeping) scheduleIn(Math.max(0, sweptAt + limits.urgentSweepMs - clock.now()));
    },
    isBehind: () => isBehind,
  };
};
