import type { Tried } from './ask.js';
import type { Synced, SyncPlan } from './first-sync.js';
import type { Paced } from './pace-requests.js';
import type { SceneName } from './scenes.js';
import type { Tallied } from './tally.js';
import type { KnownGroup, Target } from './target.js';
import type { WorkName } from './works.js';

/** What this process does for the benchmark, in a process of its own beside the contestants. */
export interface LoadMethods {
  /** Makes this many users by POST. */
  readonly fill: (fill: Fill) => Promise<Tallied>;
  /** Reads the directory, which later runs choose from and are checked against. */
  readonly meet: (meeting: Meeting) => Promise<void>;
  /** Makes a scene where it is not yet; the number of events that this was. */
  readonly setScene: (setting: SceneSetting) => Promise<Tried<number>>;
  readonly run: (run: Run) => Promise<Tallied>;
  /** Looks at the scene after the runs; the number of events that this was. */
  readonly checkScene: (setting: SceneSetting) => Promise<Tried<number>>;
  readonly pace: (pace: Pace) => Promise<readonly Paced[]>;
  /** Brings over an organisation into a directory that is empty. */
  readonly sync: (sync: Sync) => Promise<Tried<Synced>>;
  readonly checkSync: (check: SyncCheck) => Promise<Tried<void>>;
}

export interface Fill {
  readonly target: Target;
  readonly size: number;
  readonly clients: number;
}
export interface Meeting {
  readonly label: string;
  readonly target: Target;
  readonly size: number;
}
export interface SceneSetting {
  readonly label: string;
  readonly scene: SceneName;
}
export interface Run {
  readonly label: string;
  readonly work: WorkName;
  readonly scene: SceneName | undefined;
  readonly clients: number;
  readonly seconds: number;
}
export interface Pace {
  readonly label: string;
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
}

export interface Sync {
  readonly target: Target;
  readonly clients: number;
  readonly plan: SyncPlan;
}
export interface SyncCheck {
  readonly target: Target;
  readonly users: number;
  readonly groups: readonly KnownGroup[];
}
