import { systemClock } from '../contract/clock.js';
import { type Attempt, startAttempt } from './attempt.js';
import type { Job, Lane } from './lane.js';
import type { Outcomes } from './outcomes.js';
import type { Partitions } from './partitions.js';
import type { Results } from './results.js';
import { createSlots } from './slots.js';
import type { Shared } from './stream-parts.js';

interface Flight {
  readonly job: Job;
  readonly attempt: Attempt;
  readonly startedAt: number;
  isAborted: boolean;
}

/** Starts attempts, within the caps and fairly. */
export class Sender {
  private readonly slots: ReturnType<typeof createSlots>;
  private readonly waiting = new Set<Lane>();
  private readonly flights = new Map<Flight, Promise<void>>();
  /** When the next delivery of a backlog may start while the gateway is busy. */
  private backlogAt = -Infinity;
  private isWaiting = false;

  constructor(
    private readonly parts: Shared & {
      readonly partitions: Partitions;
      readonly results: Results;
      readonly outcomes: Outcomes;
    },
  ) {
    this.slots = createSlots(parts);
  }

  inFlight(): number {
    return this.flights.size;
  }

  /** The key has something to send. */
  ready(lane: Lane): void {
    this.waiting.add(lane);
    this.send();
  }

  /** Sends what may go, now that something has changed. */
  send(): void {
    if (!this.parts.partitions.isTrusted()) return;
    const choose = (): Lane | undefined =>
      this.slots.choose(this.waiting, (lane) => this.mayGo(lane));
    for (let lane = choose(); lane; lane = choose()) this.sendNext(lane);
    for (const lane of this.waiting)
      if (lane.group.isClosed() || !lane.isReady()) this.waiting.delete(lane);
  }

  /** Resolves when none of these attempts is in flight. */
  async ended(of: (job: Job) => boolean): Promise<void> {
    await Promise.all(this.flightsOf(of).flatMap((flight) => this.flights.get(flight) ?? []));
  }

  /** What is aborted is left to the next owner. */
  abort(of: (job: Job) => boolean): void {
    for (const flight of this.flightsOf(of)) {
      flight.isAborted = true;
      flight.attempt.abort();
    }
  }

  private flightsOf(of: (job: Job) => boolean): readonly Flight[] {
    return [...this.flights.keys()].filter(({ job }) => of(job));
  }

  /** While commands run, what was left for later is sent one by one. */
  private mayGo(lane: Lane): boolean {
    const { isBusy, limits } = this.parts;
    if (lane.isNextLive() || systemClock.now() >= this.backlogAt || !isBusy()) return true;
    if (!this.isWaiting)
      systemClock.after(limits.throttleMs, () => {
        this.isWaiting = false;
        this.send();
      });
    this.isWaiting = true;
    return false;
  }

  private sendNext(lane: Lane): void {
    const job = lane.next();
    // To the end of the queue: round-robin among equals.
    this.waiting.delete(lane);
    if (!job) return;
    if (lane.isReady()) this.waiting.add(lane);
    if (!job.isLive) this.backlogAt = systemClock.now() + this.parts.limits.throttleMs;
    this.slots.take(lane);
    this.start(job);
  }

  private start(job: Job): void {
    const { log, limits, traces } = this.parts;
    const { id, lane, event, attempt: number } = job;
    const { key, group } = lane;
    const { plugin, subscriber } = group;
    const deliver = (signal: AbortSignal) => {
      const send = () => subscriber.deliver({ id, key, event, attempt: number }, signal);
      const traced = { plugin, id, eventId: event.id, event: event.name, attempt: number };
      return traces ? traces.trace(traced, send) : send();
    };
    const startedAt = systemClock.now();
    const attempt = startAttempt(deliver, limits, (err) => {
      // Not as `key`: the log hides what is called so.
      const fields = { plugin, target: key, delivery: id, attempt: number };
      log.error({ ...fields, err }, 'A subscriber threw during a delivery.');
    });
    const flight = { job, attempt, startedAt, isAborted: false };
    this.flights.set(flight, this.finish(flight));
  }

  private async finish(flight: Flight): Promise<void> {
    const { job, attempt, startedAt } = flight;
    const outcome = await attempt.outcome;
    this.flights.delete(flight);
    this.slots.free(job.lane);
    job.lane.ended(job);
    if (outcome.kind === 'delivered' || !flight.isAborted)
      this.parts.outcomes.attempted(job, outcome, systemClock.now() - startedAt);
    this.send();
  }
}
