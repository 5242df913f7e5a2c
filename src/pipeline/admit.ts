import { type Refusal, refuse } from '../domain/refusals.js';
import type { Arrival } from './batch.js';

/** What waits or runs: its weight (about the rows it changes) and the memory it takes. */
export interface Load {
  readonly weight: number;
  readonly bytes: number;
}

export interface QueueLimits {
  /** Of one tenant. */
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

/** How much is under way; admit refuses what would be too much (pipeline-rules.md 9). */
export class Queue {
  #commands = 0;
  #total = NONE;
  #stopping = false;
  readonly #byTenant = new Map<string, Load>();
  #whenEmpty: (() => void) | undefined;

  constructor(private readonly limits: QueueLimits) {}

  /** One that finds nobody before it is let in, however large: edges bound what a request may hold. */
  refusalFor(arrival: Arrival): Refusal | undefined {
    if (this.#stopping) return busy('The gateway is shutting down.');
    const { perTenant, overall } = this.limits;
    const own = this.#byTenant.get(arrival.envelope.tenantId);
    const isFull =
      (own !== undefined && exceeds(plus(own, arrival), perTenant)) ||
      (this.#commands > 0 && exceeds(plus(this.#total, arrival), overall));
    return isFull ? busy('Too many changes are waiting.') : undefined;
  }

  enter(arrival: Arrival): void {
    const { tenantId } = arrival.envelope;
    this.#commands += 1;
    this.#total = plus(this.#total, arrival);
    this.#byTenant.set(tenantId, plus(this.#byTenant.get(tenantId) ?? NONE, arrival));
  }

  leave(arrival: Arrival): void {
    const { tenantId } = arrival.envelope;
    this.#commands -= 1;
    this.#total = plus(this.#total, arrival, -1);
    const left = plus(this.#byTenant.get(tenantId) ?? arrival, arrival, -1);
    if (left.weight > 0) this.#byTenant.set(tenantId, left);
    else this.#byTenant.delete(tenantId);
    if (this.#commands === 0) this.#whenEmpty?.();
  }

  /** Admits nothing more and resolves when all that is under way has been answered. */
  drain(): Promise<void> {
    this.#stopping = true;
    return this.#commands === 0
      ? Promise.resolve()
      : new Promise((resolve) => (this.#whenEmpty = resolve));
  }

  get isStopping(): boolean {
    return this.#stopping;
  }

  get size(): number {
    return this.#commands;
  }
}

const busy = (why: string): Refusal =>
  refuse('UNAVAILABLE', `${why} Nothing was changed; try again shortly.`, { retryAfter: 1 });
