import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { RunBulk } from '../../src/domain/commands.js';
import { LIMITS, type Limits } from '../../src/domain/kernel/decider.js';
import type { NewEvent } from '../../src/domain/events.js';
import { roleOf } from '../../src/domain/user/user.js';
import { idOf } from '../support/builders.js';
import { type CommandResult, MemoryPipeline } from '../support/memory-core.js';
import {
  asModelEvents,
  asModelOutcome,
  expectConsistentLog,
  inComparableOrder,
  isRoleEvent,
  type ModelEvent,
  subjectOf,
  withoutRoleEvents,
} from '../support/histories/agreement.js';
import {
  anyCommand,
  KnownIds,
  type CommandFactory,
  initialCommands,
  type ModelCommand,
} from '../support/histories/model-commands.js';
import { stateInMemory, summaryOf } from '../support/histories/state.js';
import { propertyRuns } from '../support/property-runs.js';

// ── Input ────────────────────────────────────────────────────────────────────────────────────────

interface Step {
  /** Decided in one batch. */
  readonly makes: readonly CommandFactory[];
  /** Whether the command is previewed first. */
  readonly isPreviewed: boolean;
  /** Whether jobs finish before the next step, or run concurrently with it. */
  readonly isAwaited: boolean;
  /** Whether running jobs make a step first. */
  readonly isStepped: boolean;
}

interface History {
  readonly limits: Limits;
  readonly capacity: number | null;
  readonly roomProvisioning: 'manual' | 'automatic';
  readonly steps: readonly Step[];
}

/** The real limits, or small ones, with which a few members are a large change. */
const limits: fc.Arbitrary<Limits> = fc.oneof(
  fc.constant(LIMITS),
  fc.record({
    membersAtOnce: fc.integer({ min: 1, max: 3 }),
    changesAtOnce: fc.integer({ min: 4, max: 12 }),
    stepSize: fc.integer({ min: 1, max: 3 }),
  }),
);

const step: fc.Arbitrary<Step> = fc.record({
  makes: fc.oneof(
    { weight: 3, arbitrary: anyCommand.map((make) => [make]) },
    { weight: 1, arbitrary: fc.array(anyCommand, { minLength: 2, maxLength: 4 }) },
  ),
  isPreviewed: fc.boolean(),
  isAwaited: fc.nat(3).map((number) => number === 0),
  isStepped: fc.boolean(),
});

const history: fc.Arbitrary<History> = fc.record({
  limits,
  capacity: fc.option(fc.integer({ min: 3, max: 6 }), { freq: 3 }),
  roomProvisioning: fc.constantFrom('manual', 'automatic'),
  steps: fc.array(step, { minLength: 1, maxLength: 30, size: 'max' }),
});

// ── Execution ────────────────────────────────────────────────────────────────────────────────────

/**
 * Runs a history in batches with jobs, and each of its commands once more on a pipeline that
 * decides one at a time and completes it at once. Compares the results.
 */
class Comparison {
  readonly core: MemoryPipeline;
  /** One command per commit, and limits that no history reaches, so that there are no jobs. */
  readonly serial: MemoryPipeline;
  /** The commands so far, as JSON. */
  readonly commands: string[] = [];
  /**
   * Whether jobs ran between other commands, so that the order of events differs from the
   * serial one.
   */
  hasInterleaved = false;
  readonly #known: KnownIds;

  constructor(given: History) {
    let ids = 0x1000;
    this.#known = new KnownIds(() => idOf((ids += 1)));
    const { capacity: seatCapacity, roomProvisioning, limits: small } = given;
    const tenant = { seatCapacity, roomProvisioning };
    this.serial = new MemoryPipeline({ tenant });
    this.core = new MemoryPipeline({ tenant, limits: small });
  }

  async start(): Promise<void> {
    for (const command of initialCommands(this.#known)) await this.#run([command], true);
  }

  async step({ makes, isPreviewed, isAwaited, isStepped }: Step): Promise<void> {
    const commands = makes.map((make) => make(this.#known));
    if (this.core.hasJobs()) {
      this.hasInterleaved = true;
      if (isStepped) await this.core.step();
    }
    const isAlone = commands.length === 1;
    if (isAlone && isPreviewed) await this.#runPreviewed(commands[0]!, isAwaited);
    // The pipeline runs changes of settings alone (take-batch.ts).
    else if (commands.some(({ type }) => type === 'tenant.update'))
      for (const command of commands) await this.#run([command], isAwaited);
    else await this.#run(commands, isAwaited);
  }

  async finish(): Promise<void> {
    await this.core.finishJobs();
    const { store } = this.core;
    expect(summaryOf(stateInMemory(store))).toEqual(summaryOf(stateInMemory(this.serial.store)));
    expectConsistentLog(asModelEvents(store.events));
    if (!this.hasInterleaved)
      expect(store.events.filter((event) => !isRoleEvent(event))).toHaveLength(
        this.serial.store.events.filter((event) => !isRoleEvent(event)).length,
      );
  }

  /** A preview writes nothing and predicts the result of the command (pipeline-rules.md 5). */
  async #runPreviewed(command: ModelCommand, isAwaited: boolean): Promise<void> {
    const { store } = this.core;
    const [before, tenant] = [store.dump(), store.tenant!];
    const users = store.all('users');
    const preview = await this.core.preview(command);
    expect(isDeepStrictEqual(store.dump(), before)).toBe(true);
    const result = await this.#run([command], isAwaited, () => {
      const after = store.tenant!;
      expect(preview.seats).toEqual({
        capacity: after.seatCapacity,
        before: tenant.seatsProvisioned,
        after: after.seatsProvisioned,
      });
      const changes = users.flatMap((user) => {
        const now = store.all('users').find(({ id }) => id === user.id);
        const [from, to] = [roleOf(user, tenant), now ? roleOf(now, after) : undefined];
        // A change of the default role emits events but does not count as a role change of users.
        return to === undefined || from === to ? [] : [{ userId: user.id, from, to }];
      });
      if (command.type !== 'tenant.update')
        expect(new Set(preview.roleChanges)).toEqual(new Set(changes));
    });
    expect(preview.outcome).toEqual(result!.outcomeAtOnce);
    expect(preview.events).toEqual(result!.events);
    expect(preview.eventCount).toBe(result!.events.length);
  }

  async #run(
    commands: readonly ModelCommand[],
    isAwaited: boolean,
    whenDone: () => void = () => undefined,
  ): Promise<CommandResult | undefined> {
    this.commands.push(JSON.stringify(commands));
    const hadJobs = this.core.hasJobs();
    const isOne = commands.length === 1 && commands[0]?.type !== 'bulk';
    const results = await this.core.run(...commands);
    whenDone();
    const expected = await this.#runSerially(commands, results);
    const events = results.flatMap((result) => result.events);
    if (!hadJobs && !this.core.hasJobs()) this.#compareEvents(events, expected);
    else if (isAwaited || results.some(({ isPostponed }) => isPostponed))
      await this.#finishJobs(events, { expected, isAlone: isOne && !hadJobs });
    else this.hasInterleaved ||= hadJobs || !isOne;
    for (const [at, { isPostponed, rest }] of results.entries()) {
      if (rest) await this.#finishJobs([], { expected: [], isAlone: false });
      const remaining = isPostponed ? commands[at] : (rest as ModelCommand | undefined);
      if (remaining) await this.#run([remaining], true);
    }
    return results[0];
  }

  /** Runs the commands that were not postponed one by one, and compares the outcomes. */
  async #runSerially(commands: readonly ModelCommand[], results: readonly CommandResult[]) {
    const events: NewEvent[] = [];
    for (const [at, { outcome, isPostponed, rest }] of results.entries()) {
      const command = commands[at]!;
      if (isPostponed) {
        expect(this.core.hasJobs()).toBe(true);
        continue;
      }
      const alone = await this.serial.runOne(withoutRest(command, rest));
      expect(this.serial.hasJobs()).toBe(false);
      expect(asModelOutcome(command, outcome)).toEqual(asModelOutcome(command, alone.outcome));
      events.push(...alone.events);
    }
    return asModelEvents(events);
  }

  #compareEvents(events: readonly NewEvent[], expected: readonly ModelEvent[]): void {
    expect(inComparableOrder(asModelEvents(events))).toEqual(inComparableOrder(expected));
  }

  /** A job emits the same events in several steps. */
  async #finishJobs(
    events: readonly NewEvent[],
    { expected, isAlone }: { readonly expected: readonly ModelEvent[]; readonly isAlone: boolean },
  ): Promise<void> {
    const all = asModelEvents([...events, ...(await this.core.finishJobs())]);
    if (!isAlone) {
      this.hasInterleaved = true;
      return;
    }
    expect(withoutRoleEvents(all)).toEqual(withoutRoleEvents(expected));
    const subjects = new Set(all.filter(isRoleEvent).map(subjectOf));
    for (const event of expected.filter(isRoleEvent)) expect(subjects).toContain(subjectOf(event));
  }
}

/** The operations of a Bulk that ran before it had to wait for a job that it started. */
const withoutRest = (command: ModelCommand, rest: RunBulk | undefined): ModelCommand =>
  command.type === 'bulk' && rest
    ? { ...command, operations: command.operations.slice(0, -rest.operations.length) }
    : command;

const check = async (given: History): Promise<void> => {
  const comparison = new Comparison(given);
  try {
    await comparison.start();
    for (const one of given.steps) await comparison.step(one);
    await comparison.finish();
  } catch (error) {
    const commands = comparison.commands.slice(11).join('\n');
    throw new Error(`${JSON.stringify(given.limits)} ${String(given.capacity)}\n${commands}`, {
      cause: error,
    });
  }
};

/**
 * For a long run: `PROPERTY_RUNS=20000 npx vitest run test/pipeline/model.property.test.ts` (test/README.md).
 */
const RUNS = propertyRuns(1_500);
const { MODEL_PATH } = process.env;

describe('arbitrary commands in arbitrary batches, with concurrent jobs', () => {
  it(
    'produce the same outcomes, events and state as one command at a time without jobs',
    async () => {
      await fc.assert(fc.asyncProperty(history, check), {
        numRuns: RUNS,
        ...(MODEL_PATH === undefined ? {} : { path: MODEL_PATH }),
      });
    },
    60_000 + RUNS * 200,
  );
});
