import { z } from 'zod';
import { type ListenAddress, requireFreeAddress } from '../../process/listen.js';
import { findHolder } from '../../store/embedded/data-folder-lock.js';
import { requestGateway } from '../request-gateway.js';
import {
  type DoctorContext,
  isMissing,
  type Check,
  type CheckResult,
  fail,
  ok,
  skip,
  warn,
  roughDuration,
} from '../check.js';
import { readInstances, type SeenInstance } from '../../store/instances.js';
import { readPendingDeliveries } from '../../store/inspect/inspect-database.js';

/** The responses of /readyz; no other server sends them. */
const Readiness = z.union([
  z.object({ status: z.literal('ok') }),
  z.object({ error: z.literal('UNAVAILABLE'), request_id: z.string() }),
]);

/** The gateway at the configured address, if one is running, is ready. */
export const checkGateway: Check = async (context) => {
  const { address } = context.gateway;
  if ('missing' in address) return skip(address.missing);
  const { url, isGiven } = address;
  const response = await requestGateway(`${url}/readyz`);
  if ('fault' in response)
    return isGiven
      ? fail(`No gateway at ${url} (${response.fault}).`, START_IT)
      : evaluateNone(`No gateway at ${url} (${response.fault}).`, context.config());
  const readiness = Readiness.safeParse(response.body);
  if (!readiness.success)
    return fail(
      `The server at ${url} is not a Rollgate gateway.`,
      'Use another port for the gateway (ROLLGATE_PORT), or pass the right address with --url.',
      { url, status: response.status },
    );
  const details = { url, status: response.status };
  if (response.status === 200)
    return !isGiven && (await isOfAnotherFolder(context))
      ? warn(
          `The gateway at ${url} is ready, but does not use ${context.dataDir()}.`,
          'Pass the data folder of the running gateway (--data-dir). Another gateway on this machine ' +
            'needs another port (ROLLGATE_PORT).',
          details,
        )
      : ok(`The gateway at ${url} is ready.`, details);
  return fail(
    `The gateway at ${url} is running but not ready.`,
    'It is shutting down, or its database does not respond. See the database checks and its log.',
    details,
  );
};

/** None is running: could one start? */
const evaluateNone = async (message: string, address: ListenAddress): Promise<CheckResult> => {
  try {
    await requireFreeAddress(address);
    return skip(message);
  } catch (error) {
    return fail(`${message} None can start.`, error instanceof Error ? error.message : '');
  }
};

/** A gateway with an embedded database locks its folder. */
const isOfAnotherFolder = async ({ isEmbedded, dataDir }: DoctorContext): Promise<boolean> =>
  isEmbedded() && (await isUnused(dataDir()));

const isUnused = (folder: string): Promise<boolean> =>
  findHolder(folder).then((holder) => holder === undefined, isMissing);

const START_IT = 'Start it with "rollgate serve", or correct the address.';

/** A running gateway removes a dead one within seconds. */
const EXPIRED_MS = 15_000;

/** The gateways running on this database, and those that stopped sending heartbeats. */
export const checkGateways: Check = async ({ database }) => {
  const seen = await readInstances((await database()).database);
  const alive = seen.filter(({ isAlive }) => isAlive);
  const silent = seen.filter(({ isAlive }) => !isAlive);
  const details = { alive: alive.map(describeInstance), silent: silent.map(describeInstance) };
  const dead = silent.filter(({ silentMs }) => alive.length === 0 || silentMs > EXPIRED_MS);
  if (dead.length === 0)
    return ok(`${alive.length === 0 ? 'None' : countGateways(alive)} running.`, details);
  const longest = Math.max(...dead.map(({ silentMs }) => silentMs));
  return warn(
    `${countGateways(dead)} without a heartbeat for ${roughDuration(longest)}, ${alive.length} running.`,
    alive.length === 0
      ? 'Start a gateway; it takes over the work of the dead one.'
      : "See the gateways' logs: a running gateway should take over from a dead one within seconds.",
    details,
  );
};

const countGateways = ({ length }: readonly unknown[]): string =>
  length === 1 ? '1 gateway' : `${length} gateways`;

const describeInstance = ({ instanceId, startedAt, silentMs }: SeenInstance) => ({
  instance: instanceId,
  started_at: startedAt.toISOString(),
  silent_ms: silentMs,
});

/** Gateways look for due deliveries every second, so a minute is abnormal. */
const OVERDUE_MS = 60_000;

/** Pending deliveries are being delivered. */
export const checkDeliveries: Check = async ({ database }) => {
  const { pending, overdueMs } = await readPendingDeliveries(await database());
  const details = { pending, overdue_ms: overdueMs };
  if (pending === 0) return ok('No pending deliveries.', details);
  const message = pending === 1 ? '1 pending delivery' : `${pending} pending deliveries`;
  if (overdueMs < OVERDUE_MS) return ok(`${message}, none overdue.`, details);
  return warn(
    `${message}, the oldest overdue for ${roughDuration(overdueMs)}.`,
    'Check that a gateway is running. If so, a receiver is slow or down: see "rollgate plugin list" ' +
      'and rollgate_deliveries_pending in /metrics.',
    details,
  );
};
