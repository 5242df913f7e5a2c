import type { Child } from '../shared/child.js';
import { tenantClient } from '../shared/faults/context.js';
import { formatFigures } from '../shared/faults/long-runs.js';
import { type Latencies, latenciesOf } from '../shared/faults/probe.js';
import {
  defineScenario,
  JSON_FILE,
  MONGODB,
  number,
  openRunContext,
} from '../shared/faults/scenario.js';
import { median, spreadOf } from '../shared/statistics.js';
import { numberColumn, tableOf } from '../shared/tables.js';
import type { AttackerMethods, Requests } from './attacker.js';
import { startClient, userCreator } from './create-users.js';

/** The same requests without the flood and with it, one right after the other. */
interface Round {
  readonly idle: Latencies;
  readonly flooded: Latencies;
  /** Creates per second of the flooding tenant. */
  readonly floodRate: number;
}

const MAX_RATIO = 3;
const WARM_UP_REQUESTS = 50;

const runRound = async (
  createUser: () => Promise<unknown>,
  flooder: Child<AttackerMethods>,
  flood: Requests,
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
  const began = performance.now();
  await flooder.call('start', flood);
  const flooded = await measure();
  const { 201: created = 0, ...others } = await flooder.call('stop', undefined);
  const floodRate = (created * 1_000) / (performance.now() - began);
  if (Object.keys(others).length > 0)
    throw new Error(`The flood got other responses than 201: ${JSON.stringify(others)}`);
  return { idle, flooded, floodRate };
};

const rangeOf = (rounds: readonly Round[], value: (round: Round) => number): string => {
  const { min, max } = spreadOf(rounds.map(value));
  return `${min.toFixed(0)} to ${max.toFixed(0)}`;
};

const columns = [
  numberColumn<Round>('idle p50, ms', ({ idle }) => idle.p50),
  numberColumn<Round>('p99', ({ idle }) => idle.p99),
  numberColumn<Round>('flooded p50', ({ flooded }) => flooded.p50),
  numberColumn<Round>('p99', ({ flooded }) => flooded.p99),
  numberColumn<Round>('p99 ×', ({ idle, flooded }) => flooded.p99 / idle.p99),
  numberColumn<Round>('flooding creates/s', ({ floodRate }) => floodRate),
];

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
    json: JSON_FILE,
  },
  success: `The p99 stays within ${MAX_RATIO} times its idle value.`,
  run: async ({ flood: concurrency, requests, rounds: count, mongodb }, run) => {
    const context = await openRunContext(mongodb, run);
    const { url: gateway } = await context.startGateway();
    const createUser = userCreator(
      tenantClient(() => gateway, await context.createTenant(gateway, 'measured')),
    );
    const tenant = await context.createTenant(gateway, 'flooding');
    const flooder = startClient<AttackerMethods>('./attacker.ts', run);
    const flood = {
      url: `${gateway}/v1/${tenant.slug}/users`,
      headers: { authorization: `Bearer ${tenant.key}` },
      ...{ parallel: concurrency, perSecond: Infinity, createsUsers: true },
    };

    await runRound(createUser, flooder, flood, WARM_UP_REQUESTS);
    const rounds: Round[] = [];
    while (rounds.length < count) rounds.push(await runRound(createUser, flooder, flood, requests));
    run.report(tableOf('\nLatency of the second tenant', rounds, columns));
    const ratio = median(rounds.map(({ flooded, idle }) => flooded.p99 / idle.p99));
    const summary = `${ratio.toFixed(2)} times the idle value (limit ${MAX_RATIO})`;
    const figures = {
      'p99 with the flood': `${summary}, median of ${count} rounds`,
      'p99 idle → flooded': `${rangeOf(rounds, ({ idle }) => idle.p99)} → ${rangeOf(rounds, ({ flooded }) => flooded.p99)} ms`,
      'flooding creates': `${concurrency} in flight, ${rangeOf(rounds, ({ floodRate }) => floodRate)} a second`,
    };
    run.report(`\n${formatFigures(figures)}`);
    const problems = ratio <= MAX_RATIO ? [] : [`p99 with the flood: ${summary}`];
    return { problems, figures };
  },
});
