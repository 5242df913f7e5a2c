import type { Chunked } from '../domain/kernel/chunked.js';

/**
 * Work is started for so long in one turn of the event loop, in milliseconds. A command takes about nine
 * turns and waits in each for what is started there (pipeline-rules.md 9).
 */
const TURN_MS = 2;
/** What a client is ahead of one that starts to wait, so that new clients do not overtake for ever. */
const LEAST_MS = 1;

/** A client whose work comes first, one piece in each turn of the loop: probes. */
export const URGENT = Symbol('urgent');

type Work = () => void;

interface Client {
  readonly waiting: Work[];
  /** Its time used, as far as others wait; the client with the least is next. */
  used: number;
}

/** Shares the time of an event loop between clients. */
export interface LoopScheduler {
  /**
   * Runs short work at once if this turn of the event loop has time left, else when it is the turn of
   * the client.
   */
  readonly enter: (client: unknown, work: Work) => void;
  /** Resolves in a later turn of the event loop, when it is the turn of the client. */
  readonly turn: (client: unknown) => Promise<void>;
  /** Resolves as `enter` runs work. */
  readonly entered: (client: unknown) => Promise<void>;
}

/** After the promise callbacks that are due now, and those that they add. */
const afterCallbacks = (work: Work): void => queueMicrotask(() => process.nextTick(work));

/** Resolves after the promise callbacks that are due now, and those that they add. */
export const callbacksDone = (): Promise<void> => new Promise(afterCallbacks);

/**
 * Shares the event loop by time and by client (pipeline-rules.md 9). Work that is too long for one turn
 * of the loop yields after a slice and takes another turn. Of all work that waits, so much runs in each
 * turn of the loop as begins within 2 ms, that of the client first that has used the least time
 * since others wait (start-time fair queueing). So a client with little work waits for about one slice,
 * however much work the others have.
 *
 * @internal
 */
export const createLoopScheduler = (now: () => number = () => performance.now()): LoopScheduler => {
  const clients = new Map<unknown, Client>();
  let running: Client | undefined;
  let waiting = 0;
  let isScheduled = false;
  /** The time used by the client that ran last, when it was chosen. */
  let virtualTime = 0;
  /** For work that is started at once. */
  let arrivalsEnd: number | undefined;
  /** For work that waited. */
  let turnEnds = 0;

  const schedule = (): void => {
    isScheduled = true;
    setImmediate(() => {
      turnEnds = now() + TURN_MS;
      runNext(clients.get(URGENT));
    });
  };

  /** The client that has used the least; removes those that are no longer ahead of a new one. */
  const chooseNext = (): Client | undefined => {
    let next: Client | undefined;
    for (const [name, client] of clients) {
      if (name === URGENT) continue;
      if (client.waiting.length > 0) {
        if (!next || client.used < next.used) next = client;
      } else if (client.used <= virtualTime) clients.delete(name);
    }
    return next;
  };

  const runNext = (first?: Client): void => {
    const client = first?.waiting.length ? first : chooseNext();
    const work = client?.waiting.shift();
    // Only urgent work is left, for the next turn.
    if (!client || !work) {
      schedule();
      return;
    }
    waiting -= 1;
    running = client;
    if (client !== first) virtualTime = client.used;
    const began = now();
    afterCallbacks(() => {
      client.used += now() - began;
      running = undefined;
      continueOrRest();
    });
    work();
  };

  const continueOrRest = (): void => {
    if (waiting > 0) {
      if (now() < turnEnds) runNext();
      else schedule();
      return;
    }
    isScheduled = false;
    clients.clear();
    virtualTime = 0;
  };

  const wait = (name: unknown, work: Work): void => {
    const client = clients.get(name) ?? { waiting: [], used: 0 };
    clients.set(name, client);
    if (client.waiting.length === 0 && client !== running)
      client.used = Math.max(client.used, virtualTime + LEAST_MS);
    client.waiting.push(work);
    waiting += 1;
    if (!isScheduled) schedule();
  };

  const endTurn = (): void => {
    arrivalsEnd = undefined;
  };

  const hasTime = (): boolean => {
    if (arrivalsEnd === undefined) {
      arrivalsEnd = now() + TURN_MS;
      setImmediate(endTurn);
    }
    return waiting === 0 && now() <= arrivalsEnd;
  };

  const enter: LoopScheduler['enter'] = (client, work) => {
    if (hasTime()) work();
    else wait(client, work);
  };

  return {
    enter,
    turn: (client) => new Promise((resolve) => wait(client, resolve)),
    entered: (client) => new Promise((resolve) => enter(client, resolve)),
  };
};

/** That of this process, which has one event loop. */
export const loopScheduler = createLoopScheduler();

/**
 * Time slice in milliseconds. A request takes about six turns of the event loop and waits for up to
 * one slice of other work in each (pipeline-rules.md 9).
 */
const SLICE_MS = 1;

/**
 * For long loops: resolves immediately, or when the client's turn comes if the slice is over. Loops of
 * the same client, such as a tenant, share its time; without a client, each has time of its own.
 */
export const createYielder = (client: unknown = Symbol('loop')): (() => Promise<void>) => {
  let sliceEnds = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() <= sliceEnds) return;
    await loopScheduler.turn(client);
    sliceEnds = performance.now() + SLICE_MS;
  };
};

/** Runs chunked work and yields to the event loop between chunks whenever a time slice is over. */
export const runCooperatively = async <Result>(
  work: Chunked<Result>,
  client?: unknown,
): Promise<Result> => {
  const yieldIfDue = createYielder(client);
  for (;;) {
    const chunk = work.next();
    if (chunk.done) return chunk.value;
    await yieldIfDue();
  }
};
