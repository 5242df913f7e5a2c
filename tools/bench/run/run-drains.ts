import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority } from '../../shared/authority.js';
import { type Child, startChild } from '../../shared/child.js';
import { readUsage } from '../../shared/process-usage.js';
import { childScript } from '../build.js';
import { type DrainCase, drainCases } from '../drain/drain-cases.js';
import type { CounterMethods } from '../drain/receiver.js';
import type { BenchOptions } from '../options.js';
import type { BenchContext } from './bench-context.js';
import type { DrainRound, Drains } from './results.js';
import { rotate } from './rotate.js';

type Receiver = Child<CounterMethods>;

/** Compiles the code and opens the connections. */
const WARM_UP_SHARE = 0.1;
/** Each takes many seconds. */
const MAX_ROUNDS = 3;

/**
 * Measures how fast the delivery engine drains a backlog, and for comparison how fast loops send
 * the same requests. Engine and loops run in this process, the receiver in another one.
 */
export const runDrains = async (
  context: BenchContext,
  { rounds, backlog }: Pick<BenchOptions, 'rounds' | 'backlog'>,
): Promise<readonly Drains[]> => {
  const { receiver, ...target } = await openReceiver(context);
  const cases = drainCases({ ...target, uriOf: context.database.uriOf });
  const results = new Map(cases.map(({ name }): [string, DrainRound[]] => [name, []]));
  const warmUp = Math.ceil(backlog * WARM_UP_SHARE);
  for (const drainCase of cases) await runCase(context, receiver, drainCase, warmUp);
  for (let round = 0; round < Math.min(rounds, MAX_ROUNDS); round += 1) {
    for (const drainCase of rotate(cases, round)) {
      results.get(drainCase.name)?.push(await runCase(context, receiver, drainCase, backlog));
      context.report(`webhooks-drain: round ${round + 1}, ${drainCase.name}`);
    }
  }
  return [...results].map(([name, each]) => ({ name, deliveries: backlog, rounds: each }));
};

const openReceiver = async ({ folder, cleanup }: BenchContext) => {
  const authority = await createAuthority('Rollgate benchmark');
  const ca = join(await mkdtemp(join(folder, 'drain-')), 'authority.pem');
  await writeFile(ca, authority.certificate);
  const receiver: Receiver = startChild<CounterMethods>(childScript('drain/receiver.js'));
  cleanup.defer(receiver.stop);
  const port = await receiver.call('open', await authority.issue(['localhost']));
  return { receiver, ca, origin: `https://localhost:${port}` };
};

/** Rate until the receiver has all deliveries; CPU until they are recorded. */
const runCase = (
  { database }: BenchContext,
  receiver: Receiver,
  drainCase: DrainCase,
  deliveries: number,
): Promise<DrainRound> =>
  drainCase.run(deliveries, async (send) => {
    const [cpu, mongod] = [process.cpuUsage(), await readUsage(database.pid)];
    const began = performance.now();
    const sending = send();
    const distinct = await receiver.call('waitFor', deliveries);
    const seconds = (performance.now() - began) / 1_000;
    await sending;
    const { user, system } = process.cpuUsage(cpu);
    if (distinct !== deliveries)
      throw new Error(`${drainCase.name}: ${distinct} of ${deliveries} deliveries arrived.`);
    return {
      rate: deliveries / seconds,
      cpuMicros: (user + system) / deliveries,
      databaseMicros: (((await readUsage(database.pid)).cpuMs - mongod.cpuMs) * 1_000) / deliveries,
    };
  });
