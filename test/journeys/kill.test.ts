import { afterAll, describe, expect, it } from 'vitest';
import { runCrash } from '../../scripts/crash/run-crash.js';
import { createCleanup } from '../../tooling/cleanup.js';
import { createTestDatabase } from '../support/database.js';

const { uri } = createTestDatabase();
const cleanUp = createCleanup();
afterAll(cleanUp.run);

const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

/** A short run of `npm run crash`; set CRASH_SEED to repeat a run. */
describe(`a gateway that is killed at random times (CRASH_SEED=${seed})`, () => {
  it('loses no acknowledged write, repeats no command and serves again within 10 s', async () => {
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
