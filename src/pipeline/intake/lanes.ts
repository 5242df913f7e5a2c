import {
  asyncScheduler,
  defer,
  Observable,
  of,
  type OperatorFunction,
  type Subscriber,
  Subscription,
  take,
  timer,
} from 'rxjs';

export interface LaneOptions<T> {
  /** Name of the item's lane: its tenant. */
  readonly laneOf: (item: T) => string;
  /** Takes the next batch, at least one item, off the front of the lane's queue. */
  readonly takeBatch: (queue: T[], lane: string) => readonly T[];
  /** Maximum number of lanes that run a batch at the same time. */
  readonly concurrency: number;
  /**
   * Its first value ends a lane's wait for the clients whose commands a batch has just finished. The argument
   * is the duration of that batch, shortened if few clients came back in time before. A lane stops
   * waiting when as many items are queued as before, so a lone client never waits. Default: no wait.
   */
  readonly linger?: (tookMs: number) => Observable<unknown>;
  /**
   * Its first value starts a batch that is ready. Items that arrive until then join it. Default:
   * the batch starts immediately.
   */
  readonly afterIo?: () => Observable<unknown>;
  /** Must settle the items, which an error kept from being run to their end. Does not throw. */
  readonly failed: (error: unknown, items: readonly T[]) => void;
}

interface Lane<T> {
  readonly name: string;
  readonly queue: T[];
  /** From 1 down to MIN_WAIT_FACTOR, halved each time few clients come back in time. */
  waitFactor: number;
  lingering?: Lingering;
}

interface Lingering {
  /** The wait ends when so many items are queued. */
  readonly expected: number;
  /** The wait was worthwhile if so many items are queued at its end. */
  readonly worthwhile: number;
  readonly wait: Subscription;
}

const MIN_WAIT_FACTOR = 1 / 8;

/**
 * Runs one batch at a time in each lane; items that arrive while it runs form the next batch. If
 * more lanes are ready than may run, they run in the order in which they became ready. A lane
 * without items takes no memory. (RxJS' groupBy keeps every group, or races when groups expire.) An
 * error of a batch, an item or a wait stays with it: the lanes continue.
 */
export const inLanes =
  <T, R>(
    options: LaneOptions<T>,
    run: (batch: readonly T[]) => Observable<R>,
  ): OperatorFunction<T, R> =>
  (source$) =>
    new Observable<R>((subscriber) => {
      const scheduler = new LaneScheduler(options, run, subscriber);
      scheduler.running.add(
        source$.subscribe({
          next: (item) => scheduler.add(item),
          error: (error: unknown) => subscriber.error(error),
          complete: () => scheduler.close(),
        }),
      );
      return scheduler.running;
    });

class LaneScheduler<T, R> {
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
    const name = this.#nameOf(item);
    if (name === undefined) return;
    const lane = this.#lanes.get(name);
    if (lane) {
      lane.queue.push(item);
      if (lane.lingering && lane.queue.length >= lane.lingering.expected) this.#resume(lane);
      return;
    }
    const created: Lane<T> = { name, queue: [item], waitFactor: 1 };
    this.#lanes.set(name, created);
    this.#makeReady(created);
  }

  #nameOf(item: T): string | undefined {
    try {
      return this.options.laneOf(item);
    } catch (error) {
      this.options.failed(error, [item]);
      return undefined;
    }
  }

  close(): void {
    this.#closed = true;
    for (const lane of [...this.#lanes.values()]) if (lane.lingering) this.#resume(lane);
    this.#completeWhenIdle();
  }

  #startReady(): void {
    while (this.#busy < this.options.concurrency) {
      const lane = this.#ready.shift();
      if (!lane) return;
      this.#start(lane);
    }
  }

  #start(lane: Lane<T>): void {
    const batch = this.#takeBatch(lane);
    const startedAt = asyncScheduler.now();
    const finish = (): void => this.#finish(lane, batch.length, asyncScheduler.now() - startedAt);
    this.#busy += 1;
    const work = defer(() => this.run(batch)).subscribe({
      next: (result) => this.subscriber.next(result),
      error: (error: unknown) => {
        this.options.failed(error, batch);
        finish();
      },
      complete: finish,
    });
    this.running.add(work);
  }

  #takeBatch(lane: Lane<T>): readonly T[] {
    try {
      return this.options.takeBatch(lane.queue, lane.name);
    } catch (error) {
      this.options.failed(error, []);
      return lane.queue.splice(0, 1);
    }
  }

  #finish(lane: Lane<T>, finished: number, tookMs: number): void {
    this.#busy -= 1;
    const isLoneClient = finished + lane.queue.length === 1;
    if (this.options.linger && !this.#closed && !isLoneClient) this.#linger(lane, finished, tookMs);
    else this.#resume(lane);
    this.#startReady();
  }

  #linger(lane: Lane<T>, finished: number, tookMs: number): void {
    const wait = new Subscription();
    const queued = lane.queue.length;
    lane.lingering = { expected: queued + finished, worthwhile: queued + finished / 2, wait };
    this.running.add(wait);
    wait.add(
      this.#after(
        () => this.options.linger?.(tookMs * lane.waitFactor),
        () => this.#resume(lane),
      ),
    );
  }

  /** Continues once: after the first value of the wait, or when that fails. */
  #after(wait: () => Observable<unknown> | undefined, next: () => void): Subscription {
    return defer(() => wait() ?? of(undefined))
      .pipe(take(1))
      .subscribe({
        next,
        error: (error: unknown) => {
          this.options.failed(error, []);
          next();
        },
      });
  }

  #resume(lane: Lane<T>): void {
    if (lane.lingering) this.#stopLingering(lane, lane.lingering);
    if (lane.queue.length > 0) this.#makeReady(lane);
    else this.#lanes.delete(lane.name);
    this.#completeWhenIdle();
  }

  #makeReady(lane: Lane<T>): void {
    this.running.add(
      this.#after(
        () => this.options.afterIo?.(),
        () => {
          this.#ready.push(lane);
          this.#startReady();
        },
      ),
    );
  }

  #stopLingering(lane: Lane<T>, { worthwhile, wait }: Lingering): void {
    lane.waitFactor =
      lane.queue.length >= worthwhile ? 1 : Math.max(MIN_WAIT_FACTOR, lane.waitFactor / 2);
    delete lane.lingering;
    this.running.remove(wait);
    wait.unsubscribe();
  }

  #completeWhenIdle(): void {
    if (this.#closed && this.#lanes.size === 0) this.subscriber.complete();
  }
}

const MAX_MS = 10;

/**
 * Waits for clients that just got a response, at most half as long as their batch took. Without it,
 * clients that send their next request after each response split into two groups that commit
 * alternately, and each batch costs as much as one of all of them.
 */
export const linger = (tookMs: number): Observable<unknown> =>
  timer(Math.min(MAX_MS, Math.max(1, tookMs / 2)));

/**
 * Emits when Node has read everything that has arrived by now: it reads before it runs callbacks of
 * `setImmediate`. Connections that have been closed report their end between the first callback
 * and the second one; the driver would wait forever on one that has not (see DriverTimeoutError in the
 * store). A timer in place of the second one takes a millisecond.
 */
export const afterIo = (): Observable<unknown> =>
  defer(() => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve))));
