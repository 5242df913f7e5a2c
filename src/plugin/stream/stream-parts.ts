import type { StreamStore } from '../../ports/event-stream.js';
import type { DurableSubscriber } from '../contract/contract.js';
import type { PluginLog } from '../contract/extension.js';
import type { DeliveryTraces } from './delivery-traces.js';
import type { Outage } from './outage.js';
import type { StreamLimits } from './stream-limits.js';

/** The heartbeats of the gateways on this database. */
interface Gateways {
  /** Ids of the living ones, this one included. */
  readonly living: () => readonly string[];
  /**
   * How often the others have thought this gateway dead and taken what it owned: another number, and
   * what is in memory is no longer its own. Undefined: they may think so now.
   */
  readonly timesEvicted: () => number | undefined;
}

export interface StreamParts {
  /** By the name of their plugin. */
  readonly subscribers: ReadonlyMap<string, DurableSubscriber>;
  readonly store: StreamStore;
  /** This gateway: a new UUID each time the process starts. */
  readonly owner: string;
  readonly gateways: Gateways;
  readonly databaseTime: () => Date;
  /** Whether commands wait. Absent: never. */
  readonly isBusy?: () => boolean;
  readonly log: PluginLog;
  readonly limits?: StreamLimits;
  /** Absent: deliveries are not traced. */
  readonly traces?: Pick<DeliveryTraces, 'trace'> | undefined;
}

/** What all parts of one gateway's stream get. */
export interface Shared extends StreamParts {
  readonly plugins: readonly string[];
  readonly isBusy: () => boolean;
  readonly limits: StreamLimits;
  readonly outage: Outage;
  /** Events that wait in memory, over all keys. */
  readonly memory: { queued: number };
}
