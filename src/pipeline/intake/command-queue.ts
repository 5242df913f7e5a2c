import { type Refusal, refuse } from '../../domain/kernel/refusals.js';
import type { Arrival } from '../batch.js';

/** Weight and memory of commands that wait or run. */
export interface Load {
  readonly weight: number;
  readonly bytes: number;
}

export interface QueueLimits {
  readonly perTenant: Load;
  readonly overall: Load;
}

const NONE: Load = { weight: 0, bytes: 0 };

const plus = (one: Load, other: Load, sign: 1 | -1 = 1): Load => ({
  weight: one.weight + sign * other.weight,
  bytes: one.bytes + sign * other.bytes,
});

const exceeds = (load: Load, limit: Load): boolean =>
  load.weight > limit.weight || load.bytes > limit.bytes;

/** Counts the commands in flight and bounds their load (pipeline-rules.md 9). */
export class CommandQueue {
  readonly #commands = new Set<Arrival>();
  #total = NONE;
  #stopping = false;
  readonly #byTenant = new Map<string, Load>();
  #whenEmpty: (() => void) | undefined;

  constructor(private readonly limits: QueueLimits) {}

  /** An empty queue accepts a command of any size: the edge bounds the size of a request. */
  refusalFor(arrival: Arrival): Refusal | undefined {
    if (this.#stopping) return unavailable('The gateway is shutting down.');
    const { perTenant, overall } = this.limits;
    const ofTenant = this.#byTenant.get(arrival.envelope.tenantId);
    const isFull =
      (ofTenant !== undefined && exceeds(plus(ofTenant, arrival), perTenant)) ||
      (this.#commands.size > 0 && exceeds(plus(this.#total, arrival), overall));
    return isFull ? unavailable('The queue of changes is full.') : undefined;
  }

  enter(arrival: Arrival): void {
    const { tenantId } = arrival.envelope;
    this.#commands.add(arrival);
    this.#total = plus(this.#total, arrival);
    this.#byTenant.set(tenantId, plus(this.#byTenant.get(tenantId) ?? NONE, arrival));
  }

  /** False if it has left before: then nothing changes. */
  leave(arrival: Arrival): boolean {
    if (!this.#commands.delete(arrival)) return false;
    const { tenantId } = arrival.envelope;
    this.#total = plus(this.#total, arrival, -1);
    const left = plus(this.#byTenant.get(tenantId) ?? arrival, arrival, -1);
    if (left.weight > 0) this.#byTenant.set(tenantId, left);
    else this.#byTenant.delete(tenantId);
    if (this.#commands.size === 0) this.#whenEmpty?.();
    return true;
  }

  /** Refuses all further commands; resolves when none is in flight. */
  drain(): Promise<void> {
    this.#stopping = true;
    return this.#commands.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => (this.#whenEmpty = resolve));
  }

  get isStopping(): boolean {
    return this.#stopping;
  }

  get size(): number {
    return this.#commands.size;
  }

  /** The commands that wait or run. */
  all(): readonly Arrival[] {
    return [...this.#commands];
  }
}

const unavailable = (reason: string): Refusal =>
  refuse('UNAVAILABLE', `${reason} Nothing was changed; try again shortly.`, { retryAfter: 1 });
