import type { PluginLog } from '../contract/extension.js';
import type { Clock } from '../contract/clock.js';
import type { DeliveryOutcome } from '../contract/contract.js';
import { type Attempt, startAttempt } from './attempt.js';
import type { DeliveryTraces } from './delivery-traces.js';
import type { Job, Lane } from './lane.js';
import { createSlots } from './slots.js';
import type { StreamLimits } from './stream-limits.js';

/** Starts attempts, within the caps and fairly. */
export interface Sender {
  /** The key has something to send. */
  readonly ready: (lane: Lane) => void;
  /** Sends what may go, now that something has changed. */
  readonly send: () => void;
  readonly inFlight: () => number;
  /** Resolves when none of these attempts is in flight, or after this time. */
  readonly ended: (of: (job: Job) => boolean, limitMs: number) => Promise<void>;
  /** Aborts these attempts. */
  readonly abort: (of: (job: Job) => boolean) => void;
  /** Starts no attempt any more. */
  readonly stop: () => void;
}

export interface SenderParts {
  readonly clock: Clock;
  readonly limits: StreamLimits;
  readonly log: PluginLog;
  readonly traces?: Pick<DeliveryTraces, 'trace'> | undefined;
  /** Whether this gateway is busy with commands: a backlog gives way to them. */
  readonly isBusy: () => boolean;
  /** Whether this gateway may still use what it owns. */
  readonly isTrusted: () => boolean;
  /** Results whose position is not written. */
  readonly unwritten: () => number;
  /** Results must be written before anything can be sent. */
  readonly onFull: () => void;
  /** It is left to the next owner. */
  readonly onAborted: (job: Job) => void;
  readonly onResult: (job: Job, outcome: DeliveryOutcome, ms: number) => void;
}

interface AttemptInFlight {
  readonly job: Job;
  readonly done: Promise<void>;
  isAborted: boolean;
}

export const createSender = (parts: SenderParts): Sender => {
  const { clock, limits, log, traces } = parts;
  const slots = createSlots({ limits, now: clock.now, unwritten: parts.unwritten });
  const waiting = new Set<Lane>();
  const inFlight = new Map<Attempt, AttemptInFlight>();
  let isSending = false;
  let isStopped = false;
  /** When the next delivery of a backlog may start while the gateway is busy. */
  let backlogAt = -Infinity;
  let isWaiting = false;

  const start = (job: Job): void => {
    const { id, lane, event, attempt: number } = job;
    const { key, group } = lane;
    const startedAt = clock.now();
    const deliver = (signal: AbortSignal) =>
      group.subscriber.deliver({ id, key, event, attempt: number }, signal);
    const { plugin } = group;
    const attempt = startAttempt(
      traces
        ? (signal) =>
            traces.trace(
              { plugin, id, eventId: event.id, event: event.name, attempt: number },
              () => deliver(signal),
            )
        : deliver,
      {
        clock,
        limitMs: limits.attemptMs,
        graceMs: limits.abortGraceMs,
        onError: (err) =>
          // Not as `key`: the log hides what is called so.
          log.error(
            { plugin, target: key, delivery: id, attempt: number, err },
            'A subscriber threw during a delivery.',
          ),
      },
    );
    const finish = async (): Promise<void> => {
      const outcome = await attempt.outcome;
      const isAborted = inFlight.get(attempt)?.isAborted === true;
      inFlight.delete(attempt);
      slots.free(lane);
      lane.ended(job);
      if (isAborted && outcome.kind === 'failed') parts.onAborted(job);
      else parts.onResult(job, outcome, clock.now() - startedAt);
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
    if (lane.isNextLive() || clock.now() >= backlogAt || !parts.isBusy()) return true;
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
    if (isSending || isStopped || !parts.isTrusted()) return;
    isSending = true;
    const choose = (): Lane | undefined => slots.choose(waiting, mayGo);
    for (let lane = choose(); lane; lane = choose()) sendNext(lane);
    isSending = false;
    for (const lane of waiting) if (lane.group.isClosed() || !lane.isReady()) waiting.delete(lane);
    if (waiting.size > 0 && slots.needsWrite()) parts.onFull();
  };

  const attemptsOf = (of: (job: Job) => boolean) => [...inFlight].filter(([, { job }]) => of(job));

  return {
    ready: (lane) => {
      waiting.add(lane);
      send();
    },
    send,
    inFlight: slots.taken,
    ended: async (of, limitMs) => {
      let cancel = (): void => undefined;
      const limit = new Promise<void>((resolve) => {
        cancel = clock.after(limitMs, resolve);
      });
      await Promise.race([Promise.all(attemptsOf(of).map(([, { done }]) => done)), limit]);
      cancel();
    },
    abort: (of) => {
      for (const [attempt, flight] of attemptsOf(of)) {
        flight.isAborted = true;
        attempt.abort();
      }
    },
    stop: () => {
      isStopped = true;
    },
  };
};
