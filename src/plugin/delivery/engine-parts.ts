import type { Clock } from '../contract/clock.js';
import type { DurableSubscriber } from '../contract/contract.js';
import type { DeliveryTraces } from './delivery-traces.js';
import type { PluginLog } from '../contract/plugin-log.js';
import type { EngineLimits } from './engine-limits.js';
import type { OutboxStore } from './outbox-store.js';

/** What the engine is made of. */
export interface EngineParts {
  /** By the name of their plugin. */
  readonly subscribers: ReadonlyMap<string, DurableSubscriber>;
  readonly store: OutboxStore;
  /** This instance, in every row that it holds: a new UUID each time the process starts. */
  readonly owner: string;
  /** Whether other instances run on the same database. */
  readonly otherInstancesAlive: () => boolean;
  /**
   * How often the others have thought this instance dead, and given its rows to any instance: another
   * number, and what is in memory is no longer its own. Undefined: they may think so now.
   */
  readonly timesExpired: () => number | undefined;
  /** Whether this instance is busy with commands: what was left for later gives way to them. */
  readonly isBusy: () => boolean;
  readonly log: PluginLog;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly limits: EngineLimits;
  /** Absent: deliveries are not traced. */
  readonly traces?: Pick<DeliveryTraces, 'trace'> | undefined;
}
