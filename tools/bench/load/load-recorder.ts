import { performance } from 'node:perf_hooks';
import { median, quantile } from '../../shared/statistics.js';
import type { CheckedRequest, Connection, LoadResponse } from './connection.js';

/** The first wrong response; it makes the other numbers of the workload meaningless. */
export interface WrongResponse {
  readonly request: string;
  readonly why: string;
  readonly status?: number;
  /** The beginning of the body. */
  readonly body?: string;
}

export interface LoadStats {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly wrong?: WrongResponse;
}

export interface LoadRecorder {
  /** Sends a request and records its time. Resolves with false if the response is wrong. */
  readonly run: (connection: Connection, request: CheckedRequest) => Promise<boolean>;
  readonly isWrong: () => boolean;
  readonly end: () => LoadStats;
}

const MAX_BODY_LENGTH = 600;

export const wrongResponse = (
  request: CheckedRequest,
  why: string,
  response?: LoadResponse,
): WrongResponse => ({
  request: `${request.method} ${request.path}`,
  why,
  ...(response && { status: response.status, body: response.text.slice(0, MAX_BODY_LENGTH) }),
});

export const startRecorder = (): LoadRecorder => {
  const times: number[] = [];
  const began = performance.now();
  let wrong: WrongResponse | undefined;

  const sendAndCheck = async (
    connection: Connection,
    request: CheckedRequest,
  ): Promise<WrongResponse | undefined> => {
    const sent = performance.now();
    try {
      const response = await connection.send(request);
      times.push(performance.now() - sent);
      const why = request.check(response);
      return why === undefined ? undefined : wrongResponse(request, why, response);
    } catch (error) {
      return wrongResponse(request, String(error));
    }
  };

  return {
    run: async (connection, request) => {
      const found = await sendAndCheck(connection, request);
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
