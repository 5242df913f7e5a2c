import type { PeerName } from '../contestants/contestant.js';
import type { Wrong } from '../load/tally.js';

/** One contestant's turn in one round. Times in milliseconds, memory in megabytes. */
export interface Round {
  /** Right answers a second. */
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU of the contestant for each request, with what it owes for it afterwards. */
  readonly cpu: number;
  /** CPU of mongod for each request. */
  readonly databaseCpu: number;
  readonly rss: number;
}

/** Whose numbers they are. */
export interface Named {
  readonly peer: PeerName;
  readonly size: number;
  readonly label: string;
}

export interface Performance extends Named {
  readonly rounds: readonly Round[];
  /** Then the rounds mean nothing. */
  readonly wrong?: Wrong;
}

export interface WorkloadResult {
  readonly id: string;
  readonly title: string;
  readonly performances: readonly Performance[];
}

/** Starts of a process with an empty directory, the database being up. */
export interface Starts {
  readonly peer: PeerName;
  readonly startMs: readonly number[];
  /** Some seconds later, nothing having been asked. */
  readonly idleRss: readonly number[];
}

/** One first sync of a contestant in a fresh process. */
export interface SyncRound {
  /** Seconds until the last answer. */
  readonly wall: number;
  /** Seconds of CPU of the contestant, until the last delivery that it owes. */
  readonly cpu: number;
  /** Seconds of CPU of mongod meanwhile. */
  readonly databaseCpu: number;
  /** The most memory that the process ever had, in megabytes. */
  readonly peak: number;
}

export interface Syncs {
  readonly peer: PeerName;
  /** How many were brought over. */
  readonly users: number;
  readonly rounds: readonly SyncRound[];
  /** Then the rounds mean nothing. */
  readonly wrong?: Wrong;
}

/** How long after a change its delivery arrived. */
export interface DeliveryTimes {
  readonly label: string;
  readonly events: number;
  /** From the 201 at the caller, which the commit comes before. */
  readonly afterAnswer: Percentiles;
  /** From the request, so with the whole commit. */
  readonly afterRequest: Percentiles;
}

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

/** How fast a backlog of deliveries was received; CPU for each, in microseconds. */
export interface DrainRound {
  readonly rate: number;
  /** Of the process that sends. */
  readonly cpuMicros: number;
  readonly databaseMicros: number;
}

export interface Drains {
  readonly name: string;
  readonly deliveries: number;
  readonly rounds: readonly DrainRound[];
}

export interface Results {
  readonly starts: readonly Starts[];
  readonly syncs: readonly Syncs[];
  readonly workloads: readonly WorkloadResult[];
  readonly deliveries: readonly DeliveryTimes[];
  readonly drains: readonly Drains[];
}
