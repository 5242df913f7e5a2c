import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, tenantClient } from '../shared/faults/context.js';
import { unless } from '../shared/faults/find-problems.js';
import { formatFigures } from '../shared/faults/long-runs.js';
import { type Latencies, latenciesOf } from '../shared/faults/probe.js';
import {
  defineScenario,
  JSON_FILE,
  MONGODB,
  number,
  openRunContext,
} from '../shared/faults/scenario.js';
import { type Behaviour, type HttpsReceiver, openHttpsReceiver } from '../shared/https-receiver.js';
import { readUsage } from '../shared/process-usage.js';
import { median } from '../shared/statistics.js';
import { numberColumn, tableOf, textColumn } from '../shared/tables.js';
import { userCreator } from './create-users.js';

const GOOD_RECEIVERS = 17;

const BAD_RECEIVERS: Readonly<Record<string, Behaviour>> = {
  'never responds': { kind: 'hang' },
  'sends a byte a second': { kind: 'drip', status: 200, everyMs: 1_000 },
  'sends an endless body': { kind: 'endless', status: 200 },
};

const MAX_P95_MS = 2_000;
/** Above the normal variation of the heap, below the size of one endless body kept in memory. */
const MAX_GROWTH_MB = 64;
/** Above this p95 without bad receivers, the run is inconclusive. */
const MAX_BASELINE_P95_MS = MAX_P95_MS / 4;

const RECEIVED_MS = 60_000;
const SAMPLE_MS = 250;

interface Plan {
  readonly events: number;
  /** Users created per second. */
  readonly rate: number;
  /** Events in flight to the good receivers, at most: a slow machine must not build a queue. */
  readonly inFlight: number;
}

/** Creates users, and measures from their 201 to the deliveries at the good receivers. */
const measurePhase = async (
  { receiver }: Context,
  createUser: () => Promise<string>,
  { events, rate, inFlight }: Plan,
): Promise<Latencies> => {
  const before = receiver.requests.length;
  const createdAt = new Map<string, number>();
  const creates: Promise<unknown>[] = [];
  const began = performance.now();
  for (let event = 0; event < events; event += 1) {
    await receiver.received(before + (event + 1 - inFlight) * GOOD_RECEIVERS, RECEIVED_MS);
    creates.push(createUser().then((id) => createdAt.set(id, Date.now())));
    await sleep(began + ((event + 1) * 1_000) / rate - performance.now());
  }
  await Promise.all(creates);
  const requests = await receiver.received(before + events * GOOD_RECEIVERS, RECEIVED_MS);
  return latenciesOf(
    requests.slice(before).map(({ at, json }) => {
      const { data } = json as { readonly data: { readonly user: { readonly id: string } } };
      return Math.max(0, at.getTime() - (createdAt.get(data.user.id) ?? NaN));
    }),
  );
};

/** Samples a process's memory until it is stopped. */
const watchMemory = (pid: number) => {
  const samples: number[] = [];
  let isStopped = false;
  const loop = async (): Promise<void> => {
    while (!isStopped) {
      samples.push((await readUsage(pid)).rssMb);
      await sleep(SAMPLE_MS);
    }
  };
  const watching = loop();
  return async () => {
    isStopped = true;
    await watching;
    const third = Math.ceil(samples.length / 3);
    const growthMb = median(samples.slice(-third)) - median(samples.slice(0, third));
    return { growthMb, peakMb: Math.max(...samples) };
  };
};

const inBoth = (alone: number, beside: number): string =>
  `${alone.toFixed(0)} ms without the bad receivers, ${beside.toFixed(0)} ms beside them`;

const columns = [
  textColumn<readonly [string, Latencies]>('201 to delivery', ([phase]) => phase),
  ...(['p50', 'p95', 'p99'] as const).map((name) =>
    numberColumn<readonly [string, Latencies]>(`${name}, ms`, ([, latencies]) => latencies[name]),
  ),
];

export const isolation = defineScenario({
  name: 'isolation',
  summary: `Of 20 webhook receivers, one never responds, one sends a byte a second and one sends an endless
body. Exit code 1 if the p95 of the other ${GOOD_RECEIVERS} is ${MAX_P95_MS / 1_000} s or more, or the gateway's memory grows;
2 if the machine is too busy to tell.`,
  options: {
    events: number(1_500, 'users created, each an event for every receiver'),
    rate: number(25, 'users created per second'),
    'at-once': number(8, 'events in flight, at most'),
    mongodb: MONGODB,
    json: JSON_FILE,
  },
  success: 'The bad receivers did not delay the others, and memory did not grow.',
  run: async ({ events, rate, 'at-once': inFlight, mongodb }, run) => {
    const context = await openRunContext(mongodb, run);
    const gateway = await context.startGateway();
    const tenant = await context.createTenant(gateway.url, 'isolated');
    for (let number = 0; number < GOOD_RECEIVERS; number += 1)
      await context.subscribe(gateway.url, tenant, `/${number}`);
    const createUser = userCreator(tenantClient(() => gateway.url, tenant));
    const plan = { events, rate, inFlight };
    const alone = await measurePhase(context, createUser, {
      ...plan,
      events: Math.ceil(events / 3),
    });

    const bad = new Map<string, HttpsReceiver>();
    for (const [name, behaviour] of Object.entries(BAD_RECEIVERS)) {
      const receiver = await openHttpsReceiver(context.identity);
      run.cleanup.defer(receiver.close);
      receiver.setBehaviour(behaviour);
      bad.set(name, receiver);
      await context.subscribe(gateway.url, tenant, receiver.url);
    }
    const stopWatching = watchMemory(gateway.pid);
    const began = performance.now();
    const beside = await measurePhase(context, createUser, plan);
    const perSecond = (beside.requests * 1_000) / (performance.now() - began);
    const { growthMb, peakMb } = await stopWatching();
    const badRequests = [...bad].map(([name, { requests }]) => [name, requests.length] as const);

    const phases = [
      ['without bad receivers', alone],
      ['with bad receivers', beside],
    ] as const;
    run.report(tableOf('\nLatency', phases, columns));
    for (const [name, count] of badRequests)
      run.report(`  requests to the receiver that ${name}: ${count}`);
    const figures = {
      deliveries: `${perSecond.toFixed(0)} a second to ${GOOD_RECEIVERS} receivers`,
      'p50 to the others': inBoth(alone.p50, beside.p50),
      'p95 to the others': inBoth(alone.p95, beside.p95),
      memory: `${growthMb.toFixed(0)} MB growth, ${peakMb.toFixed(0)} MB at most`,
    };
    run.report(`\n${formatFigures(figures)}`);
    const isBusy = alone.p95 >= MAX_BASELINE_P95_MS;
    return {
      problems: [
        ...unless(beside.p95 < MAX_P95_MS, `p95 is ${beside.p95.toFixed(0)} ms`),
        ...unless(growthMb < MAX_GROWTH_MB, `memory grew by ${growthMb.toFixed(0)} MB`),
      ],
      inconclusive: isBusy && beside.p95 >= MAX_P95_MS ? 'the machine is too busy' : undefined,
      figures,
      ...{ alone, beside, growthMb, badRequests },
    };
  },
});
