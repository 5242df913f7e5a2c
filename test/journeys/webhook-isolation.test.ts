import { afterAll, expect, it } from 'vitest';
import { measureIsolation } from '../../scripts/crash/measure-isolation.js';
import { createCleanUp } from '../../scripts/demo/clean-up.js';
import { createTestDatabase } from '../support/database.js';

const { uri } = createTestDatabase();
const cleanUp = createCleanUp();
afterAll(cleanUp.run);

/**
 * The short form of `npm run isolation`. No more than four events are on their way at a time, so
 * that a busy machine makes it longer and not wrong: whoever waits for one of the three waits 10 s.
 */
it('receivers that hang, drip and answer without end cost the other seventeen nothing', async () => {
  const { alone, beside, grownMb, misbehaved } = await measureIsolation(
    { mongodbUri: uri, events: 90, perSecond: 30, atOnce: 4 },
    cleanUp,
  );
  expect(beside.p95).toBeLessThan(Math.max(2_000, 4 * alone.p95));
  expect(grownMb).toBeLessThan(100);
  for (const requests of Object.values(misbehaved)) expect(requests).toBeGreaterThan(0);
}, 180_000);
