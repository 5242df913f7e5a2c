import type { Logger } from 'pino';
import { withinTime } from '../process/timers.js';

/** For each part that stops, besides the grace period: more than its own limits add up to. */
const STOP_MS = 30_000;

/** `graceMs`: what is left of the grace period for work in progress. */
type Shutdown = (graceMs: number) => unknown;

/** How to stop what was started; run in reverse order. */
export class ShutdownStack {
  readonly #shutdowns: Shutdown[] = [];

  add(shutdown: Shutdown): void {
    this.#shutdowns.push(shutdown);
  }

  /** `graceMs`: what requests, and then deliveries, in progress are given together. */
  async run(log: Logger, graceMs: number): Promise<void> {
    const graceEndsAt = performance.now() + graceMs;
    for (const shutdown of this.#shutdowns.splice(0).reverse()) {
      try {
        await withinTime(STOP_MS + graceMs, async () => {
          await shutdown(Math.max(0, graceEndsAt - performance.now()));
        });
      } catch (error) {
        log.error({ err: error }, 'a part of the gateway failed to stop');
      }
    }
  }
}
