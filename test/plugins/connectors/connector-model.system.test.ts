import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ConnectorWorld, NAME, person } from '../../support/connector-world.js';
import { propertyRuns } from '../../support/property-runs.js';

const PEOPLE = 30;
const ids = Array.from({ length: PEOPLE }, (_, at) => `p${at + 1}`);
const anyId = fc.constantFrom(...ids);
const HOUR_MS = 3_600_000;

type Step =
  | { readonly kind: 'change'; readonly id: string; readonly job: string }
  | { readonly kind: 'end' | 'rehire' | 'vanish' | 'return' | 'future'; readonly id: string }
  | { readonly kind: 'break'; readonly how: 'empty' | 'half' | 'cut' | 'fail' | 'repeat' | 'none' }
  | { readonly kind: 'run'; readonly mode: 'full' | 'delta' | 'dates'; readonly killAt: number }
  | { readonly kind: 'approve' }
  | {
      readonly kind: 'scim';
      readonly id: string;
      readonly what: 'title' | 'deactivate' | 'activate';
    }
  | { readonly kind: 'pass'; readonly hours: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      id: anyId,
      job: fc.constantFrom('A', 'B', 'C'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'end' as const,
        'rehire' as const,
        'vanish' as const,
        'return' as const,
        'future' as const,
      ),
      id: anyId,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('break' as const),
      how: fc.constantFrom(
        'empty' as const,
        'half' as const,
        'cut' as const,
        'fail' as const,
        'repeat' as const,
        'none' as const,
      ),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('run' as const),
      mode: fc.constantFrom('full' as const, 'full' as const, 'delta' as const, 'dates' as const),
      killAt: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 150 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('approve' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('scim' as const),
      id: anyId,
      what: fc.constantFrom('title' as const, 'deactivate' as const, 'activate' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      hours: fc.integer({ min: 1, max: 30 }),
    }),
  },
);

/** What the source has ever truly said of each person; broken reads are no statement. */
class History {
  readonly saidToHaveLeft = new Set<string>();
  /** Approved by an operator: everyone in the plan may leave. */
  readonly approved = new Set<string>();
}

const runHistory = async (steps: readonly Step[]): Promise<void> => {
  const world = new ConnectorWorld(
    { groups: [{ path: 'team' }] },
    {},
    { roomProvisioning: 'automatic' },
  );
  world.pageSize = 5;
  const history = new History();
  for (const id of ids) world.put(id, person(id, { team: 'Red' }));
  await world.run();
  const truth = new Map(world.source);

  const sync = (): void => {
    world.source.clear();
    for (const [id, data] of truth) world.source.set(id, data);
  };

  for (const one of steps) {
    if (one.kind === 'pass') world.pass(one.hours * HOUR_MS);
    else if (one.kind === 'break') {
      sync();
      world.faults =
        one.how === 'cut'
          ? { cutAfter: 7 }
          : one.how === 'fail'
            ? { failAfter: 7 }
            : one.how === 'repeat'
              ? { repeats: true }
              : {};
      if (one.how === 'empty') world.source.clear();
      if (one.how === 'half') for (const id of ids.slice(0, PEOPLE / 2)) world.source.delete(id);
    } else if (one.kind === 'approve') await approveAny(world, history);
    else if (one.kind === 'scim') await actOtherwise(world, one.id, one.what);
    else if (one.kind === 'run') await runAndRecover(world, one.mode, one.killAt);
    else changeTruth(world, truth, history, one);
    expectNoUnjustDeactivation(world, history);
    expectNothingTwice(world);
  }

  // Once the source is well again, the users follow it.
  sync();
  world.faults = {};
  for (let round = 0; round < 3; round += 1) {
    world.pass(25 * HOUR_MS);
    const run = await world.run();
    if (run.state === 'held') await approveAny(world, history);
  }
  const before = world.submitted;
  expect(await world.run()).toMatchObject({ counts: { applied: 0 } });
  expect(world.submitted).toBe(before);
  expectNoUnjustDeactivation(world, history);
  expectNothingTwice(world);
};

const changeTruth = (
  world: ConnectorWorld,
  truth: Map<string, ReturnType<typeof person>>,
  { saidToHaveLeft }: History,
  one: Extract<
    Step,
    { id: string; kind: 'change' | 'end' | 'rehire' | 'vanish' | 'return' | 'future' }
  >,
): void => {
  const { id } = one;
  const known = truth.get(id) ?? person(id, { team: 'Red' });
  const today = world.now.toISOString().slice(0, 10);
  if (one.kind === 'vanish') {
    truth.delete(id);
    world.leave(id);
    saidToHaveLeft.add(id);
    return;
  }
  const { end: _end, start: _start, ...employed } = known;
  const data =
    one.kind === 'change'
      ? { ...known, job: one.job, team: one.job }
      : one.kind === 'end'
        ? { ...employed, end: '2026-01-31' }
        : one.kind === 'future'
          ? { ...employed, end: today }
          : employed;
  if (one.kind === 'end' || one.kind === 'future') saidToHaveLeft.add(id);
  truth.set(id, data);
  world.put(id, data);
};

const actOtherwise = async (world: ConnectorWorld, id: string, what: string): Promise<void> => {
  const user = world.user(`${id}@example.com`);
  if (!user) return;
  await world.act(
    what === 'title'
      ? {
          type: 'user.patch',
          userId: user.id,
          changes: [{ op: 'replace', path: ['nickName'], value: `n${world.submitted}` }],
        }
      : { type: 'user.update', userId: user.id, active: what === 'activate' },
  );
};

const runAndRecover = async (
  world: ConnectorWorld,
  mode: 'full' | 'delta' | 'dates',
  killAt: number,
): Promise<void> => {
  const { service } = world.instance(killAt);
  await service.start({ mode, trigger: 'operator', requestedBy: NAME }).catch(() => undefined);
  await service.idle();
  if (killAt !== Infinity) {
    const recovered = await world.recover();
    expect(recovered.isDead()).toBe(false);
  }
};

const approveAny = async (world: ConnectorWorld, { approved }: History): Promise<void> => {
  const { service } = world.instance();
  const store = await service.store();
  const held = (await store.runs(100)).find(({ state }) => state === 'held');
  if (!held?.plan) return;
  for (const { item } of await store.items(held.id, 0, 500)) approved.add(item.sourceId);
  await service.approve(held.id, held.plan.digest, 'ada').catch(() => undefined);
  await service.idle();
};

/** The connector frees a seat only if the source said so or an operator approved. */
const expectNoUnjustDeactivation = (
  world: ConnectorWorld,
  { saidToHaveLeft, approved }: History,
): void => {
  for (const { type, userId } of world.effects) {
    if (type !== 'user.deactivate') continue;
    const name = world.users().find(({ id }) => id === userId)?.profile.userName ?? '';
    const id = name.replace('@example.com', '');
    expect({ id, isJust: saidToHaveLeft.has(id) || approved.has(id) }).toEqual({
      id,
      isJust: true,
    });
  }
};

const expectNothingTwice = (world: ConnectorWorld): void => {
  const keys = world.effects.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  const created = world.commits.events.filter(({ name }) => name === 'user.created');
  expect(created.length).toBe(world.users().length);
};

const RUNS = propertyRuns(40);

it('deactivates only people who left or were approved, and does nothing twice', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), runHistory), {
    numRuns: RUNS,
  });
});
