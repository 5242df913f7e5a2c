import type { Chunked } from '../domain/kernel/chunked.js';

/**
 * Work is started for so long in one turn of the event loop, in milliseconds. A command takes about nine
 * turns and waits in each for what is started there (pipeline-rules.md 9).
 */
const TURN_MS = 2;
/** Time of a client in each round, in milliseconds. */
const ROUND_MS = 1;

/** A client whose work comes first, one piece in each turn of the loop: probes. */
export const URGENT = Symbol('urgent');

/**
 * Clients without a tenant: one piece of their work ends a turn of the loop, since all of it together
 * delays every command by as much in each of its turns.
 */
export const STRANGERS: readonly symbol[] = ['a', 'b', 'c', 'd'].map(Symbol);

const isStranger = (client: unknown): boolean => (STRANGERS as readonly unknown[]).includes(client);

type Work = () => void;

interface Client {
  readonly name: unknown;
  readonly waiting: Work[];
  /** Time that is left to it in this round; negative after a long piece of work. */
  left: number;
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
 * turn of the loop as begins within 2 ms. Clients take rounds: each has a millisecond in a round, and
 * pays in later rounds for what it has used beyond it (deficit round robin). So a client with little work
 * waits for about one slice of each other, however much work they have, and choosing takes a step per
 * millisecond, however many clients wait.
 *
 * @internal
 */
export const createLoopScheduler = (now: () => number = () => performance.now()): LoopScheduler => {
  const clients = new Map<unknown, Client>();
  /** In the order of their turns; those without work are paying for what they have used. */
  const round: Client[] = [];
  const urgent: Work[] = [];
  let waiting = 0;
  let isScheduled = false;
  /** For work that is started at once. */
  let arrivalsEnd: number | undefined;
  /** For work that waited. */
  let turnEnds = 0;

  const schedule = (): void => {
    isScheduled = true;
    setImmediate(() => {
      turnEnds = now() + TURN_MS;
      if (urgent.length > 0) run(urgent);
      else runNext();
    });
  };

  const chooseNext = (): Client | undefined => {
    for (let client = round[0]; client; client = round[0]) {
      if (client.left > 0 && client.waiting.length > 0) return client;
      round.shift();
      if (client.left > 0) clients.delete(client.name);
      else {
        client.left += ROUND_MS;
        round.push(client);
      }
    }
    return undefined;
  };

  const runNext = (): void => {
    const client = chooseNext();
    if (client) run(client.waiting, client);
    // Only urgent work is left, for the next turn.
    else schedule();
  };

  const run = (queue: Work[], client?: Client): void => {
    const work = queue.shift();
    waiting -= 1;
    const began = now();
    afterCallbacks(() => {
      if (client) client.left -= now() - began;
      if (client && isStranger(client.name)) turnEnds = -Infinity;
      continueOrRest();
    });
    work?.();
  };

  const continueOrRest = (): void => {
    if (waiting > 0) {
      if (now() < turnEnds) runNext();
      else schedule();
      return;
    }
    isScheduled = false;
    clients.clear();
    round.length = 0;
  };

  const clientOf = (name: unknown): Client => {
    const known = clients.get(name);
    if (known) return known;
    const client = { name, waiting: [], left: ROUND_MS };
    clients.set(name, client);
    round.push(client);
    return client;
  };

  const wait = (name: unknown, work: Work): void => {
    const queue = name === URGENT ? urgent : clientOf(name).waiting;
    queue.push(work);
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
    if (hasTime()) {
      if (isStranger(client)) arrivalsEnd = -Infinity;
      work();
    } else wait(client, work);
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
