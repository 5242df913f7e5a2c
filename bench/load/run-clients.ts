import { performance } from 'node:perf_hooks';
import { openConnection, type Connection } from './connection.js';
import { startTally, type Tallied, type Tally } from './tally.js';
import type { Target } from './target.js';
import type { Work } from './ground.js';

export interface ClientsRun {
  readonly target: Target;
  readonly clients: number;
  readonly work: Work;
  /** Asked before each turn of a client. */
  readonly isOver: () => boolean;
}

/** Clients that each send their next request when the last is answered, until it is over. */
export const runClients = async (run: ClientsRun): Promise<Tallied> => {
  const connections = Array.from({ length: run.clients }, () => openConnection(run.target));
  const tally = startTally();
  await Promise.all(connections.map((each, client) => runClient(run, tally, each, client)));
  const tallied = tally.end();
  await Promise.all(connections.map((connection) => connection.close()));
  return tallied;
};

const runClient = async (
  { work, isOver }: ClientsRun,
  tally: Tally,
  connection: Connection,
  client: number,
): Promise<void> => {
  while (!isOver() && !tally.isWrong()) {
    for (const exchange of work(client)) {
      if (!(await tally.run(connection, exchange))) return;
    }
  }
};

export const forSeconds = (seconds: number): (() => boolean) => {
  const end = performance.now() + seconds * 1_000;
  return () => performance.now() >= end;
};

/** As many turns as there are numbers. */
export const forTurns = (turns: number): (() => boolean) => {
  let taken = 0;
  return () => (taken += 1) > turns;
};
