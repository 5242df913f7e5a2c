import { readInstances, type SeenInstance } from '../../store/instances.js';
import { roughDuration } from '../rough-duration.js';
import { type Check, ok, warn } from '../check-result.js';

/** A running gateway removes a dead one within seconds. */
const EXPIRED_MS = 15_000;

/** The gateways running on this database, and those that stopped sending heartbeats. */
export const checkGateways: Check = async ({ database }) => {
  const seen = await readInstances((await database()).database);
  const alive = seen.filter(({ isAlive }) => isAlive);
  const silent = seen.filter(({ isAlive }) => !isAlive);
  const details = { alive: alive.map(describe), silent: silent.map(describe) };
  const dead = silent.filter(({ silentMs }) => alive.length === 0 || silentMs > EXPIRED_MS);
  if (dead.length === 0)
    return ok(`${alive.length === 0 ? 'None' : count(alive)} running.`, details);
  const longest = Math.max(...dead.map(({ silentMs }) => silentMs));
  return warn(
    `${count(dead)} without a heartbeat for ${roughDuration(longest)}, ${alive.length} running.`,
    alive.length === 0
      ? 'Start a gateway; it takes over the work of the dead one.'
      : "See the gateways' logs: a running gateway should take over from a dead one within seconds.",
    details,
  );
};

const count = ({ length }: readonly unknown[]): string =>
  length === 1 ? '1 gateway' : `${length} gateways`;

const describe = ({ instanceId, startedAt, silentMs }: SeenInstance) => ({
  instance: instanceId,
  started_at: startedAt.toISOString(),
  silent_ms: silentMs,
});
