import { performance } from 'node:perf_hooks';
import { median, quantile } from '../../shared/statistics.js';
import {
  type CheckedRequest,
  type Connection,
  type LoadResponse,
  openConnection,
  type Target,
} from './connection.js';
import type { Operation } from './operations.js';

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

interface LoadRecorder {
  /** Sends a request and records its time. Resolves with false if the response is wrong. */
  readonly run: (connection: Connection, request: CheckedRequest) => Promise<boolean>;
  readonly isWrong: () => boolean;
  readonly end: () => LoadStats;
}

const MAX_BODY_LENGTH = 600;

const wrongResponse = (
  request: CheckedRequest,
  why: string,
  response?: LoadResponse,
): WrongResponse => ({
  request: `${request.method} ${request.path}`,
  why,
  ...(response && { status: response.status, body: response.text.slice(0, MAX_BODY_LENGTH) }),
});

const startRecorder = (): LoadRecorder => {
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

class WrongResponseError extends Error {
  override readonly name = 'WrongResponseError';

  constructor(readonly wrong: WrongResponse) {
    super(`${wrong.request}: ${wrong.why}`);
  }
}

/** Resolves with the response if it is correct; else throws WrongResponseError. */
export const sendChecked = async (
  connection: Connection,
  request: CheckedRequest,
): Promise<LoadResponse> => {
  const response = await send(connection, request);
  const problem = request.check(response);
  if (problem === undefined) return response;
  throw new WrongResponseError(wrongResponse(request, problem, response));
};

/** A missing response counts as a wrong one. */
const send = async (connection: Connection, request: CheckedRequest): Promise<LoadResponse> => {
  try {
    return await connection.send(request);
  } catch (error) {
    throw new WrongResponseError(wrongResponse(request, String(error)));
  }
};

/** The result, or the first wrong response. */
export type Attempt<Result> =
  | { readonly result: Result; readonly wrong?: never }
  | { readonly wrong: WrongResponse; readonly result?: never };

export const attempt = async <Result>(promise: Promise<Result>): Promise<Attempt<Result>> => {
  try {
    return { result: await promise };
  } catch (error) {
    if (error instanceof WrongResponseError) return { wrong: error.wrong };
    throw error;
  }
};

export interface LoadClients {
  readonly target: Target;
  readonly clients: number;
}

/** Clients take the next item when they are done. The results are in the order of the items. */
export const distribute = async <Item, Result>(
  { target, clients }: LoadClients,
  items: readonly Item[],
  run: (connection: Connection, item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  const queue = queueOf(items);
  const runClient = async (): Promise<void> => {
    const connection = openConnection(target);
    try {
      for (const [index, item] of queue) results[index] = await run(connection, item);
    } finally {
      await connection.close();
    }
  };
  await Promise.all(Array.from({ length: clients }, runClient));
  return results;
};

/** Shared by all clients. An error in one of them closes the generator, which ends the others. */
function* queueOf<Item>(items: readonly Item[]): Generator<[number, Item]> {
  yield* items.entries();
}

interface ClientsRun {
  readonly target: Target;
  readonly clients: number;
  readonly operation: Operation;
  /** Checked before each operation of a client. */
  readonly isOver: () => boolean;
}

/** Each client sends its next request after the response to the last (closed loop). */
export const runClients = async (run: ClientsRun): Promise<LoadStats> => {
  const connections = Array.from({ length: run.clients }, () => openConnection(run.target));
  const recorder = startRecorder();
  await Promise.all(connections.map((each, client) => runClient(run, recorder, each, client)));
  const stats = recorder.end();
  await Promise.all(connections.map((connection) => connection.close()));
  return stats;
};

const runClient = async (
  { operation, isOver }: ClientsRun,
  recorder: LoadRecorder,
  connection: Connection,
  client: number,
): Promise<void> => {
  while (!isOver() && !recorder.isWrong()) {
    for (const request of operation(client)) {
      if (!(await recorder.run(connection, request))) return;
    }
  }
};

export const forSeconds = (seconds: number): (() => boolean) => {
  const end = performance.now() + seconds * 1_000;
  return () => performance.now() >= end;
};

export const forCount = (operations: number): (() => boolean) => {
  let started = 0;
  return () => (started += 1) > operations;
};
