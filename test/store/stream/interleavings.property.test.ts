import fc from 'fast-check';
import type { mongo } from 'mongoose';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { TenantId } from '../../../src/domain/kernel/ids.js';
import type { StreamLimits } from '../../../src/plugin/stream/stream-limits.js';
import { useDatabase } from '../../support/core.js';
import { eventually } from '../../support/eventually.js';
import { DELIVERED, FAILED, type Gateway, type Seen, StreamWorld } from './stream-world.js';

/** A batch that one of the gateways commits. */
interface Step {
  readonly by: number;
  readonly tenant: number;
  readonly resources: readonly number[];
  readonly pauseMs: number;
  /** Whether the gateway does not hear that it was made. */
  readonly isUnheard: boolean;
}

interface Scenario {
  readonly gateways: number;
  readonly keys: number;
  readonly steps: readonly Step[];
  /** How long attempts and answers of the database take, drawn in turn. */
  readonly attemptMs: readonly number[];
  readonly databaseMs: readonly number[];
  readonly limits: Partial<StreamLimits>;
}

const stepOf = (gateways: number): fc.Arbitrary<Step> =>
  fc.record({
    by: fc.nat(gateways - 1),
    tenant: fc.nat(1),
    resources: fc.array(fc.nat(2), { minLength: 1, maxLength: 9 }),
    pauseMs: fc.constantFrom(0, 0, 3, 20, 60),
    isUnheard: fc.constantFrom(false, false, false, true),
  });

/** Little room, so that lanes often have to read the log again. */
const someLimits: fc.Arbitrary<Partial<StreamLimits>> = fc.record({
  readAhead: fc.constantFrom(1, 3, 256),
  maxQueued: fc.constantFrom(1, 4_096),
  maxAttempts: fc.constantFrom(2, 64),
  maxUnsettled: fc.constantFrom(3, 256),
  slotsForIdleKeys: fc.constantFrom(0, 1),
  writeResults: fc.constantFrom(1, 64),
  idleMs: fc.constantFrom(50, 60_000),
});

const scenario: fc.Arbitrary<Scenario> = fc.integer({ min: 1, max: 3 }).chain((gateways) =>
  fc.record({
    gateways: fc.constant(gateways),
    keys: fc.integer({ min: 1, max: 3 }),
    steps: fc.array(stepOf(gateways), { minLength: 1, maxLength: 12 }),
    attemptMs: fc.array(fc.constantFrom(0, 1, 5, 40), { minLength: 1, maxLength: 8 }),
    databaseMs: fc.array(fc.constantFrom(0, 0, 1, 5, 15), { minLength: 1, maxLength: 8 }),
    limits: someLimits,
  }),
);

/** Each takes seconds, on a real database. PROPERTY_RUNS sets another number. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? (inject('hasAllPropertyRuns') ? 20 : 4));

/** A failure is shown as it is: each step of shrinking it would take as long. */
const OPTIONS = { numRuns: RUNS, endOnFailure: true, interruptAfterTimeLimit: 60_000 } as const;

const inTurn = (numbers: readonly number[]): (() => number) => {
  let turn = 0;
  return () => numbers[turn++ % numbers.length]!;
};

const database = useDatabase();
let client: mongo.MongoClient;
let playing: Promise<unknown> = Promise.resolve();

beforeAll(async () => {
  client = await database.open();
});
// A scenario that the time limit interrupts ends before the next test, and must end well.
afterEach(() => playing);

type Play = Scenario & {
  /** Whether an attempt fails. */
  readonly fails?: (attempt: number) => boolean;
  /** Whether a call of the database fails. */
  readonly isAway?: () => boolean;
  /** What else happens before a step. */
  readonly beforeStep?: (world: StreamWorld, gateways: Gateway[], step: number) => void;
};

interface Played {
  readonly world: StreamWorld;
  readonly tenants: readonly TenantId[];
}

/** Each position that is written must be below every event without a record. */
const watchPositions = (world: StreamWorld, problems: string[]) => {
  let isOver = false;
  const check = async (): Promise<void> => {
    for (const { tenant, keys } of await world.collections.cursors.find({}).toArray())
      for (const { key, at, upTo, open } of keys) {
        const settled = Array.from({ length: upTo }, (_, index) => index + 1).filter(
          (seq) => seq <= at || !open.includes(seq),
        );
        const recorded = await world.collections.deliveries.countDocuments({
          ...{ tenant, key, seq: { $in: settled } },
        });
        if (recorded < settled.length)
          problems.push(`${key}: ${settled.length} settled, ${recorded} recorded`);
      }
  };
  const loop = async (): Promise<void> => {
    while (!isOver) {
      await check();
      await pause(10);
    }
  };
  const running = loop();
  return async () => {
    isOver = true;
    await running;
    await check();
  };
};

const playOne = async (given: Play): Promise<Played> => {
  const world = new StreamWorld(client);
  await world.clear();
  const duration = inTurn(given.attemptMs);
  world.subscriptions = Array.from({ length: given.keys }, (_, index) => ({ key: `key-${index}` }));
  world.receive = async ({ attempt }) => {
    await pause(duration());
    return given.fails?.(attempt) ? FAILED : DELIVERED;
  };
  const problems: string[] = [];
  const stopWatching = watchPositions(world, problems);
  const start = (name: string): Gateway =>
    world.gateway(name, {
      limits: given.limits,
      databaseMs: inTurn(given.databaseMs),
      ...(given.isAway && { isAway: given.isAway }),
    });
  const live = Array.from({ length: given.gateways }, (_, index) => start(`gateway-${index}`));
  // So that no log is older than the plugin.
  await eventually(async () => {
    const mark = await world.collections.streamPartitions.findOne({ _id: 'plugin:tests' });
    expect(mark).not.toBeNull();
  });
  const tenants = [await world.tenant(), await world.tenant()];
  for (const [index, { by, tenant, resources, pauseMs, isUnheard }] of given.steps.entries()) {
    await pause(pauseMs);
    given.beforeStep?.(world, live, index);
    const committer = isUnheard && given.gateways > 1 ? undefined : live[by];
    await world.commit(
      committer,
      tenants[tenant]!,
      resources.map((one) => `user-${one}`),
    );
  }
  // The last commit of each tenant is heard, as the next one would be.
  for (const tenant of tenants) await world.commit(live[0], tenant, ['last']);
  const events = tenants.reduce((sum, tenant) => sum + world.head(tenant), 0);
  try {
    await eventually(async () => {
      const delivered = await world.collections.deliveries.countDocuments({ st: 'd' });
      expect(delivered).toBe(events * given.keys);
    });
  } finally {
    await world.stop();
    await stopWatching();
  }
  expect(problems).toEqual([]);
  return { world, tenants };
};

const play = (given: Play): Promise<Played> => {
  const played = playOne(given);
  playing = played;
  return played;
};

/** The attempts of each lane: what a key sees of one resource. */
const lanesOf = (seen: readonly Seen[]): readonly (readonly Seen[])[] => {
  const lanes = new Map<string, Seen[]>();
  for (const attempt of seen) {
    const lane = `${attempt.tenantId} ${attempt.key} ${attempt.resource}`;
    lanes.set(lane, [...(lanes.get(lane) ?? []), attempt]);
  }
  return [...lanes.values()];
};

const expectFirstAttemptsInOrder = (lane: readonly Seen[]): void => {
  const seqs = [...new Set(lane.map(({ seq }) => seq))];
  expect(seqs).toEqual([...seqs].sort((one, other) => one - other));
};

const expectOneAtATime = (lane: readonly Seen[]): void => {
  for (const [index, { at }] of lane.entries())
    if (index > 0) expect(at).toBeGreaterThanOrEqual(lane[index - 1]!.endedAt!);
};

const repeatsIn = ({ seen }: StreamWorld): number =>
  seen.length - new Set(seen.map(({ id }) => id)).size;

describe('any interleaving', () => {
  it('without failures sends each event once to each key, in order of its resource, one at a time', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const { world } = await play(given);
        expect(repeatsIn(world)).toBe(0);
        for (const lane of lanesOf(world.seen)) {
          expectFirstAttemptsInOrder(lane);
          expectOneAtATime(lane);
        }
      }),
      OPTIONS,
    );
  });

  it('repeats failed attempts until they succeed, also while calls of the database fail', async () => {
    await fc.assert(
      fc.asyncProperty(
        scenario,
        fc.array(fc.boolean(), { minLength: 3 }),
        fc.record({ start: fc.nat(100), percent: fc.nat(30) }),
        async (given, luck, away) => {
          const isLucky = inTurn(luck.map(Number));
          // In no rhythm with the calls of a round.
          let calls = away.start;
          const isAway = (): boolean => ((calls += 1) * 7_919) % 101 < away.percent;
          const { world } = await play({
            ...given,
            fails: (attempt) => attempt < 4 && isLucky() === 0,
            isAway,
          });
          for (const { attempt } of world.seen) expect(attempt).toBeLessThanOrEqual(5);
        },
      ),
      OPTIONS,
    );
  });

  it('loses nothing if gateways are killed, and repeats no more than was in flight', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, fc.nat(11), async (given, when) => {
        const { world } = await play({
          ...given,
          beforeStep: (at, gateways, step) => {
            if (step !== when % given.steps.length) return;
            gateways[0]!.kill();
            gateways[0] = at.gateway('heir', {
              limits: given.limits,
              databaseMs: inTurn(given.databaseMs),
            });
          },
        });
        expect(repeatsIn(world)).toBeLessThanOrEqual(given.limits.maxUnsettled!);
      }),
      OPTIONS,
    );
  });

  it('loses nothing if a gateway is evicted and comes back, and another one joins', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, fc.nat(11), async (given, when) => {
        const { world } = await play({
          ...given,
          beforeStep: (at, [first], step) => {
            if (step !== when % given.steps.length) return;
            first!.evict();
            at.gateway('joining', { limits: given.limits });
            setTimeout(() => first!.comeBack(), 60);
          },
        });
        expect(repeatsIn(world)).toBeLessThanOrEqual(given.limits.maxUnsettled!);
      }),
      OPTIONS,
    );
  });
});
