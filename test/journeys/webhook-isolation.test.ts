import { afterAll, expect, it } from 'vitest';
import { measureIsolation } from '../../scripts/crash/measure-isolation.js';
import { createCleanup } from '../../tooling/cleanup.js';
import { createTestDatabase } from '../support/database.js';

const { uri } = createTestDatabase();
const cleanUp = createCleanup();
afterAll(cleanUp.run);

/**
 * A short run of `npm run isolation`. At most four events are in flight, so that a busy machine
 * makes the test slower but not fail: an event delayed by a misbehaving receiver takes 10 s.
 */
it('receivers that hang, send slowly or never finish do not delay the other seventeen', async () => {
  const { alone, beside, grownMb, misbehaved } = await measureIsolation(
    { mongodbUri: uri, events: 90, perSecond: 30, atOnce: 4 },
    cleanUp,
  );
  expect(beside.p95).toBeLessThan(Math.max(2_000, 4 * alone.p95));
  expect(grownMb).toBeLessThan(100);
  for (const requests of Object.values(misbehaved)) expect(requests).toBeGreaterThan(0);
}, 180_000);
