import { afterAll, describe, expect, it } from 'vitest';
import { crashWebhooks } from '../../tools/faults/crash.js';
import { createCleanup } from '../../tools/shared/cleanup.js';
import { runScenario } from '../../tools/shared/faults/scenario.js';
import { createTestDatabase } from '../support/database.js';

const { uri } = createTestDatabase();
const cleanUp = createCleanup();
afterAll(cleanUp.run);

const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

/** A short run of `npm run crash:webhooks`; set CRASH_SEED to repeat a run. */
describe(`two gateways that are killed in turn (CRASH_SEED=${seed})`, () => {
  it('lose no event of 20 registrations, and repeat deliveries only with the same id', async () => {
    const options = { events: 120, kills: 3, seed, mongodb: uri };
    const report = await runScenario(crashWebhooks, options, cleanUp);
    expect(report.problems).toEqual([]);
    expect(report.deliveries - report.repeats).toBe(2_400);
  }, 300_000);
});
