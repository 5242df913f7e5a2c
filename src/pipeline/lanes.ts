import { Observable, type OperatorFunction, type Subscriber, Subscription } from 'rxjs';

export interface LaneOptions<T> {
  /** The lane an item belongs to: its tenant. */
  readonly laneOf: (item: T) => string;
  /** Takes the next batch, at least one item, off the front of a lane's queue. */
  readonly takeBatch: (queue: T[]) => readonly T[];
  /** How many lanes may run a batch at the same time. */
  readonly concurrency: number;
  /**
   * Between two batches of a lane: a moment in which callers who were just answered may come with
   * their next command, so that eight clients make batches of eight, not of one and seven.
   */
  readonly pause?: () => Observable<unknown>;
}

interface Lane<T> {
  readonly name: string;
  readonly queue: T[];
}

/**
 * Runs one batch at a time in each lane: whatever arrived while the last one was running is the
 * next one, so nothing ever waits for a timer. Lanes take turns where more are ready than may run,
 * and a lane with nothing to do is forgotten. (Stock groupBy keeps every group for ever, or races
 * when groups expire.) `run` must not error: whatever fails has to be answered inside it.
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
      return;
    }
    const opened: Lane<T> = { name, queue: [item] };
    this.#lanes.set(name, opened);
    this.#ready.push(opened);
    this.#takeTurns();
  }

  close(): void {
    this.#closed = true;
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
    this.#busy += 1;
    const work = this.run(batch).subscribe({
      next: (result) => this.subscriber.next(result),
      error: (error: unknown) => this.subscriber.error(error),
      complete: () => this.#finish(lane),
    });
    this.running.add(work);
  }

  #finish(lane: Lane<T>): void {
    this.#busy -= 1;
    const { pause } = this.options;
    if (pause) this.#pauseBefore(pause(), lane);
    else this.#rest(lane);
    this.#takeTurns();
  }

  #pauseBefore(pause$: Observable<unknown>, lane: Lane<T>): void {
    const pause = pause$.subscribe({
      error: (error: unknown) => this.subscriber.error(error),
      complete: () => this.#rest(lane),
    });
    this.running.add(pause);
  }

  #rest(lane: Lane<T>): void {
    if (lane.queue.length > 0) this.#ready.push(lane);
    else this.#lanes.delete(lane.name);
    this.#takeTurns();
    this.#completeWhenIdle();
  }

  #completeWhenIdle(): void {
    if (this.#closed && this.#lanes.size === 0) this.subscriber.complete();
  }
}
