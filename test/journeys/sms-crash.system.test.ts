import { afterAll, describe, expect, it } from 'vitest';
import { smsLists } from '../../tools/faults/sms-lists.js';
import { createCleanup } from '../../tools/shared/cleanup.js';
import { runScenario } from '../../tools/shared/faults/scenario.js';
import { createTestDatabase } from '../support/database.js';

const { uri } = createTestDatabase();
const cleanUp = createCleanup();
afterAll(cleanUp.run);

const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

/** A short run of `npm run sms-lists`; set CRASH_SEED to repeat a run. */
describe(`a gateway that is killed during a large PUT of an SMS list (CRASH_SEED=${seed})`, () => {
  it('loses no number and no event, and delivers no event under two ids', async () => {
    const options = { members: 4_000, seed, mongodb: uri };
    const report = await runScenario(smsLists, options, cleanUp);
    expect(report.problems).toEqual([]);
    expect(report.events).toBe(8);
  }, 300_000);
});
