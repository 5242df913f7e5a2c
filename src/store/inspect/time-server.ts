import { ask, type InspectedDatabase } from './inspect-database.js';

export interface ServerTime {
  /** The middle one of a few, in milliseconds. */
  readonly roundTripMs: number;
  /** How far the server's clock is ahead of ours; exact to half of the fastest round trip. */
  readonly aheadMs: number;
}

/** Clocks of this process: what time it is, and how much of it passes. Both in milliseconds. */
export interface Clocks {
  readonly now: () => number;
  readonly elapsed: () => number;
}

interface Sample {
  readonly tripMs: number;
  readonly aheadMs: number;
}

const SAMPLES = 5;

/** Asks the server for its time a few times: the first question pays for opening the connection. */
export const timeServer = async (
  inspected: InspectedDatabase,
  clocks: Clocks,
): Promise<ServerTime> => {
  const samples: Sample[] = [];
  for (let count = 0; count < SAMPLES; count += 1) samples.push(await sample(inspected, clocks));
  samples.sort((one, other) => one.tripMs - other.tripMs);
  return {
    roundTripMs: samples[Math.floor(SAMPLES / 2)]?.tripMs ?? 0,
    aheadMs: samples[0]?.aheadMs ?? 0,
  };
};

/** The answer was written half a round trip ago. */
const sample = async (inspected: InspectedDatabase, { now, elapsed }: Clocks): Promise<Sample> => {
  const asked = elapsed();
  const { localTime } = (await ask(inspected, { hello: 1 })) as {
    readonly localTime: Date;
  };
  const tripMs = elapsed() - asked;
  return { tripMs, aheadMs: localTime.getTime() - (now() - tripMs / 2) };
};
