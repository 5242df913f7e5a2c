import { STREAM_LIMITS } from '../../src/plugin/stream/stream-limits.js';
import { replaceGateway } from '../shared/faults/context.js';
import { faultLoop } from '../shared/faults/fault-loop.js';
import { type LoadPlan, runUnderLoad } from '../shared/faults/run-under-load.js';
import {
  defineScenario,
  JSON_FILE,
  MONGODB,
  number,
  openRunContext,
  type Run,
  SEED,
  seededRandom,
} from '../shared/faults/scenario.js';

/** Deliveries of one registration that a fault may repeat: 8 in flight, 8 not yet recorded. */
export const UNSETTLED_PER_REGISTRATION = 8 + 8;

interface CrashPlan extends Omit<LoadPlan, 'report'> {
  readonly kills: number;
  readonly mongodb: string;
}

/** Kills gateways (kill -9) under load, a random one each time, and starts others. */
const runCrash = async ({ kills: count, mongodb, ...plan }: CrashPlan, run: Run) => {
  const { report } = run;
  report(`Seed ${plan.seed}: ${plan.creates} creates, ${count} kills.`);
  const context = await openRunContext(mongodb, run);
  const random = seededRandom(plan.seed);
  return runUnderLoad(context, { ...plan, report }, (target) =>
    faultLoop(target, {
      count,
      random,
      hasEarlyFaults: true,
      report,
      inject: async () => {
        const index = Math.floor(random() * target.gateways.length);
        await replaceGateway(context, target.gateways, index);
        return { description: `kill of gateway ${index + 1}` };
      },
    }),
  );
};

export const crash = defineScenario({
  name: 'crash',
  summary: `Clients create users while the gateway is killed (kill -9) again and again. Afterwards, every
acknowledged user, event and webhook delivery must exist exactly once. Exit code 1 if not.`,
  options: {
    creates: number(10_000, 'users to create'),
    clients: number(24, 'concurrent clients'),
    kills: number(30, 'kills during the run'),
    tenants: number(2, 'tenants that the users belong to'),
    seed: SEED,
    mongodb: MONGODB,
    json: JSON_FILE,
  },
  success: 'Nothing lost, nothing duplicated.',
  run: (options, run) => {
    const maxRepeats = options.kills * options.tenants * UNSETTLED_PER_REGISTRATION;
    return runCrash({ ...options, maxRepeats }, run);
  },
});

export const crashWebhooks = defineScenario({
  name: 'crash:webhooks',
  summary: `Clients create users at several gateways, and every event goes to many registrations, while one
gateway or another is killed (kill -9) again and again. Afterwards, every registration must have received
every event under one delivery id. Exit code 1 if not.`,
  options: {
    events: number(3_000, 'events, one for each user created'),
    gateways: number(2, 'gateways on one database'),
    kills: number(10, 'kills during the run'),
    registrations: number(20, 'webhook registrations that receive every event'),
    seed: SEED,
    mongodb: MONGODB,
    json: JSON_FILE,
  },
  success: 'Nothing lost, nothing duplicated.',
  run: ({ events: creates, ...options }, run) => {
    // Fewer than all that the killed gateways may have had in flight or not yet recorded.
    const maxRepeats = options.kills * STREAM_LIMITS.maxUnsettled - 1;
    const load = { creates, clients: 8, tenants: 1 };
    return runCrash({ ...options, ...load, maxRepeats }, run);
  },
});
