import type { TimedCreate } from './create-at-rate.js';
import type { SyncPlan, SyncResult } from './first-sync.js';
import type { FixtureName } from './fixtures.js';
import type { LoadStats } from './load-recorder.js';
import type { OperationName } from './operations.js';
import type { Attempt } from './send-checked.js';
import type { KnownGroup, Target } from './target.js';

/** The load generator, in a process of its own. */
export interface LoadMethods {
  /** Creates this many users: by POST, or by Bulk if they are many. */
  readonly fill: (params: FillParams) => Promise<LoadStats>;
  /** Reads a server's users, from which later runs choose. */
  readonly register: (params: RegisterParams) => Promise<void>;
  /** Creates a fixture if it does not exist. Resolves with the number of events. */
  readonly createFixture: (params: FixtureParams) => Promise<Attempt<number>>;
  readonly run: (params: RunParams) => Promise<LoadStats>;
  /** Checks a fixture after the runs. Resolves with the number of events. */
  readonly checkFixture: (params: FixtureParams) => Promise<Attempt<number>>;
  readonly createAtRate: (params: RateParams) => Promise<readonly TimedCreate[]>;
  /** Runs a first sync on a server without users. */
  readonly sync: (params: SyncParams) => Promise<Attempt<SyncResult>>;
  readonly checkSync: (params: SyncCheckParams) => Promise<Attempt<void>>;
}

interface FillParams {
  readonly target: Target;
  readonly size: number;
  readonly clients: number;
}

interface RegisterParams {
  readonly label: string;
  readonly target: Target;
  readonly size: number;
}

export interface FixtureParams {
  readonly label: string;
  readonly fixture: FixtureName;
}

interface RunParams {
  readonly label: string;
  readonly operation: OperationName;
  readonly fixture: FixtureName | undefined;
  readonly clients: number;
  readonly seconds: number;
}

interface RateParams {
  readonly label: string;
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
}

interface SyncParams {
  readonly target: Target;
  readonly clients: number;
  readonly plan: SyncPlan;
}

interface SyncCheckParams {
  readonly target: Target;
  readonly users: number;
  readonly groups: readonly KnownGroup[];
}
