import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from './monotonic.js';
import { openConnection, type Exchange } from './connection.js';
import { EMPTY_SCENE } from './ground.js';
import type { Target } from './target.js';
import { WORKS } from './works.js';

/** A user that was created at its time, whatever became of those before. */
export interface Paced {
  readonly email: string;
  /** On the machine's monotonic clock. */
  readonly sentMs: number;
  readonly answeredMs: number;
}

export interface PacedRun {
  readonly target: Target;
  readonly prefix: string;
  readonly rate: number;
  readonly seconds: number;
}

/** More than are ever under way at the rates that this is for. */
const CONNECTIONS = 16;

/** Creates users at an even rate. Rejects where an answer is wrong. */
export const paceRequests = async (run: PacedRun): Promise<readonly Paced[]> => {
  const connections = Array.from({ length: CONNECTIONS }, () => openConnection(run.target));
  const work = WORKS.create({ ...EMPTY_SCENE, users: [], clients: 1, run: run.prefix });
  const began = monotonicMs();
  const sent: Promise<Paced>[] = [];
  for (let number = 0; number < run.rate * run.seconds; number += 1) {
    await wait(Math.max(0, began + (number * 1_000) / run.rate - monotonicMs()));
    const connection = connections[number % CONNECTIONS];
    const [exchange] = work(0);
    if (connection && exchange) sent.push(timed(exchange, connection.send));
  }
  const paced = await Promise.all(sent);
  await Promise.all(connections.map((connection) => connection.close()));
  return paced;
};

const timed = async (
  exchange: Exchange,
  send: (exchange: Exchange) => ReturnType<ReturnType<typeof openConnection>['send']>,
): Promise<Paced> => {
  const sentMs = monotonicMs();
  const answer = await send(exchange);
  const answeredMs = monotonicMs();
  const why = exchange.fault(answer);
  if (why !== undefined) throw new Error(`A paced request was answered wrongly: ${why}.`);
  const { emails } = JSON.parse(exchange.body ?? '') as { emails: { value: string }[] };
  return { email: emails[0]?.value ?? '', sentMs, answeredMs };
};
