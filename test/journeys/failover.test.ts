import { afterAll, describe, expect, it } from 'vitest';
import { runFailover } from '../../scripts/crash/run-failover.js';
import { openThreeMembers } from '../../scripts/crash/three-members.js';
import { createCleanUp } from '../../scripts/demo/clean-up.js';

const cleanUp = createCleanUp();
afterAll(cleanUp.run);

const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

/** The short form of `npm run failover`; give CRASH_SEED to have the same moment again. */
describe(`a database of three that loses its primary at a random moment (CRASH_SEED=${seed})`, () => {
  it('loses nothing that it acknowledged, and clients hear nothing worse than "not now"', async () => {
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
