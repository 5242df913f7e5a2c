import type { Chunked } from '../../domain/kernel/chunked.js';
import { runCooperatively } from '../../pipeline/loop-scheduler.js';
import { createFairSlots } from '../../pipeline/fair-slots.js';
import {
  type BodyLimits,
  type BodyReservation,
  createBodyBudget,
  LARGE_BODY,
} from './body-budget.js';

/** Large bodies that are parsed and checked concurrently, over all keys. */
const MAX_CONCURRENT_LARGE_BODIES = 2;

/** What all requests with a body share: memory, and slots for parsing. */
export interface BodyIntake {
  /** Opens an empty memory reservation for a body sent with this key. */
  readonly open: (key: string) => BodyReservation;
  /** Bytes reserved at this time. */
  readonly reservedBytes: () => number;
  /**
   * Runs the work of parsing a body: immediately for a small body, else when a slot is free.
   * Rejects with the signal's reason if it is aborted first.
   */
  readonly read: <Result>(body: WaitingBody, work: () => Chunked<Result>) => Promise<Result>;
}

export interface WaitingBody {
  readonly key: string;
  readonly bytes: number;
  readonly signal: AbortSignal;
}

export const createBodyIntake = (limits?: BodyLimits): BodyIntake => {
  const budget = createBodyBudget(limits);
  const slots = createFairSlots({ overall: MAX_CONCURRENT_LARGE_BODIES });
  return {
    ...budget,
    read: ({ key, bytes, signal }, work) =>
      bytes <= LARGE_BODY
        ? runCooperatively(work())
        : slots.run(key, signal, () => runCooperatively(work())),
  };
};
