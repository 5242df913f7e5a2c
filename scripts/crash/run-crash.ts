import type { Cleanup } from '../../tooling/cleanup.js';
import { type Kill, type Reckoning, reign } from './killer.js';
import { seededRandom } from './seeded-random.js';
import { type LoadPlan, type LoadReport, runUnderLoad } from './under-load.js';

export interface CrashPlan extends Omit<LoadPlan, 'mostRepeats'> {
  readonly kills: number;
  readonly told: (kill: Kill) => void;
}

export type CrashReport = LoadReport & Reckoning;

/** Of one registration: attempts under way, and endings that are not written yet. */
export const UNSETTLED = 8 + 8;

/** Users are made by many clients while the gateway is killed again and again. */
export const runCrash = (plan: CrashPlan, cleanUp: Cleanup): Promise<CrashReport> =>
  runUnderLoad(
    { ...plan, mostRepeats: plan.kills * plan.tenants * UNSETTLED },
    ({ scene, ...target }) =>
      reign({ ...plan, ...target, start: scene.start, random: seededRandom(plan.seed) }),
    cleanUp,
  );
