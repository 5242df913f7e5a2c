import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../../support/property-runs.js';
import {
  Company,
  DAMAGES,
  FAULTY_IDS,
  type LifeEvent,
  PART_DAMAGES,
  type SourceFault,
} from './lives.js';

const anyPerson = fc.nat({ max: 200 });
const stopAt = fc.oneof(
  { weight: 5, arbitrary: fc.constant(Infinity) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 400 }) },
);

const event = (weight: number, arbitrary: fc.Arbitrary<LifeEvent>) => ({ weight, arbitrary });
const how = fc.constantFrom('status', 'end', 'gone');

/** What happens in companies, roughly as often; one in a hundred gets the address of someone before. */
const ordinary = [
  event(6, fc.tuple(fc.constant('hire'), fc.constant(null))),
  event(5, fc.tuple(fc.constant('leave'), anyPerson, how)),
  event(2, fc.tuple(fc.constant('notice'), anyPerson, fc.integer({ min: 1, max: 4 }))),
  event(2, fc.tuple(fc.constant('return'), anyPerson)),
  event(2, fc.tuple(fc.constant('rehire'), anyPerson, fc.constant(0))),
  event(1, fc.tuple(fc.constant('renumber'), anyPerson)),
  event(2, fc.tuple(fc.constant('marry'), anyPerson)),
  event(2, fc.tuple(fc.constant('typo'), anyPerson)),
  event(4, fc.tuple(fc.constant('move'), anyPerson, fc.nat({ max: 5 }))),
  event(3, fc.tuple(fc.constant('manager'), anyPerson, anyPerson)),
  event(4, fc.tuple(fc.constant('days'), fc.integer({ min: 1, max: 2 }))),
  event(
    16,
    fc.tuple(
      fc.constant('export'),
      fc.constantFrom('full', 'full', 'delta', 'dates'),
      stopAt,
      fc.constantFrom('kill', 'signal'),
    ),
  ),
] as const;

/** What makes people hard to tell apart. */
const confusing = [
  event(3, fc.tuple(fc.constant('hire'), anyPerson)),
  event(2, fc.tuple(fc.constant('hire as'), anyPerson)),
  event(2, fc.tuple(fc.constant('transfer'), anyPerson)),
  event(3, fc.tuple(fc.constant('rehire'), anyPerson, fc.integer({ min: 1, max: 5 }))),
  event(1, fc.tuple(fc.constant('new name'), anyPerson)),
  event(2, fc.tuple(fc.constant('second contract'), anyPerson, fc.constantFrom('here', 'there'))),
  event(2, fc.tuple(fc.constant('contract ends'), anyPerson, fc.constantFrom('first', 'last'))),
  event(3, fc.tuple(fc.constant('give address away'), anyPerson)),
  event(1, fc.tuple(fc.constant('swap addresses'), anyPerson, anyPerson)),
  event(
    2,
    fc.tuple(
      fc.constant('mix-up'),
      anyPerson,
      fc.option<number>(anyPerson),
      fc.constantFrom('stays', 'gets another id', 'leaves', 'gives it away and leaves'),
    ),
  ),
  event(1, fc.tuple(fc.constant('seats'), fc.option<number>(fc.nat({ max: 4 })))),
] as const;

const fault: fc.Arbitrary<SourceFault> = fc.oneof(
  fc.record({ ids: fc.constantFrom(...FAULTY_IDS), damage: fc.constantFrom(...DAMAGES) }),
  fc.record({
    ids: fc.constant('same' as const),
    damage: fc.constantFrom(...PART_DAMAGES),
    isPart: fc.constant(true),
  }),
);
const faulty = event(4, fc.tuple(fc.constant('fault'), fault));

const livesOf = (
  events: readonly { weight: number; arbitrary: fc.Arbitrary<LifeEvent> }[],
  least = 6,
) =>
  fc.record({
    size: fc.integer({ min: least, max: 30 }),
    isPushed: fc.boolean(),
    events: fc.array(fc.oneof(...events), { minLength: 6, maxLength: 30 }),
  });

/** Companies; each has about 30 lives. */
const RUNS = propertyRuns(200);
const parameters = {
  numRuns: RUNS,
  ...(process.env.MODEL_PATH !== undefined && { path: process.env.MODEL_PATH }),
};
const timeout = RUNS * 2_000 + 60_000;

it(
  'gives everyone who works an account of their own, and takes it from those who leave',
  { timeout },
  async () => {
    let lives = 0;
    let needs = 0;
    await fc.assert(
      fc.asyncProperty(livesOf(ordinary, 20), async ({ size, events, isPushed }) => {
        const company = await Company.live(size, events, isPushed);
        lives += company.lives;
        needs += company.needs.size;
      }),
      parameters,
    );
    // Held runs and listed people, of a source without a fault.
    expect(needs / lives).toBeLessThan(0.02);
  },
);

it('asks an operator when it is unclear who someone is', { timeout }, async () => {
  await fc.assert(
    fc.asyncProperty(livesOf([...ordinary, ...confusing]), async ({ size, events, isPushed }) => {
      await Company.live(size, events, isPushed);
    }),
    parameters,
  );
});

it('holds what a faulty export would do to accounts', { timeout }, async () => {
  await fc.assert(
    fc.asyncProperty(
      livesOf([...ordinary, ...confusing, faulty]),
      async ({ size, events, isPushed }) => {
        await Company.live(size, events, isPushed);
      },
    ),
    parameters,
  );
});
