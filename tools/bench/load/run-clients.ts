import { performance } from 'node:perf_hooks';
import { type Connection, openConnection } from './connection.js';
import { type LoadRecorder, type LoadStats, startRecorder } from './load-recorder.js';
import type { Operation } from './operation.js';
import type { Target } from './target.js';

export interface ClientsRun {
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
