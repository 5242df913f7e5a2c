import type { Clock, PluginLog, Tenant } from '../../../src/plugin/api.js';
import type { ConfiguredConnector } from '../../../src/plugin/connectors-api.js';
import type { CompiledConnector } from '../compile-connector.js';
import type { ConnectorStore } from './connector-store.js';
import type { Gateway } from './gateway.js';
import type { RunCounts, RunRecord } from './run-record.js';
import type { StoredRun } from './stored-runs.js';

/** What an instance needs to take a run as far as it gets. */
export interface AttemptParts {
  readonly configured: ConfiguredConnector;
  readonly compiled: CompiledConnector;
  readonly tenant: Tenant;
  /** Its writes are refused once the lease of the run has ended. */
  readonly store: ConnectorStore;
  readonly gateway: Gateway;
  readonly log: PluginLog;
  /** Of this service, as long as it lives. */
  readonly instance: string;
  /** Aborts if the gateway stops or the lease is lost. */
  readonly signal: AbortSignal;
  /** Aborts once an operator has cancelled the run: what has begun ends, and nothing more begins. */
  readonly stop: AbortSignal;
  readonly clock: Clock;
  readonly now: () => Date;
  /** The machine's own time, to find out that a clock is wrong. */
  readonly machineNow: () => Date;
  readonly onProgress: (counts: RunCounts) => void;
}

/** An attempt at a run: what its steps work with. */
export interface Attempt extends AttemptParts {
  readonly run: StoredRun;
  /** Whether it has done nothing yet: what an earlier attempt did last may not be counted. */
  readonly isTakenUp: boolean;
  /** Stores how far the step has come. */
  readonly save: (changed: Partial<Omit<RunRecord, 'state'>>) => Promise<void>;
}

/** A read or a plan that is cancelled ends at once: it has changed nothing. */
export const endsEither = ({ signal, stop }: Attempt): AbortSignal =>
  AbortSignal.any([signal, stop]);
