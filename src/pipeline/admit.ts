import { type Refusal, refuse } from '../domain/refusals.js';
import type { Arrival } from './batch.js';

export interface QueueLimits {
  /** Commands of one tenant that may wait or run at once. */
  readonly perTenant: number;
  readonly overall: number;
}

/** How many commands are under way; admit refuses what would be too many. */
export class Queue {
  #total = 0;
  #stopping = false;
  readonly #byTenant = new Map<string, number>();
  #whenEmpty: (() => void) | undefined;

  constructor(private readonly limits: QueueLimits) {}

  refusalFor({ envelope: { tenantId } }: Arrival): Refusal | undefined {
    if (this.#stopping) return busy('The gateway is shutting down.');
    const full =
      this.#total >= this.limits.overall ||
      (this.#byTenant.get(tenantId) ?? 0) >= this.limits.perTenant;
    return full ? busy('Too many changes are waiting.') : undefined;
  }

  enter(tenantId: string): void {
    this.#total += 1;
    this.#byTenant.set(tenantId, (this.#byTenant.get(tenantId) ?? 0) + 1);
  }

  leave(tenantId: string): void {
    this.#total -= 1;
    const left = (this.#byTenant.get(tenantId) ?? 1) - 1;
    if (left > 0) this.#byTenant.set(tenantId, left);
    else this.#byTenant.delete(tenantId);
    if (this.#total === 0) this.#whenEmpty?.();
  }

  /** Admits nothing more and resolves when all that is under way has been answered. */
  drain(): Promise<void> {
    this.#stopping = true;
    return this.#total === 0
      ? Promise.resolve()
      : new Promise((resolve) => (this.#whenEmpty = resolve));
  }

  get size(): number {
    return this.#total;
  }
}

const busy = (why: string): Refusal =>
  refuse('UNAVAILABLE', `${why} Nothing was changed; try again shortly.`, { retryAfter: 1 });
