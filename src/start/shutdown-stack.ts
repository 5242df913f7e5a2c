import type { Logger } from 'pino';
import { withinTime } from '../process/timers.js';

/** For each part that stops, besides the grace period of requests: more than its own limits add up to. */
const STOP_MS = 30_000;

type Shutdown = () => unknown;

/** How to stop what was started; run in reverse order. */
export class ShutdownStack {
  readonly #shutdowns: Shutdown[] = [];

  add(shutdown: Shutdown): void {
    this.#shutdowns.push(shutdown);
  }

  /** `graceMs`: what requests in flight are given in addition. */
  async run(log: Logger, graceMs: number): Promise<void> {
    for (const shutdown of this.#shutdowns.splice(0).reverse()) {
      try {
        await withinTime(STOP_MS + graceMs, async () => {
          await shutdown();
        });
      } catch (error) {
        log.error({ err: error }, 'a part of the gateway failed to stop');
      }
    }
  }
}
