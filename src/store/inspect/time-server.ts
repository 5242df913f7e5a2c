import { ask, type InspectedDatabase } from './inspect-database.js';

export interface ServerTime {
  /** The fastest of a few, in milliseconds: what is asked at the same time slows the others. */
  readonly roundTripMs: number;
  /** How far the server's clock is ahead of ours; exact to half of that round trip. */
  readonly aheadMs: number;
}

/** Clocks of this process: what time it is, and how much of it passes. Both in milliseconds. */
export interface Clocks {
  readonly now: () => number;
  readonly elapsed: () => number;
}

const SAMPLES = 5;

/** Asks the server for its time a few times: the first question pays for opening the connection. */
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

/** The answer was written half a round trip ago. */
const sample = async (
  inspected: InspectedDatabase,
  { now, elapsed }: Clocks,
): Promise<ServerTime> => {
  const asked = elapsed();
  const { localTime } = (await ask(inspected, { hello: 1 })) as {
    readonly localTime: Date;
  };
  const roundTripMs = elapsed() - asked;
  return { roundTripMs, aheadMs: localTime.getTime() - (now() - roundTripMs / 2) };
};
