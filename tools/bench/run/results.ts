import type { PeerName } from '../servers/start-server.js';

/** One server in one round. Times in milliseconds, memory in megabytes. */
export interface Round {
  /** Correct responses per second. */
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU of the server per request, including its deliveries. */
  readonly cpu: number;
  /** CPU of mongod per request. */
  readonly databaseCpu: number;
  readonly rss: number;
}

export interface Performance {
  readonly peer: PeerName;
  readonly size: number;
  readonly label: string;
  readonly rounds: readonly Round[];
}

export interface WorkloadResult {
  readonly id: string;
  readonly title: string;
  readonly performances: readonly Performance[];
}

/** Starts of a process with the database running. */
export interface Starts {
  readonly peer: PeerName;
  readonly startMs: readonly number[];
  /** Two seconds later, without requests. */
  readonly idleRss: readonly number[];
}

/** One first sync in a new process. */
export interface SyncRound {
  /** Seconds until the last response. */
  readonly wall: number;
  /** CPU seconds of the server, including its deliveries. */
  readonly cpu: number;
  /** CPU seconds of mongod. */
  readonly databaseCpu: number;
  /** Peak resident memory of the process, in megabytes. */
  readonly peak: number;
}

export interface Syncs {
  readonly peer: PeerName;
  readonly users: number;
  readonly rounds: readonly SyncRound[];
}

/** How fast a backlog of deliveries was received. CPU per delivery in microseconds. */
export interface DrainRound {
  readonly rate: number;
  /** Of the sending process. */
  readonly cpuMicros: number;
  readonly databaseMicros: number;
}

export interface Drains {
  readonly name: string;
  readonly deliveries: number;
  readonly rounds: readonly DrainRound[];
}

/** One run of a connector. CPU in seconds, memory in megabytes. */
export interface ConnectorRun {
  readonly name: string;
  /** Seconds from the request to the end of the run. */
  readonly wall: number;
  /** Employees read per second of it. */
  readonly rate: number;
  /** Of the gateway, including deliveries during the run. */
  readonly cpu: number;
  readonly databaseCpu: number;
  /** Peak resident memory during the run. */
  readonly peak: number;
  /** Statements that wrote to the collection of users. */
  readonly userWrites: number;
}

export interface ConnectorRuns {
  readonly employees: number;
  readonly runs: readonly ConnectorRun[];
}

export interface Results {
  readonly starts: readonly Starts[];
  readonly syncs: readonly Syncs[];
  readonly workloads: readonly WorkloadResult[];
  readonly drains: readonly Drains[];
  readonly connectors: readonly ConnectorRuns[];
}
