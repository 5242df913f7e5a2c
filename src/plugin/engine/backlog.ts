/** Stands for whatever a span may hold. */
export const EVERY_RESOURCE = '*';

/** A resource with rows in the database. */
interface Mark {
  /** From when a look for due rows is sure to find them. */
  dueAt: number;
  /** How many more are on their way there: being committed, or being handed back. */
  coming: number;
}

interface Waiting {
  /** More rows of the key wait in the database than this instance has room for. */
  isFull: boolean;
  readonly resources: Map<string, Mark>;
}

/**
 * What this instance knows of rows that wait in the database rather than in its memory. A new row
 * must not overtake them, so it lines up behind them there: behind all of the key where there was
 * no room for it (else the oldest would starve), and always behind those of its own resource
 * (pipeline-rules.md 7). A look for due rows that left nothing behind clears what it must have seen.
 */
export interface Backlog {
  readonly waits: (gateId: string, resource: string) => boolean;
  readonly isFull: (gateId: string) => boolean;
  /** The key has no room; until a look leaves nothing behind, its rows wait in the database. */
  readonly fill: (gateId: string) => void;
  /** A row or span is about to wait in the database; `seen` follows, once for each `expect`. */
  readonly expect: (gateId: string, resource: string) => void;
  /** It does, and is due from this time on. */
  readonly seen: (gateId: string, resource: string, dueAt: number) => void;
  /** A look begins. */
  readonly looking: (startedAt: number) => void;
  /** It ended; `leftBehind` says of which keys due rows may have stayed. */
  readonly looked: (startedAt: number, leftBehind: (gateId: string) => boolean) => void;
}

const forgetSeen = (waiting: Waiting, startedAt: number): void => {
  for (const [resource, { dueAt, coming }] of waiting.resources) {
    if (coming === 0 && dueAt <= startedAt) waiting.resources.delete(resource);
  }
};

export const createBacklog = (): Backlog => {
  const keys = new Map<string, Waiting>();

  const waitingOf = (gateId: string): Waiting => {
    const known = keys.get(gateId);
    if (known) return known;
    const waiting = { isFull: false, resources: new Map<string, Mark>() };
    keys.set(gateId, waiting);
    return waiting;
  };

  const markOf = (gateId: string, resource: string): Mark => {
    const { resources } = waitingOf(gateId);
    const known = resources.get(resource);
    if (known) return known;
    const mark = { dueAt: -Infinity, coming: 0 };
    resources.set(resource, mark);
    return mark;
  };

  return {
    waits: (gateId, resource) => {
      const waiting = keys.get(gateId);
      if (!waiting) return false;
      const { isFull, resources } = waiting;
      return isFull || resources.has(resource) || resources.has(EVERY_RESOURCE);
    },
    isFull: (gateId) => keys.get(gateId)?.isFull ?? false,
    fill: (gateId) => {
      waitingOf(gateId).isFull = true;
    },
    expect: (gateId, resource) => {
      markOf(gateId, resource).coming += 1;
    },
    seen: (gateId, resource, dueAt) => {
      const mark = markOf(gateId, resource);
      mark.dueAt = Math.max(mark.dueAt, dueAt);
      mark.coming -= 1;
    },
    // A full key needs only the resources that this look cannot see: whichever look empties it
    // later has seen the others. So what is kept is bounded by what is committed between two looks.
    looking: (startedAt) => {
      for (const waiting of keys.values()) if (waiting.isFull) forgetSeen(waiting, startedAt);
    },
    looked: (startedAt, leftBehind) => {
      for (const [gateId, waiting] of keys) {
        if (leftBehind(gateId)) continue;
        waiting.isFull = false;
        forgetSeen(waiting, startedAt);
        if (waiting.resources.size === 0) keys.delete(gateId);
      }
    },
  };
};
