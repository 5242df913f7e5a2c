import { runCommand, type InspectedDatabase } from './inspect-database.js';

export interface ServerTime {
  /** The fastest of a few, in milliseconds: concurrent commands slow the others down. */
  readonly roundTripMs: number;
  /** How far the server's clock is ahead of ours; accurate to half of that round trip. */
  readonly aheadMs: number;
}

/** Clocks of this process: wall-clock time and monotonic time, in milliseconds. */
export interface Clocks {
  readonly now: () => number;
  readonly elapsed: () => number;
}

const SAMPLES = 5;

/** Reads the server's time a few times: the first command also opens the connection. */
export const timeServer = async (
  inspected: InspectedDatabase,
  clocks: Clocks,
): Promise<ServerTime> => {
  let best: ServerTime = { roundTripMs: Infinity, aheadMs: 0 };
  for (let count = 0; count < SAMPLES; count += 1) {
    const next = await sample(inspected, clocks);
    if (next.roundTripMs < best.roundTripMs) best = next;
  }
  return best;
};

/** The response was sent half a round trip ago. */
const sample = async (
  inspected: InspectedDatabase,
  { now, elapsed }: Clocks,
): Promise<ServerTime> => {
  const sentAt = elapsed();
  const { localTime } = (await runCommand(inspected, { hello: 1 })) as {
    readonly localTime: Date;
  };
  const roundTripMs = elapsed() - sentAt;
  return { roundTripMs, aheadMs: localTime.getTime() - (now() - roundTripMs / 2) };
};
