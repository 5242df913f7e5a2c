import type { StreamStore } from '../../ports/event-stream.js';
import type { Clock } from '../contract/clock.js';
import type { DurableSubscriber } from '../contract/contract.js';
import type { PluginLog } from '../contract/extension.js';
import type { DeliveryTraces } from './delivery-traces.js';
import { createGroups } from './groups.js';
import { createLogCache } from './log-cache.js';
import { createOutage } from './outage.js';
import { createOutcomes } from './outcomes.js';
import { createPartitions, type Gateways } from './partitions.js';
import { createResults } from './results.js';
import { createRetries } from './retries.js';
import { createSender } from './sender.js';
import type { StreamLimits } from './stream-limits.js';

export interface StreamParts {
  /** By the name of their plugin. */
  readonly subscribers: ReadonlyMap<string, DurableSubscriber>;
  readonly store: StreamStore;
  /** This gateway: a new UUID each time the process starts. */
  readonly owner: string;
  readonly gateways: Gateways;
  readonly databaseTime: () => Date;
  readonly isBusy: () => boolean;
  readonly log: PluginLog;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly limits: StreamLimits;
  /** Absent: deliveries are not traced. */
  readonly traces?: Pick<DeliveryTraces, 'trace'> | undefined;
}

/** What all parts of the stream share. */
interface Shared extends StreamParts {
  readonly plugins: readonly string[];
  readonly outage: ReturnType<typeof createOutage>;
  readonly cache: ReturnType<typeof createLogCache>;
}

/** The parts of one gateway's stream, which call each other. */
export interface Engine extends Shared {
  readonly partitions: ReturnType<typeof createPartitions>;
  readonly groups: ReturnType<typeof createGroups>;
  readonly sender: ReturnType<typeof createSender>;
  readonly outcomes: ReturnType<typeof createOutcomes>;
  readonly results: ReturnType<typeof createResults>;
  readonly retries: ReturnType<typeof createRetries>;
}

/** Each part gets the engine before the others are there, and uses them only in its functions. */
export const createEngine = (parts: StreamParts): Engine => {
  const shared: Shared = {
    ...parts,
    plugins: [...parts.subscribers.keys()],
    cache: createLogCache(parts.store),
    outage: createOutage(parts.log, {
      began: 'The database does not respond; deliveries wait.',
      ended: 'The database responds again; deliveries resume.',
    }),
  };
  const engine = shared as Engine;
  return Object.assign(engine, {
    partitions: createPartitions(engine),
    groups: createGroups(engine),
    sender: createSender(engine),
    outcomes: createOutcomes(engine),
    results: createResults(engine),
    retries: createRetries(engine),
  });
};
