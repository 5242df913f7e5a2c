import { setTimeout as sleep } from 'node:timers/promises';
import { requireCorrect } from './clients.js';
import { type CheckedRequest, type Connection, openConnection, type Target } from './connection.js';
import { monotonicMs } from '../../shared/process-usage.js';
import { NO_TEAM, OPERATIONS } from './operations.js';

/** A create that was sent on schedule, even if earlier ones were still in flight. */
export interface TimedCreate {
  readonly email: string;
  /** On the machine's monotonic clock. */
  readonly sentMs: number;
  readonly receivedMs: number;
}

export interface RatePlan {
  readonly target: Target;
  readonly prefix: string;
  readonly rate: number;
  readonly seconds: number;
}

/** More than are in flight at this rate. */
const CONNECTIONS = 16;

/** Creates users at a constant rate. Rejects if a response is wrong. */
export const createAtRate = async (run: RatePlan): Promise<readonly TimedCreate[]> => {
  const connections = Array.from({ length: CONNECTIONS }, () => openConnection(run.target));
  const operation = OPERATIONS.create({ ...NO_TEAM, users: [], clients: 1, run: run.prefix });
  const began = monotonicMs();
  const sent: Promise<TimedCreate>[] = [];
  for (let number = 0; number < run.rate * run.seconds; number += 1) {
    await sleep(Math.max(0, began + (number * 1_000) / run.rate - monotonicMs()));
    const connection = connections[number % CONNECTIONS];
    const [request] = operation(0);
    if (connection && request) sent.push(sendTimed(request, connection));
  }
  const creates = await Promise.all(sent);
  await Promise.all(connections.map((connection) => connection.close()));
  return creates;
};

const sendTimed = async (request: CheckedRequest, connection: Connection): Promise<TimedCreate> => {
  const sentMs = monotonicMs();
  const response = await connection.send(request);
  const receivedMs = monotonicMs();
  requireCorrect(request, response);
  const { emails } = JSON.parse(request.body ?? '') as { emails: { value: string }[] };
  return { email: emails[0]?.value ?? '', sentMs, receivedMs };
};
