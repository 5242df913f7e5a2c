import { type Attempt, startAttempt } from './attempt.js';
import type { Engine } from './engine.js';
import type { Job, Lane } from './lane.js';
import { createSlots } from './slots.js';

interface AttemptInFlight {
  readonly job: Job;
  readonly done: Promise<void>;
  isAborted: boolean;
}

/** Starts attempts, within the caps and fairly. */
export const createSender = (engine: Engine) => {
  const { clock, limits, log, traces } = engine;
  const slots = createSlots(engine);
  const waiting = new Set<Lane>();
  const inFlight = new Map<Attempt, AttemptInFlight>();
  let isSending = false;
  let isStopped = false;
  /** When the next delivery of a backlog may start while the gateway is busy. */
  let backlogAt = -Infinity;
  let isWaiting = false;

  const deliver = ({ id, lane, event, attempt }: Job, signal: AbortSignal) => {
    const { key, group } = lane;
    const { plugin, subscriber } = group;
    const send = () => subscriber.deliver({ id, key, event, attempt }, signal);
    const traced = { plugin, id, eventId: event.id, event: event.name, attempt };
    return traces ? traces.trace(traced, send) : send();
  };

  const start = (job: Job): void => {
    const { id: delivery, lane, attempt: number } = job;
    const startedAt = clock.now();
    const attempt = startAttempt((signal) => deliver(job, signal), {
      clock,
      limitMs: limits.attemptMs,
      graceMs: limits.abortGraceMs,
      onError: (err) => {
        // Not as `key`: the log hides what is called so.
        const fields = { plugin: lane.group.plugin, target: lane.key, delivery, attempt: number };
        log.error({ ...fields, err }, 'A subscriber threw during a delivery.');
      },
    });
    const finish = async (): Promise<void> => {
      const outcome = await attempt.outcome;
      const isAborted = inFlight.get(attempt)?.isAborted === true;
      inFlight.delete(attempt);
      slots.free(lane);
      lane.ended(job);
      // What is aborted is left to the next owner.
      if (isAborted && outcome.kind === 'failed') engine.retries.forget([job]);
      else engine.outcomes.attempted(job, outcome, clock.now() - startedAt);
      send();
    };
    inFlight.set(attempt, { job, done: finish(), isAborted: false });
  };

  const waitForCommands = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    clock.after(limits.throttleMs, () => {
      isWaiting = false;
      send();
    });
  };

  /** While commands run, what was left for later is sent one by one. */
  const mayGo = (lane: Lane): boolean => {
    if (lane.isNextLive() || clock.now() >= backlogAt || !engine.isBusy()) return true;
    waitForCommands();
    return false;
  };

  const sendNext = (lane: Lane): void => {
    const job = lane.next();
    // To the end of the queue: round-robin among equals.
    waiting.delete(lane);
    if (!job) return;
    if (lane.isReady()) waiting.add(lane);
    if (!job.isLive) backlogAt = clock.now() + limits.throttleMs;
    slots.take(lane);
    start(job);
  };

  const send = (): void => {
    if (isSending || isStopped || !engine.partitions.isTrusted()) return;
    isSending = true;
    const choose = (): Lane | undefined => slots.choose(waiting, mayGo);
    for (let lane = choose(); lane; lane = choose()) sendNext(lane);
    isSending = false;
    for (const lane of waiting) if (lane.group.isClosed() || !lane.isReady()) waiting.delete(lane);
    if (waiting.size > 0 && slots.needsWrite()) engine.results.writeSoon();
  };

  const attemptsOf = (of: (job: Job) => boolean) => [...inFlight].filter(([, { job }]) => of(job));

  return {
    /** The key has something to send. */
    ready: (lane: Lane): void => {
      waiting.add(lane);
      send();
    },
    /** Sends what may go, now that something has changed. */
    send,
    inFlight: (): number => inFlight.size,
    /** Resolves when none of these attempts is in flight, or after this time. */
    ended: async (of: (job: Job) => boolean, limitMs: number): Promise<void> => {
      let cancel = (): void => undefined;
      const limit = new Promise<void>((resolve) => {
        cancel = clock.after(limitMs, resolve);
      });
      await Promise.race([Promise.all(attemptsOf(of).map(([, { done }]) => done)), limit]);
      cancel();
    },
    abort: (of: (job: Job) => boolean): void => {
      for (const [attempt, flight] of attemptsOf(of)) {
        flight.isAborted = true;
        attempt.abort();
      }
    },
    /** Starts no attempt any more. */
    stop: (): void => {
      isStopped = true;
    },
  };
};
