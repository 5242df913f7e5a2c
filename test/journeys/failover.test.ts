import { afterAll, describe, expect, it } from 'vitest';
import { runFailover } from '../../scripts/crash/run-failover.js';
import { openThreeMembers } from '../../scripts/crash/three-members.js';
import { createCleanup } from '../../tooling/cleanup.js';

const cleanUp = createCleanup();
afterAll(cleanUp.run);

const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

/** A short run of `npm run failover`; set CRASH_SEED to repeat a run. */
describe(`a replica set of three that loses its primary at a random time (CRASH_SEED=${seed})`, () => {
  it('loses no acknowledged write, and clients get no errors other than 503', async () => {
    const report = await runFailover(
      {
        database: await openThreeMembers(() => undefined, cleanUp),
        creates: 400,
        clients: 8,
        tenants: 2,
        failovers: 1,
        blows: ['kill'],
        seed,
        told: () => undefined,
      },
      cleanUp,
    );
    expect(report.problems).toEqual([]);
    expect(report.failovers).toHaveLength(1);
    expect(report.events).toBe(400);
  }, 300_000);
});
