import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../statistics.js';

/** Latencies in milliseconds. */
export interface Latencies {
  readonly requests: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

export const latenciesOf = (times: readonly number[]): Latencies => ({
  requests: times.length,
  p50: quantile(times, 0.5),
  p95: quantile(times, 0.95),
  p99: quantile(times, 0.99),
  max: Math.max(0, ...times),
});

export interface Probed extends Latencies {
  /** Requests without the expected response, which have no latency. */
  readonly failed: number;
}

export interface Probe {
  /** What was measured since the last call. */
  readonly take: () => Probed;
  readonly stop: () => Promise<void>;
}

/** Sends a request again and again, one at a time, and measures it. */
export const startProbe = (send: () => Promise<unknown>, pauseMs = 0): Probe => {
  let times: number[] = [];
  let failed = 0;
  let isStopped = false;

  const loop = async (): Promise<void> => {
    while (!isStopped) {
      const began = performance.now();
      try {
        await send();
        times.push(performance.now() - began);
      } catch {
        failed += 1;
      }
      await sleep(pauseMs);
    }
  };
  const running = loop();

  return {
    take: () => {
      const taken = { ...latenciesOf(times), failed };
      times = [];
      failed = 0;
      return taken;
    },
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
};
