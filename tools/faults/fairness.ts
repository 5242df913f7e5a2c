import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '../shared/child.js';
import { tenantClient } from '../shared/faults/context.js';
import { type Latencies, latenciesOf } from '../shared/faults/probe.js';
import { defineScenario, MONGODB, number, openRunContext } from '../shared/faults/scenario.js';
import { median } from '../shared/statistics.js';
import { userCreator } from './create-users.js';
import type { Flood, FloodMethods } from './flood.js';

/** The same requests without the flood and with it, one right after the other. */
interface Round {
  readonly idle: Latencies;
  readonly flooded: Latencies;
  /** Creates per second of the flooding tenant. */
  readonly floodRate: number;
}

const MAX_RATIO = 3;
const WARM_UP_REQUESTS = 50;
const FLOOD_SCRIPT = fileURLToPath(new URL('./flood.ts', import.meta.url));

const runRound = async (
  createUser: () => Promise<unknown>,
  flooder: Child<FloodMethods>,
  flood: Flood,
  requests: number,
): Promise<Round> => {
  const measure = async (): Promise<Latencies> => {
    const times: number[] = [];
    while (times.length < requests) {
      const began = performance.now();
      await createUser();
      times.push(performance.now() - began);
    }
    return latenciesOf(times);
  };
  const idle = await measure();
  await flooder.call('start', flood);
  const flooded = await measure();
  return { idle, flooded, floodRate: await flooder.call('stop', undefined) };
};

const inMs = ({ p50, p99 }: Latencies): string =>
  `${p50.toFixed(1).padStart(8)} ${p99.toFixed(1).padStart(8)}`;

const tableOf = (rounds: readonly Round[]): string =>
  [
    '',
    '           idle, ms          flooded, ms               flood',
    '  round      p50      p99      p50      p99  p99 ×    creates/s',
    ...rounds.map(
      ({ idle, flooded, floodRate }, index) =>
        `  ${String(index + 1).padStart(5)} ${inMs(idle)} ${inMs(flooded)}` +
        `  ${(flooded.p99 / idle.p99).toFixed(1).padStart(5)}  ${floodRate.toFixed(0).padStart(11)}`,
    ),
  ].join('\n');

export const fairness = defineScenario({
  name: 'fairness',
  summary: `One tenant keeps hundreds of creates in flight; another tenant creates one user after the other.
Exit code 1 if the second tenant's p99 is more than ${MAX_RATIO} times its p99 without the flood. Only ratios
within a round are compared, since absolute times change with other load on the machine.`,
  options: {
    flood: number(300, 'creates that the first tenant keeps in flight'),
    requests: number(200, 'creates of the second tenant in each phase'),
    rounds: number(5, 'rounds, each idle and flooded'),
    mongodb: MONGODB,
  },
  success: `The p99 stays within ${MAX_RATIO} times its idle value.`,
  run: async ({ flood: concurrency, requests, rounds: count, mongodb }, run) => {
    const context = await openRunContext(mongodb, run);
    const { url: gateway } = await context.startGateway();
    const createUser = userCreator(
      tenantClient(() => gateway, await context.createTenant(gateway, 'measured')),
    );
    const tenant = await context.createTenant(gateway, 'flooding');
    const flooder = startChild<FloodMethods>(FLOOD_SCRIPT, ['--import', 'tsx']);
    run.cleanup.defer(flooder.stop);
    const flood = { gateway, tenant, concurrency };

    await runRound(createUser, flooder, flood, WARM_UP_REQUESTS);
    const rounds: Round[] = [];
    while (rounds.length < count) rounds.push(await runRound(createUser, flooder, flood, requests));
    run.report(tableOf(rounds));
    const ratio = median(rounds.map(({ flooded, idle }) => flooded.p99 / idle.p99));
    const summary = `p99 with the flood: ${ratio.toFixed(2)} times the idle value`;
    run.report(`\n  ${summary}, limit ${MAX_RATIO}`);
    return { problems: ratio <= MAX_RATIO ? [] : [summary], ratio };
  },
});
