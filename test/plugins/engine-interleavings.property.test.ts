import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeliveryId } from '../../src/domain/kernel/ids.js';
import type { EngineLimits } from '../../src/plugin/delivery/engine-parts.js';
import { DELIVERED, EngineWorld, FAILED, type Instance, type Seen } from './engine-world.js';
import { propertyRuns } from '../support/property-runs.js';

/** A batch that one of the instances commits: gathered, written, announced a little later. */
interface Step {
  readonly by: number;
  readonly subjects: readonly number[];
  readonly pauseMs: number;
  readonly commitMs: number;
  readonly announceMs: number;
}

interface Scenario {
  readonly instances: number;
  readonly keys: number;
  readonly steps: readonly Step[];
  /** How long attempts and answers of the database take, drawn in turn. */
  readonly attemptMs: readonly number[];
  readonly databaseMs: readonly number[];
  readonly limits: Partial<EngineLimits>;
}

const stepOf = (instances: number): fc.Arbitrary<Step> =>
  fc.record({
    by: fc.nat(instances - 1),
    subjects: fc.array(fc.nat(2), { minLength: 1, maxLength: 9 }),
    pauseMs: fc.constantFrom(0, 0, 3, 40, 300, 1_100),
    commitMs: fc.constantFrom(0, 2, 30),
    announceMs: fc.constantFrom(0, 0, 2, 60),
  });

/** Little room, so that rows often have to wait in the database, and that often as spans. */
const someLimits: fc.Arbitrary<Partial<EngineLimits>> = fc.record({
  maxHeld: fc.constantFrom(3, 6, 1_000),
  maxHeldPerKey: fc.constantFrom(2, 5, 250),
  maxAttempts: fc.constantFrom(2, 64),
  maxUnacknowledged: fc.constantFrom(2, 256),
  slotsForIdleKeys: fc.constantFrom(0, 1),
  claimRows: fc.constantFrom(2, 5, 64),
  claimShare: fc.constantFrom(1, 16),
  claimSpanEvents: fc.constantFrom(0, 3, 256),
  maxRowsPerKey: fc.constantFrom(1, 3, 50),
  maxRowsPerBatch: fc.constantFrom(2, 8, 2_000),
});

const scenario: fc.Arbitrary<Scenario> = fc.integer({ min: 1, max: 2 }).chain((instances) =>
  fc.record({
    instances: fc.constant(instances),
    keys: fc.integer({ min: 1, max: 3 }),
    steps: fc.array(stepOf(instances), { minLength: 1, maxLength: 20 }),
    attemptMs: fc.array(fc.constantFrom(0, 1, 10, 90, 700), { minLength: 1, maxLength: 8 }),
    databaseMs: fc.array(fc.constantFrom(0, 0, 1, 5, 30), { minLength: 1, maxLength: 8 }),
    limits: someLimits,
  }),
);

const inTurn = (numbers: readonly number[]): (() => number) => {
  let turn = 0;
  return () => numbers[turn++ % numbers.length]!;
};

interface Played {
  readonly world: EngineWorld;
  readonly instances: readonly Instance[];
}

type Play = Scenario & {
  /** Whether an attempt fails; called for each attempt. */
  readonly fails?: (attempt: number) => boolean;
  /** What else happens before a step. */
  readonly beforeStep?: (world: EngineWorld, instances: Instance[], step: number) => void;
};

const open = ({ instances, keys, attemptMs, databaseMs, limits: set, fails }: Play): Played => {
  const world = new EngineWorld();
  const duration = inTurn(attemptMs);
  world.keys = Array.from({ length: keys }, (_, index) => `key-${index}`);
  for (const key of world.keys) {
    world.behave(key, ({ attempt }) => ({
      ms: duration(),
      outcome: fails?.(attempt) ? FAILED : DELIVERED,
    }));
  }
  const started = Array.from({ length: instances }, (_, index) =>
    world.instance({
      name: `instance-${index}`,
      hasPeers: instances > 1,
      limits: set,
      databaseMs: inTurn(databaseMs),
    }),
  );
  for (const { engine } of started) engine.start();
  return { world, instances: started };
};

/** Commits of one tenant come one after another, whichever instance makes them. */
const commitAll = async ({ world, instances }: Played, { steps, beforeStep }: Play) => {
  const announcements = new Map<Instance, () => void>();
  const live = [...instances];
  for (const [index, step] of steps.entries()) {
    await world.clock.advance(step.pauseMs);
    beforeStep?.(world, live, index);
    const instance = live[step.by]!;
    announcements.get(instance)?.();
    const events = world.events(...step.subjects.map((subject) => `user-${subject}`));
    const rows = world.plan(instance, events);
    await world.clock.advance(step.commitMs);
    world.outbox.insert(rows, events);
    // Others see a commit before its own instance hears that it was made.
    await world.clock.advance(1);
    const announce = (): void => {
      if (announcements.get(instance) !== announce) return;
      announcements.delete(instance);
      instance.engine.committed(rows, events);
    };
    announcements.set(instance, announce);
    world.clock.after(step.announceMs, announce);
  }
  for (const announce of announcements.values()) announce();
};

const play = async (given: Play): Promise<EngineWorld> => {
  const played = open(given);
  // Sometimes within the first lease, where nothing is known of predecessors; sometimes after it.
  if (given.steps.length % 2 === 0) await played.world.clock.advance(70_000);
  await commitAll(played, given);
  await played.world.clock.advance(1_000_000);
  return played.world;
};

/** The attempts of each lane: what a key sees of one resource. */
const lanesOf = (seen: readonly Seen[]): readonly (readonly Seen[])[] => {
  const lanes = new Map<string, Seen[]>();
  for (const attempt of seen) {
    const lane = `${attempt.key} ${attempt.subject}`;
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

const mostAtOnce = (seen: readonly Seen[]): number => {
  const turns = seen.flatMap(({ at, endedAt = Infinity }) => [
    { at, by: 1 },
    { at: endedAt, by: -1 },
  ]);
  let now = 0;
  return turns
    .sort((one, other) => one.at - other.at || one.by - other.by)
    .reduce((most, { by }) => Math.max(most, (now += by)), 0);
};

const expectAllDelivered = (world: EngineWorld, { steps, keys }: Scenario): void => {
  expect(world.outbox.spans()).toEqual([]);
  expect(world.rows().filter(({ state }) => state !== 'delivered')).toEqual([]);
  const events = steps.reduce((sum, { subjects }) => sum + subjects.length, 0);
  expect(world.rows()).toHaveLength(events * keys);
};

describe('any interleaving', () => {
  it('without failures sends each row once, in order of its resource, one at a time', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const world = await play(given);
        expectAllDelivered(world, given);
        expect(world.seen).toHaveLength(world.rows().length);
        for (const lane of lanesOf(world.seen)) {
          expectFirstAttemptsInOrder(lane);
          expectOneAtATime(lane);
        }
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it('repeats failed attempts until they succeed, within their limits', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, fc.array(fc.boolean(), { minLength: 3 }), async (given, luck) => {
        const isLucky = inTurn(luck.map(Number));
        const limits = { ...given.limits, breakerOpenMs: 2_000 };
        const fails = (attempt: number) => attempt < 4 && isLucky() === 0;
        const world = await play({ ...given, limits, fails });
        expectAllDelivered(world, given);
        for (const instance of ['instance-0', 'instance-1']) {
          const own = world.seen.filter((seen) => seen.instance === instance);
          expect(mostAtOnce(own)).toBeLessThanOrEqual(limits.maxAttempts!);
          for (const key of world.keys) {
            expect(mostAtOnce(own.filter((seen) => seen.key === key))).toBeLessThanOrEqual(8);
          }
        }
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it('attempts a redelivery after its request, and lets it overtake no first attempt', async () => {
    await fc.assert(
      fc.asyncProperty(
        scenario,
        fc.array(fc.record({ step: fc.nat(19), row: fc.nat(), inMs: fc.nat(120) }), {
          minLength: 1,
          maxLength: 30,
        }),
        async (given, requests) => {
          const accepted: { readonly id: DeliveryId; readonly at: number }[] = [];
          const request = (world: EngineWorld, row: number): void => {
            const rows = world.rows();
            const { id } = rows[row % Math.max(1, rows.length)] ?? {};
            const key = world.seen.find((seen) => seen.id === id)?.key;
            // Only deliveries that were sent, or are being sent, are requested again.
            if (id === undefined || key === undefined) return;
            world.outbox.redeliver(id, key);
            accepted.push({ id, at: world.clock.now() });
          };
          const world = await play({
            ...given,
            beforeStep: (at, _instances, step) => {
              for (const { step: when, row, inMs } of requests)
                if (when % given.steps.length === step)
                  at.clock.after(inMs, () => request(at, row));
            },
          });
          expectAllDelivered(world, given);
          for (const { id, at } of accepted)
            expect(
              world.seen.filter((seen) => seen.id === id && seen.at >= at),
              `attempts of ${id} from ${at} on`,
            ).not.toHaveLength(0);
          for (const lane of lanesOf(world.seen)) expectFirstAttemptsInOrder(lane);
          for (const instance of ['instance-0', 'instance-1'])
            lanesOf(world.seen.filter((seen) => seen.instance === instance)).forEach(
              expectOneAtATime,
            );
        },
      ),
      { numRuns: propertyRuns(60) },
    );
  });

  it('loses nothing if instances are killed, and never repeats what was acknowledged', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, fc.nat(19), async (given, when) => {
        const acknowledged = new Map<string, number>();
        const world = await play({
          ...given,
          beforeStep: (at, instances, step) => {
            for (const { id, state } of at.rows()) {
              if (state === 'delivered' && !acknowledged.has(id)) {
                acknowledged.set(id, at.clock.now());
              }
            }
            if (step !== when) return;
            instances[0]!.kill();
            instances[0] = at.instance({
              name: 'heir',
              hasPeers: given.instances > 1,
              limits: given.limits,
            });
            instances[0].engine.start();
          },
        });
        expectAllDelivered(world, given);
        for (const { id, at } of world.seen) {
          expect(at).toBeLessThanOrEqual(acknowledged.get(id) ?? Infinity);
        }
        const repeats = world.seen.length - new Set(world.seen.map(({ id }) => id)).size;
        expect(repeats).toBeLessThanOrEqual(given.limits.maxUnacknowledged!);
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});
