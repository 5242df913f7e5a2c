import { afterAll, describe, expect, it } from 'vitest';
import { crash } from '../../tools/faults/crash.js';
import { createCleanup } from '../../tools/shared/cleanup.js';
import { runScenario } from '../../tools/shared/faults/scenario.js';
import { createTestDatabase } from '../support/database.js';

const { uri } = createTestDatabase();
const cleanUp = createCleanup();
afterAll(cleanUp.run);

const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

/** A short run of `npm run crash`; set CRASH_SEED to repeat a run. */
describe(`a gateway that is killed at random times (CRASH_SEED=${seed})`, () => {
  it('loses no acknowledged write, repeats no command and serves again within 10 s', async () => {
    const options = { creates: 600, kills: 3, seed, mongodb: uri };
    const report = await runScenario(crash, options, cleanUp);
    expect(report.problems).toEqual([]);
    expect(report.faults).toBe(3);
    expect(report.events).toBe(600);
    expect(report.retries).toBeGreaterThan(0);
  }, 300_000);
});
