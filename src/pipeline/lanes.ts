import {
  asyncScheduler,
  Observable,
  of,
  type OperatorFunction,
  type Subscriber,
  Subscription,
  take,
} from 'rxjs';

export interface LaneOptions<T> {
  /** The lane an item belongs to: its tenant. */
  readonly laneOf: (item: T) => string;
  /** Takes the next batch, at least one item, off the front of this lane's queue. */
  readonly takeBatch: (queue: T[], lane: string) => readonly T[];
  /** How many lanes may run a batch at the same time. */
  readonly concurrency: number;
  /**
   * Ends, by its first value, a lane's wait after a batch that took so many milliseconds for those
   * who were just answered to come back. A lane never waits once as many are there as were there
   * before, so a lone client never waits; and where few come back in time it asks with ever less
   * than the batch took. Absent: it goes on at once.
   */
  readonly linger?: (tookMs: number) => Observable<unknown>;
  /**
   * Ends, by its first value, the turn of the event loop: a batch that is to run takes along what
   * still comes in it. Absent: it runs at once.
   */
  readonly turn?: () => Observable<unknown>;
}

interface Lane<T> {
  readonly name: string;
  readonly queue: T[];
  /** How much waiting has paid off of late: 1 where it does. */
  patience: number;
  awaited?: Awaited;
}

/** What a lane waits for while it lingers. */
interface Awaited {
  /** It goes on once so many are there. */
  readonly count: number;
  /** Waiting has paid off once so many are there. */
  readonly enough: number;
  readonly wait: Subscription;
}

const LEAST_PATIENCE = 1 / 8;

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
    const opened: Lane<T> = { name, queue: [item], patience: 1 };
    this.#lanes.set(name, opened);
    this.#makeReady(opened);
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
    const batch = this.options.takeBatch(lane.queue, lane.name);
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
    const isAlone = answered + lane.queue.length === 1;
    if (this.options.linger && !this.#closed && !isAlone) this.#await(lane, answered, tookMs);
    else this.#goOn(lane);
    this.#takeTurns();
  }

  #await(lane: Lane<T>, answered: number, tookMs: number): void {
    const wait = new Subscription();
    const here = lane.queue.length;
    lane.awaited = { count: here + answered, enough: here + answered / 2, wait };
    this.running.add(wait);
    const over$ = this.options.linger?.(tookMs * lane.patience).pipe(take(1));
    wait.add(
      over$?.subscribe({
        next: () => this.#goOn(lane),
        error: (error: unknown) => this.subscriber.error(error),
      }),
    );
  }

  #goOn(lane: Lane<T>): void {
    if (lane.awaited) this.#stopWaiting(lane, lane.awaited);
    if (lane.queue.length > 0) this.#makeReady(lane);
    else this.#lanes.delete(lane.name);
    this.#completeWhenIdle();
  }

  #makeReady(lane: Lane<T>): void {
    const turn$ = this.options.turn?.() ?? of(undefined);
    const turn = turn$.pipe(take(1)).subscribe({
      next: () => {
        this.#ready.push(lane);
        this.#takeTurns();
      },
      error: (error: unknown) => this.subscriber.error(error),
    });
    this.running.add(turn);
  }

  #stopWaiting(lane: Lane<T>, { enough, wait }: Awaited): void {
    const hasPaidOff = lane.queue.length >= enough;
    lane.patience = hasPaidOff ? 1 : Math.max(LEAST_PATIENCE, lane.patience / 2);
    delete lane.awaited;
    this.running.remove(wait);
    wait.unsubscribe();
  }

  #completeWhenIdle(): void {
    if (this.#closed && this.#lanes.size === 0) this.subscriber.complete();
  }
}
