import { median, ratioOf } from '../shared/statistics.js';
import type {
  ConnectorRun,
  Percentiles,
  Performance,
  Results,
  Round,
  SyncRound,
} from './run/results.js';
import type { PeerName } from './servers/start-server.js';

/** A number that a target limits; undefined if it was not measured. */
export type Measure = (results: Results, size: number) => number | undefined;

const GATEWAY = 'rollgate';

/** A peer's rounds of a workload; undefined if one of its responses was wrong. */
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

/** The median ratio within the same rounds. */
export const ratioBetween = (
  one: Performance | undefined,
  other: Performance | undefined,
  field: keyof Round,
): number | undefined => one && other && ratioOf(series(one, field), series(other, field)).median;

/** The gateway's rate divided by a peer's. */
export const rateOver =
  (workload: string, peer: PeerName): Measure =>
  (results, size) =>
    ratioBetween(
      performanceOf(results, workload, GATEWAY, size),
      performanceOf(results, workload, peer, size),
      'rate',
    );

/** The gateway's own median. */
export const ownMedian =
  (workload: string, field: keyof Round): Measure =>
  (results, size) => {
    const found = performanceOf(results, workload, GATEWAY, size);
    return found && median(series(found, field));
  };

const SMALL = 10_000;

/** The gateway with many users divided by the gateway with 10,000. */
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

/** One workload of the gateway divided by another of the same family. */
export const ratioToWorkload =
  (workload: string, other: string, field: keyof Round): Measure =>
  (results, size) =>
    ratioBetween(
      performanceOf(results, workload, GATEWAY, size),
      performanceOf(results, other, GATEWAY, size),
      field,
    );

/** The time per operation of a large Bulk divided by that of a small one. */
export const operationTime =
  (large: number, small: number): Measure =>
  (results, size) => {
    const ratio = ratioToWorkload(`W7-${large}`, `W7-${small}`, 'p50')(results, size);
    return ratio === undefined ? undefined : ratio / (large / small);
  };

const startsOf = ({ starts }: Results, name: PeerName) => starts.find(({ peer }) => peer === name);

/** The gateway's start time divided by a peer's. */
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

/** The limits hold for this number of users. */
const SYNCED_USERS = 10_000;

const syncsOf = ({ syncs }: Results, name: PeerName): readonly SyncRound[] | undefined => {
  const found = syncs.find(({ peer, users }) => peer === name && users === SYNCED_USERS);
  return !found || found.wrong || found.rounds.length === 0 ? undefined : found.rounds;
};

/** A run of the connector with the most employees. */
export const connectorRun =
  (name: string, field: Exclude<keyof ConnectorRun, 'name'>): Measure =>
  ({ connectors }) =>
    connectors
      .toSorted((one, other) => other.employees - one.employees)[0]
      ?.runs.find((run) => run.name === name)?.[field];

const fieldOf = (rounds: readonly SyncRound[], field: keyof SyncRound): readonly number[] =>
  rounds.map((round) => round[field]);

/** The gateway's wall time of a first sync divided by a peer's. */
export const syncOver =
  (peer: PeerName): Measure =>
  (results) => {
    const own = syncsOf(results, GATEWAY);
    const other = syncsOf(results, peer);
    return own && other && ratioOf(fieldOf(own, 'wall'), fieldOf(other, 'wall')).median;
  };

/** The gateway's own median of first syncs. */
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
