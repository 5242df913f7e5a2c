import { afterAll, describe, expect, it } from 'vitest';
import { runCrash } from '../../scripts/crash/run-crash.js';
import { createCleanUp } from '../../scripts/demo/clean-up.js';
import { createTestDatabase } from '../support/database.js';

const { uri } = createTestDatabase();
const cleanUp = createCleanUp();
afterAll(cleanUp.run);

const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

/** The short form of `npm run crash`; give CRASH_SEED to have the same moments again. */
describe(`a gateway that is killed at random moments (CRASH_SEED=${seed})`, () => {
  it('loses nothing that it acknowledged, does nothing twice and goes on within 10 s', async () => {
    const report = await runCrash(
      {
        mongodbUri: uri,
        creates: 1_000,
        clients: 24,
        kills: 5,
        tenants: 2,
        seed,
        told: () => undefined,
      },
      cleanUp,
    );
    expect(report.problems).toEqual([]);
    expect(report.kills).toHaveLength(5);
    expect(report.events).toBe(1_000);
    expect(report.retries).toBeGreaterThan(0);
  }, 300_000);
});
