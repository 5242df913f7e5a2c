import { openContext } from '../shared/faults/context.js';
import { faultLoop } from '../shared/faults/fault-loop.js';
import { runUnderLoad } from '../shared/faults/run-under-load.js';
import {
  defineScenario,
  flag,
  JSON_FILE,
  number,
  SEED,
  text,
  seededRandom,
} from '../shared/faults/scenario.js';
import { isMemberFault, startReplicaSet } from '../shared/replica-set.js';
import { UNSETTLED_PER_REGISTRATION } from './crash.js';

export const failover = defineScenario({
  name: 'failover',
  summary: `Clients create users on a replica set of three members, whose primary is killed (kill -9) or
frozen again and again. Afterwards, every acknowledged user, event and webhook delivery must exist
exactly once. Exit code 1 if not.

Ten elections of 6 s, with clients that repeat after a 503 and must not find their own user (409):
npm run failover -- --election 6 --failovers 10 --clients 8 --creates 9000 --faults kill --keyless`,
  options: {
    creates: number(5_000, 'users to create'),
    clients: number(24, 'concurrent clients'),
    failovers: number(6, 'failovers during the run'),
    faults: text('kill,freeze', 'what is done to the primary, in turns'),
    election: number(2, 'seconds until the other members elect a primary'),
    keyless: flag('clients send no Idempotency-Key'),
    tenants: number(2, 'tenants that the users belong to'),
    seed: SEED,
    json: JSON_FILE,
  },
  success: 'Nothing lost, nothing duplicated.',
  run: async (options, { cleanup, report }) => {
    const { creates, failovers: count, tenants, seed } = options;
    report(`Seed ${seed}: ${creates} creates, ${count} failovers.`);
    const faults = options.faults.split(',').filter(isMemberFault);
    const database = await startReplicaSet(cleanup, report, options.election * 1_000);
    const context = await openContext(database.uri, cleanup);
    const unsettled = count * tenants * UNSETTLED_PER_REGISTRATION;
    const plan = { ...options, maxRepeats: unsettled, maxUndelivered: unsettled, report };
    return runUnderLoad(context, plan, (target) =>
      faultLoop(target, {
        count,
        random: seededRandom(seed),
        report,
        inject: async (number) => {
          const fault = faults[(number - 1) % faults.length] ?? 'kill';
          return { description: fault, undo: await database.failOver(fault) };
        },
      }),
    );
  },
});
