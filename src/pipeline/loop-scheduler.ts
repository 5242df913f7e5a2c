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
 * While work waits, exactly one of these holds: a turn is scheduled, or a piece of work is running, whose
 * end continues or schedules the next.
 */
export class LoopScheduler {
  private readonly clients = new Map<unknown, Client>();
  /** In the order of their turns; those without work are paying for what they have used. */
  private readonly round: Client[] = [];
  private readonly urgent: Work[] = [];
  private waiting = 0;
  private isScheduled = false;
  /** For work that is started at once. */
  private arrivalsEnd: number | undefined;
  /** For work that waited. */
  private turnEnds = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Runs short work at once if this turn of the event loop has time left, else when it is the turn of
   * the client.
   */
  enter(client: unknown, work: Work): void {
    if (this.hasTime()) {
      if (isStranger(client)) this.arrivalsEnd = -Infinity;
      work();
    } else this.wait(client, work);
  }

  /** Resolves as `enter` runs work. */
  entered(client: unknown): Promise<void> {
    return new Promise((resolve) => this.enter(client, resolve));
  }

  /** Resolves in a later turn of the event loop, when it is the turn of the client. */
  turn(client: unknown): Promise<void> {
    return new Promise((resolve) => this.wait(client, resolve));
  }

  private hasTime(): boolean {
    if (this.arrivalsEnd === undefined) {
      this.arrivalsEnd = this.now() + TURN_MS;
      setImmediate(() => (this.arrivalsEnd = undefined));
    }
    return this.waiting === 0 && this.now() <= this.arrivalsEnd;
  }

  private wait(name: unknown, work: Work): void {
    const queue = name === URGENT ? this.urgent : this.clientOf(name).waiting;
    queue.push(work);
    this.waiting += 1;
    if (!this.isScheduled) this.schedule();
  }

  private clientOf(name: unknown): Client {
    const known = this.clients.get(name);
    if (known) return known;
    const client = { name, waiting: [], left: ROUND_MS };
    this.clients.set(name, client);
    this.round.push(client);
    return client;
  }

  private schedule(): void {
    this.isScheduled = true;
    setImmediate(() => {
      this.turnEnds = this.now() + TURN_MS;
      if (this.urgent.length > 0) this.run(this.urgent);
      else this.runNext();
    });
  }

  private runNext(): void {
    const client = this.chooseNext();
    if (client) this.run(client.waiting, client);
    // Only urgent work is left, for the next turn.
    else this.schedule();
  }

  private chooseNext(): Client | undefined {
    const { round } = this;
    for (let client = round[0]; client; client = round[0]) {
      if (client.left > 0 && client.waiting.length > 0) return client;
      round.shift();
      if (client.left > 0) this.clients.delete(client.name);
      else {
        client.left += ROUND_MS;
        round.push(client);
      }
    }
    return undefined;
  }

  private run(queue: Work[], client?: Client): void {
    const work = queue.shift();
    this.waiting -= 1;
    const began = this.now();
    afterCallbacks(() => {
      if (client) client.left -= this.now() - began;
      if (client && isStranger(client.name)) this.turnEnds = -Infinity;
      this.continueOrRest();
    });
    work?.();
  }

  private continueOrRest(): void {
    if (this.waiting > 0) {
      if (this.now() < this.turnEnds) this.runNext();
      else this.schedule();
      return;
    }
    this.isScheduled = false;
    this.clients.clear();
    this.round.length = 0;
  }
}

/** That of this process, which has one event loop. */
export const loopScheduler = new LoopScheduler();

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
