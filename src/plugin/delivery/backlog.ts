/** Stands for whatever a span may hold. */
export const ANY_RESOURCE = '*';

/** A resource with rows in the database. */
interface ResourceRows {
  /** From when a look for due rows is sure to find them. */
  dueAt: number;
  /** How many more are on their way there: being committed, or being handed back. */
  expected: number;
}

interface KeyBacklog {
  /** More rows of the key wait in the database than this instance has room for. */
  isFull: boolean;
  readonly resources: Map<string, ResourceRows>;
}

/**
 * Rows that wait in the database rather than in this instance's memory, as far as known. A new row
 * must not overtake them, so it lines up behind them there: behind all of the key where there was
 * no room for it (else the oldest would starve), and always behind those of its own resource
 * (pipeline-rules.md 7). A look for due rows that left nothing behind clears what it must have seen.
 */
export interface Backlog {
  readonly isWaiting: (gateId: string, resource: string) => boolean;
  readonly isFull: (gateId: string) => boolean;
  /** The key has no room; until a look leaves nothing behind, its rows wait in the database. */
  readonly markFull: (gateId: string) => void;
  /** A row or span is about to wait in the database; `seen` follows, once for each `expect`. */
  readonly expect: (gateId: string, resource: string) => void;
  /** It does, and is due from this time on. */
  readonly arrived: (gateId: string, resource: string, dueAt: number) => void;
  /** A look begins. */
  readonly sweepStarted: (startedAt: number) => void;
  /** It ended; `leftBehind` says of which keys due rows may have stayed. */
  readonly sweepEnded: (startedAt: number, mayRemain: (gateId: string) => boolean) => void;
}

const removeSwept = (waiting: KeyBacklog, startedAt: number): void => {
  for (const [resource, { dueAt, expected }] of waiting.resources) {
    if (expected === 0 && dueAt <= startedAt) waiting.resources.delete(resource);
  }
};

export const createBacklog = (): Backlog => {
  const keys = new Map<string, KeyBacklog>();

  const backlogOf = (gateId: string): KeyBacklog => {
    const known = keys.get(gateId);
    if (known) return known;
    const waiting = { isFull: false, resources: new Map<string, ResourceRows>() };
    keys.set(gateId, waiting);
    return waiting;
  };

  const rowsOf = (gateId: string, resource: string): ResourceRows => {
    const { resources } = backlogOf(gateId);
    const known = resources.get(resource);
    if (known) return known;
    const rows = { dueAt: -Infinity, expected: 0 };
    resources.set(resource, rows);
    return rows;
  };

  return {
    isWaiting: (gateId, resource) => {
      const waiting = keys.get(gateId);
      if (!waiting) return false;
      const { isFull, resources } = waiting;
      return isFull || resources.has(resource) || resources.has(ANY_RESOURCE);
    },
    isFull: (gateId) => keys.get(gateId)?.isFull ?? false,
    markFull: (gateId) => {
      backlogOf(gateId).isFull = true;
    },
    expect: (gateId, resource) => {
      rowsOf(gateId, resource).expected += 1;
    },
    arrived: (gateId, resource, dueAt) => {
      const rows = rowsOf(gateId, resource);
      rows.dueAt = Math.max(rows.dueAt, dueAt);
      rows.expected -= 1;
    },
    // A full key needs only the resources that this look cannot see: whichever look empties it
    // later has seen the others. So what is kept is bounded by what is committed between two looks.
    sweepStarted: (startedAt) => {
      for (const waiting of keys.values()) if (waiting.isFull) removeSwept(waiting, startedAt);
    },
    sweepEnded: (startedAt, mayRemain) => {
      for (const [gateId, waiting] of keys) {
        if (mayRemain(gateId)) continue;
        waiting.isFull = false;
        removeSwept(waiting, startedAt);
        if (waiting.resources.size === 0) keys.delete(gateId);
      }
    },
  };
};
