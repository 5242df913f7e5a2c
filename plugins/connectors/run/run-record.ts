import { randomBytes } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../../src/plugin/api.js';
import type { Tallies } from '../guard/effects.js';
import type { GuardFinding } from '../guard/find-dangers.js';
import type { ItemKind, PlanClass } from '../plan/plan-item.js';

export const RUN_MODES = ['full', 'delta', 'dates', 'ids'] as const;
/** `dates`: what the stored dates change today, without a read. `ids`: single records. */
export type RunMode = (typeof RUN_MODES)[number];

export const RUN_STATES = [
  'queued',
  'reading',
  'planning',
  'planned',
  'held',
  'approved',
  'applying',
  'done',
  'failed',
  'rejected',
  'expired',
  'superseded',
  'cancelled',
] as const;
/** `planned`: the end of a run that only plans. */
export type RunState = (typeof RUN_STATES)[number];

/** Runs that continue on any instance, should theirs end. */
export const OPEN_STATES = [
  'queued',
  'reading',
  'planning',
  'approved',
  'applying',
] as const satisfies readonly RunState[];
export type OpenState = (typeof OPEN_STATES)[number];

export const isOpen = <Run extends { readonly state: RunState }>(
  run: Run,
): run is Run & { readonly state: OpenState } =>
  (OPEN_STATES as readonly RunState[]).includes(run.state);

/** What a run has done so far. */
export interface RunCounts {
  /** Records that were read, with those that could not be. */
  readonly read: number;
  readonly staged: number;
  readonly unchanged: number;
  /** Items of the plan, by kind. */
  readonly planned: Readonly<Partial<Record<ItemKind, number>>>;
  readonly applied: number;
  readonly failed: number;
}

export const NO_COUNTS: RunCounts = {
  read: 0,
  staged: 0,
  unchanged: 0,
  planned: {},
  applied: 0,
  failed: 0,
};

/** The plan of a run, in short. */
export interface PlanSummary {
  readonly digest: string;
  readonly items: number;
  /** Of the items, those who leave. Absent: planned by an older version, and not applied any more. */
  readonly leavers?: number;
  readonly deactivations: number;
  readonly emailChanges: number;
  /** Absent: planned by an older version. */
  readonly tallies?: Tallies;
  readonly findings: readonly GuardFinding[];
  readonly warnings: readonly string[];
  readonly hasManagers: boolean;
  /** Absent: planned by an older version. */
  readonly outlook?: PlanOutlook;
  /** Of a full read before the connector's first success: the active users that no record stands for. */
  readonly onlyHere?: OnlyHere;
}

/** What the plan does to people, for those who approve it. */
export interface PlanOutlook {
  readonly classes: Readonly<Partial<Record<PlanClass, number>>>;
  /** Users who are missing, by the number of complete reads in a row; from `missingRuns` on they are deactivated. */
  readonly absences: Readonly<Record<string, number>>;
  readonly missingRuns: number;
  /** When those who are deferred are deactivated. */
  readonly deferredUntil?: string;
  /** Active users, and how many there may be. */
  readonly seats: {
    readonly before: number;
    readonly after: number;
    readonly capacity: number | null;
  };
}

export interface OnlyHere {
  readonly count: number;
  /** The first of them. */
  readonly users: readonly { readonly id: string; readonly name: string }[];
}

/** A run of a connector: what it did, and where it continues. */
export interface RunRecord {
  readonly id: string;
  readonly connector: string;
  readonly mode: RunMode;
  readonly trigger: 'schedule' | 'catch-up' | 'operator' | 'first' | 'upload';
  /** Ends with its plan. */
  readonly isPlanOnly: boolean;
  readonly ids?: readonly string[];
  readonly requestedBy: string | null;
  readonly state: RunState;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** How often an instance took it up. */
  readonly attempt: number;
  /** By the instance that continues it; null: it was handed back. */
  readonly takenUp?: TakeUp | null;
  /** The cursor that a delta started from. */
  readonly from: JsonValue;
  /** Where the read continues, and how far it had come there. */
  readonly checkpoint: ReadCheckpoint | null;
  /** The cursor of the next delta, once applied; absent: the read gave none. */
  readonly cursor?: JsonValue;
  readonly counts: RunCounts;
  readonly plan: PlanSummary | null;
  readonly heldAt: string | null;
  readonly expiresAt: string | null;
  readonly approvedBy: string | null;
  readonly approvedAt: string | null;
  /** An operator stops it: what is in progress ends, and nothing more begins. */
  readonly cancel?: { readonly by: string; readonly because: 'cancelled' | 'paused' };
  /** Why it failed, was rejected or superseded; for operators. */
  readonly message: string | null;
  /** What it leaves to look at. */
  readonly warnings: readonly string[];
}

/** Which instance continues a run, and where earlier ones ended without a word. */
export interface TakeUp {
  readonly instance: string;
  /** Where the last one ended; null: none did. */
  readonly diedAt: string | null;
  /** How often in a row they ended there. */
  readonly deaths: number;
}

export interface ReadCheckpoint {
  readonly cursor: JsonValue;
  readonly segment: number;
  readonly read: number;
  readonly duplicates: number;
  /** Records that could not be read and had no id: any user may be one of them. */
  readonly anonymousErrors: number;
  /** Why the first of them could not be read. */
  readonly firstError?: string;
  /** Which export a complete read has read. */
  readonly snapshot?: string;
  /** When the source wrote that. */
  readonly takenAt?: string;
  /** What all records of a complete read lack. */
  readonly warnings?: readonly string[];
}

/** What a connector remembers from run to run. */
export interface ConnectorMemory {
  readonly cursor: JsonValue;
  readonly cursorVersion: number;
  readonly lastFullAt: string | null;
  readonly lastDeltaAt: string | null;
  /** When the source wrote the newest export that was read; absent: it has not said. */
  readonly lastTakenAt?: string;
  /** The day for which dates were evaluated last. */
  readonly lastDatesOn: string | null;
  readonly lastRunAt: string | null;
  readonly lastRunId: string | null;
  readonly lastSuccessAt: string | null;
  /** Of runs, in a row. */
  readonly failures: number;
  /** The run that `failures` counted last: after a crash it fails again, and counts once. */
  readonly failedRunId?: string;
  /** When a run that failed for a passing reason is tried again. */
  readonly retryAt: string | null;
  readonly quarantinedAt: string | null;
  readonly quarantineReason: string | null;
  /** When the first deactivation that was deferred is carried out; absent or null: none was. */
  readonly deferredUntil?: string | null;
  /** What was deactivated and which addresses changed, for the guards of 24 hours. */
  readonly ledger: readonly LedgerEntry[];
}

export interface LedgerEntry extends Pick<
  PlanSummary,
  'deactivations' | 'emailChanges' | 'tallies'
> {
  readonly runId: string;
  readonly at: string;
}

export const NO_MEMORY: ConnectorMemory = {
  cursor: null,
  cursorVersion: 0,
  lastFullAt: null,
  lastDeltaAt: null,
  lastDatesOn: null,
  lastRunAt: null,
  lastRunId: null,
  lastSuccessAt: null,
  failures: 0,
  retryAt: null,
  quarantinedAt: null,
  quarantineReason: null,
  ledger: [],
};

/** What operators set. */
export interface ConnectorControl {
  readonly isPaused: boolean;
  readonly pausedBy: string | null;
  readonly pausedAt: string | null;
  /** A quarantine of the connector from before is over. */
  readonly resumedAt: string | null;
  /** Since when its schedule counts. */
  readonly seenAt: string | null;
}

export const NO_CONTROL: ConnectorControl = {
  isPaused: false,
  pausedBy: null,
  pausedAt: null,
  resumedAt: null,
  seenAt: null,
};

/** Whether the connector is in quarantine, which ends once an operator resumes it. */
export const isQuarantined = (
  { quarantinedAt }: ConnectorMemory,
  { resumedAt }: ConnectorControl,
): boolean => quarantinedAt !== null && (resumedAt ?? '') < quarantinedAt;

/** A record that could not be planned or applied. */
export interface QuarantinedRecord {
  readonly sourceId: string;
  readonly label: string;
  readonly code: string;
  readonly message: string;
  /** Of the record: another one is tried at once. */
  readonly hash: string;
  readonly data: JsonObject | null;
  readonly failures: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly runId: string;
  /** Null: not again by itself. */
  readonly nextAt: string | null;
  readonly isIgnored: boolean;
}

/** A run to start. */
export interface RunRequest extends Pick<RunRecord, 'mode' | 'trigger' | 'ids' | 'requestedBy'> {
  readonly isPlanOnly?: boolean;
}

/** The order of run ids is the order of time, newest first, so that lists need no sorting. */
const LATEST = 8_640_000_000_000_000;

export const newRun = (connector: string, request: RunRequest, at: Date): RunRecord => {
  const time = (LATEST - at.getTime()).toString(36).padStart(11, '0');
  return {
    isPlanOnly: false,
    ...request,
    id: `run-${time}-${randomBytes(3).toString('hex')}`,
    connector,
    state: 'queued',
    createdAt: at.toISOString(),
    startedAt: null,
    finishedAt: null,
    attempt: 0,
    from: null,
    checkpoint: null,
    counts: NO_COUNTS,
    plan: null,
    heldAt: null,
    expiresAt: null,
    approvedBy: null,
    approvedAt: null,
    message: null,
    warnings: [],
  };
};

const TIME = 'run-'.length + 11;

/** Whether the first one started later. */
export const isNewerRun = (runId: string, other: string): boolean =>
  runId.slice(0, TIME) < other.slice(0, TIME);
