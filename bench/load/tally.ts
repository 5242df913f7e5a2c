import { performance } from 'node:perf_hooks';
import { median, quantile } from '../../tooling/statistics.js';
import type { Answer, Connection, Exchange } from './connection.js';

/** The first answer that was not right; it makes the workload's other numbers worthless. */
export interface Wrong {
  readonly request: string;
  readonly why: string;
  readonly status?: number;
  /** Its beginning. */
  readonly body?: string;
}

export interface Tallied {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly wrong?: Wrong;
}

export interface Tally {
  /** Sends, looks at the answer, and keeps the time; false where it was wrong. */
  readonly run: (connection: Connection, exchange: Exchange) => Promise<boolean>;
  readonly isWrong: () => boolean;
  readonly end: () => Tallied;
}

const MOST_BODY = 600;

export const wrongOf = (exchange: Exchange, why: string, answer?: Answer): Wrong => ({
  request: `${exchange.method} ${exchange.path}`,
  why,
  ...(answer && { status: answer.status, body: answer.text.slice(0, MOST_BODY) }),
});

export const startTally = (): Tally => {
  const times: number[] = [];
  const began = performance.now();
  let wrong: Wrong | undefined;

  const look = async (connection: Connection, exchange: Exchange): Promise<Wrong | undefined> => {
    const sent = performance.now();
    try {
      const answer = await connection.send(exchange);
      times.push(performance.now() - sent);
      const why = exchange.fault(answer);
      return why === undefined ? undefined : wrongOf(exchange, why, answer);
    } catch (error) {
      return wrongOf(exchange, String(error));
    }
  };

  return {
    run: async (connection, exchange) => {
      const found = await look(connection, exchange);
      wrong ??= found;
      return found === undefined;
    },
    isWrong: () => wrong !== undefined,
    end: () => ({
      requests: times.length,
      seconds: (performance.now() - began) / 1_000,
      p50: median(times),
      p99: quantile(times, 0.99),
      ...(wrong && { wrong }),
    }),
  };
};
