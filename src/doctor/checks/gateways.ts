import { readInstances, type SeenInstance } from '../../store/instances.js';
import { roughDuration } from '../rough-duration.js';
import { type Check, ok, warn } from '../verdict.js';

/** A gateway that is alive buries a silent one within seconds. */
const BURIED_MS = 15_000;

/** The gateways that run on this database, and those that fell silent without leaving. */
export const checkGateways: Check = async ({ database }) => {
  const seen = await readInstances((await database()).database);
  const alive = seen.filter(({ isAlive }) => isAlive);
  const silent = seen.filter(({ isAlive }) => !isAlive);
  const details = { alive: alive.map(describe), silent: silent.map(describe) };
  const lost = silent.filter(({ silentMs }) => alive.length === 0 || silentMs > BURIED_MS);
  if (lost.length === 0)
    return ok(alive.length === 0 ? 'None runs.' : `${count(alive)} alive.`, details);
  const longest = Math.max(...lost.map(({ silentMs }) => silentMs));
  return warn(
    `${count(lost)} silent for ${roughDuration(longest)}, ${alive.length} alive.`,
    alive.length === 0
      ? 'Start a gateway: it takes over what the silent one held.'
      : "See the gateways' logs: one that lives takes over what a silent one held, within seconds.",
    details,
  );
};

const count = ({ length }: readonly unknown[]): string =>
  length === 1 ? '1 gateway is' : `${length} gateways are`;

const describe = ({ own, startedAt, silentMs }: SeenInstance) => ({
  instance: own,
  started_at: startedAt.toISOString(),
  silent_ms: silentMs,
});
