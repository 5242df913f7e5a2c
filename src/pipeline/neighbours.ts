/** A tenant that was heard of so recently will be heard of again, in milliseconds. */
const RECENT_MS = 1_000;

interface Sighting {
  readonly lane: string;
  readonly at: number;
}

/** Who else has work for the lanes: whoever is alone may fill a transaction to its brim. */
export interface Neighbours {
  /** Whether another lane ran a batch a moment ago; notes that this one does now. */
  readonly meet: (lane: string) => boolean;
}

/** Two sightings tell of every lane whether there was another one. `now` in milliseconds. */
export const createNeighbours = (now: () => number): Neighbours => {
  let latest: Sighting | undefined;
  let before: Sighting | undefined;
  return {
    meet: (lane) => {
      const at = now();
      const other = latest?.lane === lane ? before : latest;
      if (latest?.lane !== lane) before = latest;
      latest = { lane, at };
      return other !== undefined && at - other.at <= RECENT_MS;
    },
  };
};
