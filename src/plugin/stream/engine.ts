import type { DomainEvent } from '../../domain/events.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { DeliveryResult, KeyAddress, Retry, StreamStore } from '../../ports/event-stream.js';
import type { Clock } from '../contract/clock.js';
import type { DeliveryOutcome, DurableSubscriber } from '../contract/contract.js';
import type { PluginLog } from '../contract/extension.js';
import type { DeliveryTraces } from './delivery-traces.js';
import type { Group, Job, Lane } from './lane.js';
import type { createLogCache } from './log-cache.js';
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
export interface Shared extends StreamParts {
  readonly plugins: readonly string[];
  readonly outage: Outage;
  readonly cache: ReturnType<typeof createLogCache>;
}

/** A job that has ended, with or without an attempt. */
export interface EndedJob {
  readonly job: Job;
  readonly result: DeliveryResult;
}

/** What the parts of one gateway's stream call of each other. Each part documents its functions. */
export interface Engine extends Shared {
  readonly partitions: {
    readonly tokenOf: (tenantId: TenantId) => number | undefined;
    readonly owned: () => readonly number[];
    readonly isTrusted: () => boolean;
  };
  readonly groups: {
    readonly lanes: () => Iterable<Lane>;
    readonly open: (plugin: string, tenantId: TenantId) => Group | undefined;
    readonly within: (partitions: ReadonlySet<number>) => readonly Group[];
    readonly close: (groups: readonly Group[], graceMs: number) => Promise<void>;
    readonly lose: (group: Group) => void;
    readonly queued: () => number;
  };
  readonly sender: {
    readonly ready: (lane: Lane) => void;
    readonly send: () => void;
    readonly ended: (of: (job: Job) => boolean, limitMs: number) => Promise<void>;
    readonly abort: (of: (job: Job) => boolean) => void;
  };
  readonly outcomes: {
    readonly attempted: (job: Job, outcome: DeliveryOutcome, ms: number) => void;
    readonly written: (ended: readonly EndedJob[]) => void;
    readonly isOverdue: (subscriber: DurableSubscriber, event: DomainEvent) => boolean;
    readonly giveUp: (job: Job) => void;
    readonly dropRetries: (key: KeyAddress) => void;
    readonly keyEnded: (lane: Lane | undefined, address: KeyAddress) => void;
    readonly expired: (lane: Lane, events: number) => void;
    readonly retryExpired: (retry: Retry) => void;
  };
  readonly results: {
    readonly add: (ended: EndedJob) => void;
    readonly write: (groups?: readonly Group[]) => Promise<boolean>;
    readonly writeSoon: () => void;
    readonly unwritten: () => number;
    readonly waiting: () => number;
  };
  readonly retries: {
    readonly poll: () => Promise<void>;
    readonly expect: (inMs: number) => void;
    readonly forget: (jobs: readonly Job[]) => void;
  };
}
