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

export const formatProbed = ({ requests, failed, p50, p99, max }: Probed): string =>
  [
    `${requests} requests`,
    ...(requests === 0
      ? []
      : [`p50 ${p50.toFixed(0)}`, `p99 ${p99.toFixed(0)}`, `max ${max.toFixed(0)} ms`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ].join(', ');

interface ProbeOptions {
  /** Each client sends one request at a time. */
  readonly clients?: number;
  readonly pauseMs?: number;
}

/** Sends these requests in a loop and measures them. */
export const startProbe = (
  requests: readonly (() => Promise<unknown>)[],
  { clients = 1, pauseMs = 0 }: ProbeOptions = {},
): Probe => {
  let times: number[] = [];
  let failed = 0;
  let isStopped = false;

  const measure = async (request: () => Promise<unknown>): Promise<void> => {
    const began = performance.now();
    try {
      await request();
      times.push(performance.now() - began);
    } catch {
      failed += 1;
    }
  };
  const loop = async (): Promise<void> => {
    while (!isStopped) {
      for (const request of requests) await measure(request);
      await sleep(pauseMs);
    }
  };
  const running = Promise.all(Array.from({ length: clients }, loop));

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
