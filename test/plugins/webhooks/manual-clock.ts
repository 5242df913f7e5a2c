import type { Clock } from '../../../src/plugin/contract/clock.js';

/** Time that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  readonly now = (): number => this.#now;

  readonly after = (ms: number, run: () => void): (() => void) => {
    const timer = { at: this.#now + ms, run };
    this.#timers.push(timer);
    return () => (this.#timers = this.#timers.filter((other) => other !== timer));
  };

  /** Moves on and runs what has become due, in order. */
  advance(ms: number): void {
    this.#now += ms;
    const due = this.#timers
      .filter(({ at }) => at <= this.#now)
      .sort((one, two) => one.at - two.at);
    this.#timers = this.#timers.filter((timer) => !due.includes(timer));
    for (const { run } of due) run();
  }

  get waiting(): number {
    return this.#timers.length;
  }
}
