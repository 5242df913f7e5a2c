import type { DomainEvent } from '../../src/domain/events.js';
import { runSync } from '../../src/domain/kernel/chunked.js';
import type { OutboxRow } from '../../src/outbox/outbox-planner.js';
import type {
  Delivery,
  DeliveryOutcome,
  DurableSubscriber,
} from '../../src/plugin/contract/contract.js';
import {
  createDeliveryEngine,
  type DeliveryEngine,
} from '../../src/plugin/delivery/delivery-engine.js';
import { ENGINE_LIMITS, type EngineLimits } from '../../src/plugin/delivery/engine-parts.js';
import type { OutboxStore } from '../../src/outbox/outbox-claims.js';
import {
  createMemoryOutbox,
  type MemoryOutbox,
  type StoredRow,
} from '../contract/memory-outbox.js';
import { anEvent, type EventInput } from '../contract/outbox-fixtures.js';
import { aTenant } from '../support/builders.js';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.js';

/** An attempt, as the receiver saw it. */
export interface Seen {
  readonly at: number;
  readonly endedAt: number | undefined;
  readonly instance: string;
  readonly key: string;
  readonly id: string;
  readonly seq: number;
  readonly subject: string;
  readonly attempt: number;
  readonly outcome: DeliveryOutcome | undefined;
}

/** How a receiver takes an attempt. */
export type Behaviour = (
  delivery: Delivery,
  at: number,
) => { readonly ms: number; readonly outcome: DeliveryOutcome } | 'hangs' | Error;

export const DELIVERED = { kind: 'delivered' } as const satisfies DeliveryOutcome;
export const FAILED = {
  kind: 'failed',
  retry: true,
  reason: 'status 500',
} as const satisfies DeliveryOutcome;

export const answersIn =
  (ms: number, outcome: DeliveryOutcome = DELIVERED): Behaviour =>
  () => ({ ms, outcome });

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

export interface Instance {
  readonly engine: DeliveryEngine;
  readonly log: LogLine[];
  /** Fails every question to the database while it returns true. */
  isCutOff: boolean;
  /** Ends like a process that is killed: nothing of it runs any more, nothing is given back. */
  readonly kill: () => void;
}

export interface InstanceGiven {
  readonly name?: string;
  readonly hasPeers?: boolean;
  readonly limits?: Partial<EngineLimits>;
  readonly subscriber?: Partial<DurableSubscriber>;
  readonly random?: () => number;
  /** Whether the instance is busy with commands. */
  readonly isBusy?: () => boolean;
  readonly timesExpired?: () => number | undefined;
  /** How long the database takes to answer. */
  readonly databaseMs?: () => number;
}

/** Receivers, a database and gateways' engines, in a time of their own. */
export class EngineWorld {
  readonly clock: VirtualClock = createVirtualClock();
  readonly outbox: MemoryOutbox = createMemoryOutbox(() => this.clock.now());
  readonly seen: Seen[] = [];
  /** The keys that events are routed to. */
  keys: readonly string[] = ['alpha'];
  /** Keys that are no longer served. */
  readonly disabled = new Set<string>();
  readonly acknowledged: number[] = [];
  /** Methods of the store that fail for every instance. */
  readonly unanswered = new Set<keyof OutboxStore>();
  private readonly behaviours = new Map<string, Behaviour>();
  private seq = 0;

  behave(key: string, behaviour: Behaviour): void {
    this.behaviours.set(key, behaviour);
  }

  instance({
    name = 'instance-1',
    hasPeers = false,
    limits = {},
    subscriber = {},
    random = () => 0.5,
    isBusy = () => false,
    timesExpired = () => 0,
    databaseMs = () => 0,
  }: InstanceGiven = {}): Instance {
    const life = { isOver: false };
    const log: LogLine[] = [];
    const write = (level: LogLine['level']) => (fields: object, message: string) =>
      void log.push({ level, fields, message });
    const clock = {
      now: this.clock.now,
      after: (ms: number, run: () => void) =>
        this.clock.after(ms, () => {
          if (!life.isOver) run();
        }),
    };
    const instance: Instance = {
      log,
      isCutOff: false,
      kill: () => {
        life.isOver = true;
      },
      engine: createDeliveryEngine({
        subscribers: new Map([['tests', { ...this.subscriber(name, life), ...subscriber }]]),
        store: this.connect(() => instance.isCutOff, { life, databaseMs }),
        owner: name,
        otherInstancesAlive: () => hasPeers,
        log: {
          debug: write('debug'),
          info: write('info'),
          warn: write('warn'),
          error: write('error'),
        },
        clock,
        random,
        isBusy,
        timesExpired,
        limits: { ...ENGINE_LIMITS, ...limits },
      }),
    };
    return instance;
  }

  /** Past the first lease of a process, in which it looks for rows of a predecessor. */
  async settled(given: InstanceGiven = {}): Promise<Instance> {
    const instance = this.instance(given);
    instance.engine.start();
    await this.clock.advance(70_000);
    return instance;
  }

  /** Events in order of the log, one for each subject that is named. */
  events(...subjects: readonly (string | Omit<EventInput, 'seq'>)[]): readonly DomainEvent[] {
    return subjects.map((subject) => {
      this.seq += 1;
      return anEvent({
        ...(typeof subject === 'string' ? { subject } : subject),
        seq: this.seq,
      });
    });
  }

  many(
    count: number,
    subjectOf = (index: number): string => `user-${index}`,
  ): readonly DomainEvent[] {
    return this.events(...Array.from({ length: count }, (_, index) => subjectOf(index)));
  }

  plan(instance: Instance, events: readonly DomainEvent[]): readonly OutboxRow[] {
    return runSync(instance.engine.plan(aTenant(), events, new Date(this.clock.now())));
  }

  /** What the pipeline does for a batch that succeeds. */
  commit(instance: Instance, events: readonly DomainEvent[]): readonly OutboxRow[] {
    const rows = this.plan(instance, events);
    this.outbox.insert(rows, events);
    instance.engine.committed(rows, events);
    return rows;
  }

  rows(): readonly StoredRow[] {
    return this.outbox.rows();
  }

  /** How many events are in each state, as rows or in spans. */
  states(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    const count = (state: string, events: number): void => {
      counts[state] = (counts[state] ?? 0) + events;
    };
    for (const { state } of this.rows()) count(state, 1);
    for (const { state, left } of this.outbox.spans()) count(state, left);
    return counts;
  }

  /** The events whose attempts began, in that order. */
  seqs(key = 'alpha'): readonly number[] {
    return this.seen.filter((seen) => seen.key === key).map(({ seq }) => seq);
  }

  private subscriber(name: string, life: { readonly isOver: boolean }): DurableSubscriber {
    return {
      prepare: () => undefined,
      route: () => this.keys,
      serving: (_tenantId, keys) =>
        Promise.resolve(new Set(keys.filter((key) => !this.disabled.has(key)))),
      deliver: (delivery, signal) => this.receive(delivery, signal, { name, life }),
      retrySchedule: [5_000, 30_000, 120_000],
      concurrencyPerKey: 8,
    };
  }

  private async receive(
    delivery: Delivery,
    signal: AbortSignal,
    { name, life }: { readonly name: string; readonly life: { readonly isOver: boolean } },
  ): Promise<DeliveryOutcome> {
    const { id, key, event, attempt } = delivery;
    const behaviour = this.behaviours.get(key) ?? answersIn(1);
    const answer = behaviour(delivery, this.clock.now());
    const seen = {
      at: this.clock.now(),
      endedAt: undefined as number | undefined,
      outcome: undefined as DeliveryOutcome | undefined,
      instance: name,
      key,
      id,
      seq: event.seq,
      subject: event.resource.id,
      attempt,
    };
    this.seen.push(seen);
    if (answer instanceof Error) throw answer;
    if (answer === 'hangs') return new Promise(() => undefined);
    return new Promise((resolve) => {
      const end = (outcome: DeliveryOutcome): void => {
        if (seen.endedAt !== undefined) return;
        seen.endedAt = this.clock.now();
        seen.outcome = outcome;
        if (!life.isOver) resolve(outcome);
      };
      this.clock.after(answer.ms, () => end(answer.outcome));
      signal.addEventListener('abort', () => end({ ...FAILED, reason: 'aborted' }));
    });
  }

  /** The database as one instance sees it: with a delay, away, or gone with the instance. */
  private connect(
    isCutOff: () => boolean,
    { life, databaseMs }: { readonly life: { readonly isOver: boolean }; databaseMs: () => number },
  ): OutboxStore {
    const wait = async (ms: number): Promise<void> =>
      ms === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            this.clock.after(ms, resolve);
          });
    const never = new Promise<never>(() => undefined);
    const hasEnded = (): boolean => life.isOver;
    const remote =
      <Args extends readonly unknown[], Result>(
        name: keyof OutboxStore,
        ask: (...args: Args) => Promise<Result>,
      ) =>
      async (...args: Args): Promise<Result> => {
        await wait(databaseMs());
        if (hasEnded()) return never;
        if (isCutOff() || this.unanswered.has(name)) throw new Error('The database is away.');
        const result = await ask(...args);
        await wait(databaseMs());
        return hasEnded() ? never : result;
      };
    const { outbox } = this;
    return {
      claimDue: remote('claimDue', outbox.claimDue),
      expand: remote('expand', outbox.expand),
      acknowledge: remote('acknowledge', async (batch) => {
        this.acknowledged.push(batch.length);
        return outbox.acknowledge(batch);
      }),
      release: remote('release', outbox.release),
      endWaiting: remote('endWaiting', outbox.endWaiting),
      earliestUnsent: remote('earliestUnsent', outbox.earliestUnsent),
      readEvents: remote('readEvents', outbox.readEvents),
      readLog: remote('readLog', outbox.readLog),
      counts: remote('counts', outbox.counts),
    };
  }
}
