import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority } from '../../tooling/authority.js';
import { childScript } from '../build.js';
import { type Child, startChild } from '../../tooling/child.js';
import { readUsage } from '../../tooling/process-usage.js';
import { type Contest, contestsOn } from '../drain/contests.js';
import type { CounterMethods } from '../drain/receiver.js';
import type { BenchOptions } from '../options.js';
import type { DrainRound, Drains } from './results.js';
import { turnsOf } from './turns.js';
import type { World } from './world.js';

type Receiver = Child<CounterMethods>;

/** So that code is compiled and connections are known. */
const WARM_UP = 0.1;
/** More tell nothing new: each is many seconds long. */
const MOST_ROUNDS = 3;

/**
 * How fast a backlog of deliveries is received, out of the delivery engine and out of loops over
 * its HTTP client. Engine and clients run in this process, the receiver in its own.
 */
export const runDrains = async (
  world: World,
  { rounds, backlog }: Pick<BenchOptions, 'rounds' | 'backlog'>,
): Promise<readonly Drains[]> => {
  const { receiver, ...place } = await openPlace(world);
  const contests = contestsOn({ ...place, uriOf: world.database.uriOf });
  const found = new Map(contests.map(({ name }): [string, DrainRound[]] => [name, []]));
  const few = Math.ceil(backlog * WARM_UP);
  for (const contest of contests) await runContest(world, receiver, contest, few);
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
    for (const contest of turnsOf(contests, round)) {
      found.get(contest.name)?.push(await runContest(world, receiver, contest, backlog));
      world.tell(`webhooks-drain: round ${round + 1}, ${contest.name}`);
    }
  }
  return [...found].map(([name, each]) => ({ name, deliveries: backlog, rounds: each }));
};

const openPlace = async ({ folder, cleanup }: World) => {
  const authority = await createAuthority('Rollgate benchmark');
  const ca = join(await mkdtemp(join(folder, 'drain-')), 'authority.pem');
  await writeFile(ca, authority.certificate);
  const receiver: Receiver = startChild<CounterMethods>(childScript('drain/receiver.js'));
  cleanup.defer(receiver.stop);
  const port = await receiver.call('open', await authority.issue(['localhost']));
  return { receiver, ca, origin: `https://localhost:${port}` };
};

/** What it takes until the receiver has all, and until all is noted. */
const runContest = (
  { database }: World,
  receiver: Receiver,
  contest: Contest,
  deliveries: number,
): Promise<DrainRound> =>
  contest.run(deliveries, async (work) => {
    const [cpu, mongod] = [process.cpuUsage(), await readUsage(database.pid)];
    const began = performance.now();
    const working = work();
    const distinct = await receiver.call('await', deliveries);
    const seconds = (performance.now() - began) / 1_000;
    await working;
    const { user, system } = process.cpuUsage(cpu);
    if (distinct !== deliveries)
      throw new Error(`${contest.name}: ${distinct} of ${deliveries} deliveries came.`);
    return {
      rate: deliveries / seconds,
      cpuMicros: (user + system) / deliveries,
      databaseMicros: (((await readUsage(database.pid)).cpuMs - mongod.cpuMs) * 1_000) / deliveries,
    };
  });
