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

export interface LoadStats {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

const MAX_BODY_LENGTH = 600;

/** A wrong response makes all other numbers meaningless, so it ends the benchmark. */
const requireCorrect = ({ method, path, check }: CheckedRequest, response: LoadResponse): void => {
  const problem = check(response);
  if (problem === undefined) return;
  const body = response.text.slice(0, MAX_BODY_LENGTH);
  throw new Error(`Wrong response to ${method} ${path}: ${problem}\n  ${body}`);
};

/** Resolves with the response if it is correct; else rejects. */
export const sendChecked = async (
  connection: Connection,
  request: CheckedRequest,
): Promise<LoadResponse> => {
  const response = await connection.send(request);
  requireCorrect(request, response);
  return response;
};

export interface LoadClients {
  readonly target: Target;
  readonly clients: number;
}

/** Runs each client on a connection of its own. An error in one of them ends the others. */
const runEach = async (
  { target, clients }: LoadClients,
  runClient: (connection: Connection, client: number) => Promise<void>,
): Promise<void> => {
  const connections = Array.from({ length: clients }, () => openConnection(target));
  try {
    await Promise.all(connections.map(runClient));
  } finally {
    await Promise.all(connections.map((connection) => connection.close()));
  }
};

/** Clients take the next item when they are done. The results are in the order of the items. */
export const distribute = async <Item, Result>(
  clients: LoadClients,
  items: readonly Item[],
  run: (connection: Connection, item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  const queue = items.entries();
  await runEach(clients, async (connection) => {
    for (const [index, item] of queue) results[index] = await run(connection, item);
  });
  return results;
};

interface ClientsRun extends LoadClients {
  readonly operation: Operation;
  /** Checked before each operation of a client. */
  readonly isOver: () => boolean;
}

/** Each client sends its next request after the response to the last (closed loop). */
export const runClients = async ({
  operation,
  isOver,
  ...clients
}: ClientsRun): Promise<LoadStats> => {
  const times: number[] = [];
  const began = performance.now();
  let ended = began;
  await runEach(clients, async (connection, client) => {
    while (!isOver())
      for (const request of operation(client)) {
        const sent = performance.now();
        const response = await connection.send(request);
        times.push(performance.now() - sent);
        requireCorrect(request, response);
      }
    ended = performance.now();
  });
  return {
    requests: times.length,
    seconds: (ended - began) / 1_000,
    p50: median(times),
    p99: quantile(times, 0.99),
  };
};

export const forSeconds = (seconds: number): (() => boolean) => {
  const end = performance.now() + seconds * 1_000;
  return () => performance.now() >= end;
};

export const forCount = (operations: number): (() => boolean) => {
  let started = 0;
  return () => (started += 1) > operations;
};
