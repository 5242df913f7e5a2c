import { afterAll, describe, expect, it } from 'vitest';
import { failover } from '../../tools/faults/failover.js';
import { createCleanup } from '../../tools/shared/cleanup.js';
import { runScenario } from '../../tools/shared/faults/scenario.js';

const cleanUp = createCleanup();
afterAll(cleanUp.run);

const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

/** A short run of `npm run failover`; set CRASH_SEED to repeat a run. */
describe(`a replica set of three that loses its primary at a random time (CRASH_SEED=${seed})`, () => {
  it('loses no acknowledged write, and clients get no errors other than 503', async () => {
    const options = { creates: 400, clients: 8, failovers: 1, faults: 'kill', seed };
    const report = await runScenario(failover, options, cleanUp);
    expect(report.problems).toEqual([]);
    expect(report.faults).toBe(1);
    expect(report.events).toBe(400);
  }, 300_000);
});
