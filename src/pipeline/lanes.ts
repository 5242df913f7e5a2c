import {
  asyncScheduler,
  Observable,
  type OperatorFunction,
  type Subscriber,
  Subscription,
  timer,
} from 'rxjs';

export interface LaneOptions<T> {
  /** The lane an item belongs to: its tenant. */
  readonly laneOf: (item: T) => string;
  /** Takes the next batch, at least one item, off the front of a lane's queue. */
  readonly takeBatch: (queue: T[]) => readonly T[];
  /** How many lanes may run a batch at the same time. */
  readonly concurrency: number;
  /**
   * For how long, in milliseconds, a lane waits after a batch that took so long for those who were
   * just answered to come back. It never waits once as many are there as were there before, so a
   * lone client never waits. Absent: it goes on at once.
   */
  readonly linger?: (tookMs: number) => number;
}

interface Lane<T> {
  readonly name: string;
  readonly queue: T[];
  /** While it lingers: how many it waits for. */
  awaited?: { readonly count: number; readonly timer: Subscription };
}

/**
 * Runs one batch at a time in each lane: whatever arrived while the last one was running is the
 * next one. Lanes take turns where more are ready than may run, and a lane with nothing to do is
 * forgotten. (Stock groupBy keeps every group for ever, or races when groups expire.) `run` must
 * not error: whatever fails has to be answered inside it.
 */
export const inLanes =
  <T, R>(
    options: LaneOptions<T>,
    run: (batch: readonly T[]) => Observable<R>,
  ): OperatorFunction<T, R> =>
  (source$) =>
    new Observable<R>((subscriber) => {
      const turns = new Turns(options, run, subscriber);
      turns.running.add(
        source$.subscribe({
          next: (item) => turns.add(item),
          error: (error: unknown) => subscriber.error(error),
          complete: () => turns.close(),
        }),
      );
      return turns.running;
    });

class Turns<T, R> {
  readonly running = new Subscription();
  readonly #lanes = new Map<string, Lane<T>>();
  readonly #ready: Lane<T>[] = [];
  #busy = 0;
  #closed = false;

  constructor(
    private readonly options: LaneOptions<T>,
    private readonly run: (batch: readonly T[]) => Observable<R>,
    private readonly subscriber: Subscriber<R>,
  ) {}

  add(item: T): void {
    const name = this.options.laneOf(item);
    const lane = this.#lanes.get(name);
    if (lane) {
      lane.queue.push(item);
      if (lane.awaited && lane.queue.length >= lane.awaited.count) this.#goOn(lane);
      return;
    }
    const opened: Lane<T> = { name, queue: [item] };
    this.#lanes.set(name, opened);
    this.#ready.push(opened);
    this.#takeTurns();
  }

  close(): void {
    this.#closed = true;
    for (const lane of [...this.#lanes.values()]) if (lane.awaited) this.#goOn(lane);
    this.#completeWhenIdle();
  }

  #takeTurns(): void {
    while (this.#busy < this.options.concurrency) {
      const lane = this.#ready.shift();
      if (!lane) return;
      this.#start(lane);
    }
  }

  #start(lane: Lane<T>): void {
    const batch = this.options.takeBatch(lane.queue);
    const began = asyncScheduler.now();
    this.#busy += 1;
    const work = this.run(batch).subscribe({
      next: (result) => this.subscriber.next(result),
      error: (error: unknown) => this.subscriber.error(error),
      complete: () => this.#finish(lane, batch.length, asyncScheduler.now() - began),
    });
    this.running.add(work);
  }

  #finish(lane: Lane<T>, answered: number, tookMs: number): void {
    this.#busy -= 1;
    const count = answered + lane.queue.length;
    const linger = this.#closed ? 0 : (this.options.linger?.(tookMs) ?? 0);
    if (linger > 0 && lane.queue.length < count && count > 1) this.#await(lane, count, linger);
    else this.#goOn(lane);
    this.#takeTurns();
  }

  #await(lane: Lane<T>, count: number, milliseconds: number): void {
    const waiting = timer(milliseconds).subscribe({
      next: () => this.#goOn(lane),
      error: (error: unknown) => this.subscriber.error(error),
    });
    lane.awaited = { count, timer: waiting };
    this.running.add(waiting);
  }

  #goOn(lane: Lane<T>): void {
    lane.awaited?.timer.unsubscribe();
    delete lane.awaited;
    if (lane.queue.length > 0) this.#ready.push(lane);
    else this.#lanes.delete(lane.name);
    this.#takeTurns();
    this.#completeWhenIdle();
  }

  #completeWhenIdle(): void {
    if (this.#closed && this.#lanes.size === 0) this.subscriber.complete();
  }
}
