import { afterAll, expect, it } from 'vitest';
import { isolation } from '../../tools/faults/isolation.js';
import { createCleanup } from '../../tools/shared/cleanup.js';
import { runScenario } from '../../tools/shared/faults/scenario.js';
import { createTestDatabase } from '../support/database.js';

const { uri } = createTestDatabase();
const cleanUp = createCleanup();
afterAll(cleanUp.run);

/** What an event takes that waits for a misbehaving receiver: the time limit of an attempt. */
const DELAYED_MS = 10_000;

/**
 * A short run of `npm run isolation`. At most four events are in flight, so that a busy machine
 * makes the test slower but not fail.
 */
it('receivers that hang, send slowly or never finish do not delay the other seventeen', async () => {
  const options = { events: 90, rate: 30, 'at-once': 4, mongodb: uri };
  const { alone, beside, growthMb, badRequests } = await runScenario(isolation, options, cleanUp);
  expect(beside.p95).toBeLessThan(Math.max(DELAYED_MS / 2, 4 * alone.p95));
  expect(growthMb).toBeLessThan(100);
  for (const [, requests] of badRequests) expect(requests).toBeGreaterThan(0);
}, 180_000);
