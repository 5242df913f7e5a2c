import type { StreamLimits } from './stream-limits.js';

/**
 * Stops sending to a key that fails again and again: after so many failures in a row it opens; when
 * its time is over it lets one attempt through, and that one decides.
 */
export class CircuitBreaker {
  private failures = 0;
  private openUntil: number | undefined;

  constructor(private readonly limits: Pick<StreamLimits, 'breakerFailures' | 'breakerOpenMs'>) {}

  /** How many attempts may be in flight at this time: none while open, one when it may try, else any. */
  capacity(now: number): number {
    if (this.openUntil === undefined) return Infinity;
    return now < this.openUntil ? 0 : 1;
  }

  isClosed(): boolean {
    return this.openUntil === undefined;
  }

  /** Returns whether this closed it. */
  succeeded(): boolean {
    const closes = !this.isClosed();
    this.failures = 0;
    this.openUntil = undefined;
    return closes;
  }

  /** Returns whether this opened it. */
  failed(now: number): boolean {
    this.failures += 1;
    // Attempts that were in flight when it opened say nothing new.
    if (this.failures < this.limits.breakerFailures || now < (this.openUntil ?? now)) return false;
    this.openUntil = now + this.limits.breakerOpenMs;
    return true;
  }
}
