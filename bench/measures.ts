import type { PeerName } from './contestants/contestant.js';
import type { Performance, Percentiles, Results, Round, SyncRound } from './run/results.js';
import { median, ratioOf } from '../tooling/statistics.js';

/** A number of the results that a target is about; undefined where it was not measured. */
export type Measure = (results: Results, size: number) => number | undefined;

const GATEWAY = 'rollgate';

/** A contestant's rounds of a workload, unless one of its answers was wrong. */
export const performanceOf = (
  { workloads }: Results,
  workload: string,
  peer: PeerName,
  size: number,
): Performance | undefined => {
  const result = workloads.find(({ id }) => id === workload);
  const found = result?.performances.find((each) => each.peer === peer && each.size === size);
  return found?.wrong || found?.rounds.length === 0 ? undefined : found;
};

const series = ({ rounds }: Performance, field: keyof Round): readonly number[] =>
  rounds.map((round) => round[field]);

/** Of two in the same rounds. */
export const ratioBetween = (
  one: Performance | undefined,
  other: Performance | undefined,
  field: keyof Round,
): number | undefined => one && other && ratioOf(series(one, field), series(other, field)).median;

/** The gateway's rate as a multiple of a peer's. */
export const rateOver =
  (workload: string, peer: PeerName): Measure =>
  (results, size) =>
    ratioBetween(
      performanceOf(results, workload, GATEWAY, size),
      performanceOf(results, workload, peer, size),
      'rate',
    );

/** A number of the gateway itself. */
export const ownMedian =
  (workload: string, field: keyof Round): Measure =>
  (results, size) => {
    const found = performanceOf(results, workload, GATEWAY, size);
    return found && median(series(found, field));
  };

const SMALL = 10_000;

/** The gateway in a large directory as a multiple of itself in the one of 10,000 users. */
export const growth =
  (workload: string, field: keyof Round): Measure =>
  (results, size) =>
    size <= SMALL
      ? undefined
      : ratioBetween(
          performanceOf(results, workload, GATEWAY, size),
          performanceOf(results, workload, GATEWAY, SMALL),
          field,
        );

/** One workload of the gateway as a multiple of another that shared its rounds. */
export const besides =
  (workload: string, other: string, field: keyof Round): Measure =>
  (results, size) =>
    ratioBetween(
      performanceOf(results, workload, GATEWAY, size),
      performanceOf(results, other, GATEWAY, size),
      field,
    );

/** The time of one operation of a Bulk as a multiple of that in a smaller one. */
export const operationTime =
  (large: number, small: number): Measure =>
  (results, size) => {
    const ratio = besides(`W7-${large}`, `W7-${small}`, 'p50')(results, size);
    return ratio === undefined ? undefined : ratio / (large / small);
  };

const startsOf = ({ starts }: Results, wanted: PeerName) =>
  starts.find(({ peer }) => peer === wanted);

/** The gateway's time to start as a multiple of a peer's. */
export const startOver =
  (peer: PeerName): Measure =>
  (results) => {
    const own = startsOf(results, GATEWAY);
    const other = startsOf(results, peer);
    return own && other && ratioOf(own.startMs, other.startMs).median;
  };

export const idleMemory: Measure = (results) => {
  const own = startsOf(results, GATEWAY);
  return own && median(own.idleRss);
};

/** Bounds are for as many users as this. */
const SYNCED = 10_000;

const syncsOf = ({ syncs }: Results, wanted: PeerName): readonly SyncRound[] | undefined => {
  const found = syncs.find(({ peer, users }) => peer === wanted && users === SYNCED);
  return !found || found.wrong || found.rounds.length === 0 ? undefined : found.rounds;
};

const fieldOf = (rounds: readonly SyncRound[], field: keyof SyncRound): readonly number[] =>
  rounds.map((round) => round[field]);

/** The gateway's wall time for a first sync as a multiple of a peer's. */
export const syncOver =
  (peer: PeerName): Measure =>
  (results) => {
    const own = syncsOf(results, GATEWAY);
    const other = syncsOf(results, peer);
    return own && other && ratioOf(fieldOf(own, 'wall'), fieldOf(other, 'wall')).median;
  };

/** A number of the gateway's own first sync. */
export const syncMedian =
  (field: keyof SyncRound): Measure =>
  (results) => {
    const own = syncsOf(results, GATEWAY);
    return own && median(fieldOf(own, field));
  };

export const deliveryTime =
  (percentile: keyof Percentiles): Measure =>
  ({ deliveries }) =>
    deliveries[0]?.afterAnswer[percentile];
