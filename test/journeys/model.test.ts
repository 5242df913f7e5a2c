import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { RunBulk } from '../../src/domain/commands.js';
import { type Limits, LIMITS } from '../../src/domain/decide/limits.js';
import type { NewEvent } from '../../src/domain/events.js';
import { roleOf } from '../../src/domain/user.js';
import { applyUserPatch } from '../../src/scim/patch/apply-patch.js';
import { idOf } from '../support/builders.js';
import { type Answer, MemoryCore } from '../support/memory-core.js';
import {
  asModelEvents,
  asModelOutcome,
  expectSoundLog,
  inAgreedOrder,
  isRoleEvent,
  subjectOf,
  withoutRoles,
} from '../support/reference/agreement.js';
import { anyCommand, Cast, type Make, opening } from '../support/reference/model-commands.js';
import {
  type ModelCommand,
  type ModelEvent,
  ReferenceOrganisation,
} from '../support/reference/organisation.js';
import { summaryOfReference, summaryOfStock } from '../support/reference/state.js';

// ── What is asked ────────────────────────────────────────────────────────────────────────────────

interface Turn {
  /** Decided in one batch. */
  readonly makes: readonly Make[];
  /** Whether a preview is asked for before. */
  readonly isPreviewed: boolean;
  /** Whether jobs are done before anything else is asked, or go on beside it. */
  readonly isAwaited: boolean;
  /** Whether jobs that are under way go a step further before. */
  readonly isStepped: boolean;
}

interface Play {
  readonly limits: Limits;
  readonly capacity: number | null;
  readonly roomProvisioning: 'manual' | 'automatic';
  readonly turns: readonly Turn[];
}

/** Small, so that a handful of members is a large change; or the real ones, so that none is. */
const limits: fc.Arbitrary<Limits> = fc.oneof(
  fc.constant(LIMITS),
  fc.record({
    membersAtOnce: fc.integer({ min: 1, max: 3 }),
    changesAtOnce: fc.integer({ min: 4, max: 12 }),
    stepSize: fc.integer({ min: 1, max: 3 }),
  }),
);

const turn: fc.Arbitrary<Turn> = fc.record({
  makes: fc.oneof(
    { weight: 3, arbitrary: anyCommand.map((make) => [make]) },
    { weight: 1, arbitrary: fc.array(anyCommand, { minLength: 2, maxLength: 4 }) },
  ),
  isPreviewed: fc.boolean(),
  isAwaited: fc.nat(3).map((number) => number === 0),
  isStepped: fc.boolean(),
});

const play: fc.Arbitrary<Play> = fc.record({
  limits,
  capacity: fc.option(fc.integer({ min: 3, max: 6 }), { freq: 3 }),
  roomProvisioning: fc.constantFrom('manual', 'automatic'),
  turns: fc.array(turn, { minLength: 1, maxLength: 30, size: 'max' }),
});

// ── What comes of it ─────────────────────────────────────────────────────────────────────────────

/** One sequence: what is asked goes to the product and to the reference, and must come to the same. */
class Performance {
  readonly core: MemoryCore;
  readonly reference: ReferenceOrganisation;
  readonly said: string[] = [];
  /** Jobs went on beside other commands: what happened when is no more the reference's. */
  hasInterleaved = false;
  readonly #cast: Cast;

  constructor(given: Play) {
    let ids = 0x1000;
    this.#cast = new Cast(() => idOf((ids += 1)));
    const { capacity, roomProvisioning } = given;
    this.reference = new ReferenceOrganisation(capacity, 'member', roomProvisioning);
    this.core = new MemoryCore({
      tenant: { seatCapacity: capacity, roomProvisioning },
      rules: { applyPatch: applyUserPatch },
      limits: given.limits,
    });
  }

  async open(): Promise<void> {
    for (const command of opening(this.#cast)) await this.#perform([command], true);
  }

  async play({ makes, isPreviewed, isAwaited, isStepped }: Turn): Promise<void> {
    const commands = makes.map((make) => make(this.#cast));
    if (this.core.hasJobs()) {
      this.hasInterleaved = true;
      if (isStepped) await this.core.step();
    }
    const isAlone = commands.length === 1;
    if (isAlone && isPreviewed) await this.#performPreviewed(commands[0]!, isAwaited);
    // Settings are changed alone, as in every batch (take-batch.ts).
    else if (commands.some(({ type }) => type === 'tenant.update'))
      for (const command of commands) await this.#perform([command], isAwaited);
    else await this.#perform(commands, isAwaited);
  }

  async end(): Promise<void> {
    await this.core.finishJobs();
    const { store } = this.core;
    expect(summaryOfStock(this.#stock)).toEqual(summaryOfReference(this.reference));
    expectSoundLog(asModelEvents(store.events));
    if (!this.hasInterleaved)
      expect(store.events.filter((event) => !isRoleEvent(event))).toHaveLength(
        this.reference.events.filter((event) => !isRoleEvent(event)).length,
      );
  }

  get #stock() {
    const { store } = this.core;
    return {
      tenant: store.tenant!,
      users: store.all('users'),
      rooms: store.all('rooms'),
      groups: store.all('groups'),
      memberships: store.all('memberships'),
      roleMappings: store.all('roleMappings'),
      jobs: store.all('jobs'),
      jobParts: store.all('jobParts'),
    };
  }

  /** A preview writes nothing and says what the command then comes to (pipeline-rules.md 5). */
  async #performPreviewed(command: ModelCommand, isAwaited: boolean): Promise<void> {
    const { store } = this.core;
    const [before, tenant] = [store.dump(), store.tenant!];
    const users = store.all('users');
    const preview = await this.core.preview(command);
    expect(isDeepStrictEqual(store.dump(), before)).toBe(true);
    const answer = await this.#perform([command], isAwaited, () => {
      const after = store.tenant!;
      expect(preview.seats).toEqual({
        capacity: after.seatCapacity,
        before: tenant.seatsProvisioned,
        after: after.seatsProvisioned,
      });
      const changes = users.flatMap((user) => {
        const now = store.all('users').find(({ id }) => id === user.id);
        const [from, to] = [roleOf(user, tenant), now ? roleOf(now, after) : undefined];
        // Where the default role changes, users are told, not written: it is no change of theirs.
        return to === undefined || from === to ? [] : [{ userId: user.id, from, to }];
      });
      if (command.type !== 'tenant.update')
        expect(new Set(preview.roleChanges)).toEqual(new Set(changes));
    });
    expect(preview.outcome).toEqual(answer!.outcomeAtOnce);
    expect(preview.events).toEqual(answer!.events);
    expect(preview.eventCount).toBe(answer!.events.length);
  }

  async #perform(
    commands: readonly ModelCommand[],
    isAwaited: boolean,
    whenDone: () => void = () => undefined,
  ): Promise<Answer | undefined> {
    this.said.push(JSON.stringify(commands));
    const hadJobs = this.core.hasJobs();
    const isOne = commands.length === 1 && commands[0]?.type !== 'bulk';
    const answers = await this.core.run(...commands);
    whenDone();
    const expected = this.#referenceOn(commands, answers);
    const events = answers.flatMap((answer) => answer.events);
    if (!hadJobs && !this.core.hasJobs()) this.#compareEvents(events, expected);
    else if (isAwaited || answers.some(({ isPostponed }) => isPostponed))
      await this.#finish(events, { expected, isAlone: isOne && !hadJobs });
    else this.hasInterleaved ||= !isOne;
    for (const [at, { isPostponed, rest }] of answers.entries()) {
      if (rest) await this.#finish([], { expected: [], isAlone: false });
      const left = isPostponed ? commands[at] : (rest as ModelCommand | undefined);
      if (left) await this.#perform([left], true);
    }
    return answers[0];
  }

  /** The reference does what was not postponed, and must come to the same answers. */
  #referenceOn(commands: readonly ModelCommand[], answers: readonly Answer[]) {
    const from = this.reference.events.length;
    for (const [at, { outcome, isPostponed, rest }] of answers.entries()) {
      const command = commands[at]!;
      if (isPostponed) expect(this.core.hasJobs()).toBe(true);
      else
        expect(asModelOutcome(command, outcome)).toEqual(
          this.reference.run(asFarAsDone(command, rest)),
        );
    }
    return this.reference.events.slice(from);
  }

  #compareEvents(events: readonly NewEvent[], expected: readonly ModelEvent[]): void {
    expect(inAgreedOrder(asModelEvents(events))).toEqual(inAgreedOrder(expected));
  }

  /** A job brings the same events in pieces. */
  async #finish(
    events: readonly NewEvent[],
    { expected, isAlone }: { readonly expected: readonly ModelEvent[]; readonly isAlone: boolean },
  ): Promise<void> {
    const all = asModelEvents([...events, ...(await this.core.finishJobs())]);
    if (!isAlone) {
      this.hasInterleaved = true;
      return;
    }
    expect(withoutRoles(all)).toEqual(withoutRoles(expected));
    const told = new Set(all.filter(isRoleEvent).map(subjectOf));
    for (const event of expected.filter(isRoleEvent)) expect(told).toContain(subjectOf(event));
  }
}

/** A Bulk is as long as what was done of it before it had to wait for a job that it begins. */
const asFarAsDone = (command: ModelCommand, rest: RunBulk | undefined): ModelCommand =>
  command.type === 'bulk' && rest
    ? { ...command, operations: command.operations.slice(0, -rest.operations.length) }
    : command;

const agrees = async (given: Play): Promise<void> => {
  const performance = new Performance(given);
  try {
    await performance.open();
    for (const one of given.turns) await performance.play(one);
    await performance.end();
  } catch (error) {
    const said = performance.said.slice(11).join('\n');
    throw new Error(`${JSON.stringify(given.limits)} ${String(given.capacity)}\n${said}`, {
      cause: error,
    });
  }
};

/** `MODEL_RUNS=20000 npx vitest run test/journeys/model.test.ts` for the long form; test/README.md. */
const RUNS = Number(process.env.MODEL_RUNS ?? 1_500);
const { MODEL_SEED, MODEL_PATH } = process.env;

describe('any commands from any source, in any batches, with jobs beside them', () => {
  it(
    'come to what the document says, answer by answer and event by event',
    async () => {
      await fc.assert(fc.asyncProperty(play, agrees), {
        numRuns: RUNS,
        ...(MODEL_SEED === undefined ? {} : { seed: Number(MODEL_SEED) }),
        ...(MODEL_PATH === undefined ? {} : { path: MODEL_PATH }),
      });
    },
    60_000 + RUNS * 200,
  );
});
