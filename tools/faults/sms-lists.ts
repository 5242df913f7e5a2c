import {
  defineScenario,
  flag,
  MONGODB,
  number,
  openRunContext,
  SEED,
} from '../shared/faults/scenario.js';
import { seededRandom } from '../shared/seeded-random.js';
import { killDuringSmsJobs } from './kill-during-sms-jobs.js';
import { measureSmsLists } from './measure-sms-lists.js';

export const smsLists = defineScenario({
  name: 'sms-lists',
  summary: `Compares a large SMS list with one of 1,000 members: adding and removing 1,000 numbers, pages of
members and of recipients. Then replaces the large list by half of it and deletes it, while another
tenant sends requests. Exit code 1 if the large list takes more than 1.5 times as long, or with
--kill, if a member or an event is missing or duplicated.`,
  options: {
    members: number(100_000, 'members of the large list'),
    rounds: number(15, 'measured rounds, of which the medians are compared'),
    kill: flag('kill -9 the gateway during the PUT, its job and the DELETE, instead of measuring'),
    seed: SEED,
    mongodb: MONGODB,
  },
  success: 'Passed.',
  run: async (options, run) => {
    const context = await openRunContext(options.mongodb, run);
    if (!options.kill) return measureSmsLists(context, options, run);
    run.report(`Seed ${options.seed}`);
    const random = seededRandom(options.seed);
    return killDuringSmsJobs(context, { members: options.members, random }, run);
  },
});
