import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { readUsage } from '../../tooling/process-usage.js';
import { median, quantile } from '../../tooling/statistics.js';
import type { Cleanup } from '../../tooling/cleanup.js';
import {
  type Behaviour,
  type HttpsReceiver,
  openHttpsReceiver,
} from '../../tooling/https-receiver.js';
import { openScene, type Scene } from './scene.js';

export interface IsolationPlan {
  readonly mongodbUri: string;
  /** Users made beside the misbehaving receivers; a third as many without them, before. */
  readonly events: number;
  /** Made a second, evenly… */
  readonly perSecond: number;
  /** …while no more than so many are on their way to the seventeen: a slow machine is no queue. */
  readonly atOnce: number;
}

/** From the answer that the user is made to the receipt of the event, in milliseconds. */
export interface Latencies {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface Isolation {
  /** That the well-behaved receivers had beside the others, a second. */
  readonly perSecond: number;
  readonly alone: Latencies;
  readonly beside: Latencies;
  /** What the gateway's memory grew by, from the first third of the time to the last, in MB. */
  readonly grownMb: number;
  readonly peakMb: number;
  /** Requests that each of the others had. */
  readonly misbehaved: Readonly<Record<string, number>>;
}

export const GOOD = 17;

const MISBEHAVING: Readonly<Record<string, Behaviour>> = {
  hangs: { kind: 'hang' },
  drips: { kind: 'drip', status: 200, everyMs: 1_000 },
  'never ends': { kind: 'endless', status: 200 },
};

const RECEIVED_MS = 60_000;
const SAMPLE_MS = 250;

/**
 * Of 20 receivers one never answers, one sends a byte a second, and one as much as is taken of a
 * body without end: how long the other seventeen wait, and what the gateway's memory does.
 */
export const measureIsolation = async (
  plan: IsolationPlan,
  cleanUp: Cleanup,
): Promise<Isolation> => {
  const scene = await openScene(plan.mongodbUri, cleanUp);
  const gateway = await scene.start();
  const tenant = await scene.makeSilentTenant(gateway.url, 'isolated');
  const subscribe = (url: string) => scene.subscribe(gateway.url, tenant, url);
  for (let number = 0; number < GOOD; number += 1)
    await subscribe(`${scene.receiver.url}/${number}`);
  const maker = openMaker(`${gateway.url}/v1/${tenant.slug}/users`, tenant.key, cleanUp);

  const alone = await playPhase(scene, maker, { ...plan, events: Math.ceil(plan.events / 3) });
  const others = new Map<string, HttpsReceiver>();
  for (const [name, behaviour] of Object.entries(MISBEHAVING)) {
    const receiver = await openHttpsReceiver(scene.identity);
    cleanUp.defer(receiver.close);
    receiver.behave(behaviour);
    others.set(name, receiver);
    await subscribe(receiver.url);
  }
  const memory = watchMemory(gateway.pid);
  const began = performance.now();
  const beside = await playPhase(scene, maker, plan);
  const lastedMs = performance.now() - began;
  return {
    perSecond: (beside.length / lastedMs) * 1_000,
    alone: latenciesOf(alone),
    beside: latenciesOf(beside),
    ...(await memory.end()),
    misbehaved: Object.fromEntries(
      [...others].map(([name, { requests }]) => [name, requests.length]),
    ),
  };
};

const latenciesOf = (waits: readonly number[]): Latencies => ({
  p50: quantile(waits, 0.5),
  p95: quantile(waits, 0.95),
  p99: quantile(waits, 0.99),
});

/** Makes users; knows when each was told to be there. */
interface Maker {
  readonly make: () => Promise<void>;
  readonly madeAt: ReadonlyMap<string, number>;
}

const openMaker = (url: string, key: string, cleanUp: Cleanup): Maker => {
  const dispatcher = new Agent({ connections: 16 });
  cleanUp.defer(() => dispatcher.destroy());
  const madeAt = new Map<string, number>();
  let number = 0;
  return {
    madeAt,
    make: async () => {
      const { statusCode, body } = await request(url, {
        dispatcher,
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ email: `user-${(number += 1)}@example.com` }),
      });
      const text = await body.text();
      if (statusCode !== 201) throw new Error(`${statusCode} ${text}`);
      madeAt.set((JSON.parse(text) as { readonly id: string }).id, Date.now());
    },
  };
};

/** How long each delivery to a well-behaved receiver took, of the events of this phase. */
const playPhase = async (
  { receiver }: Scene,
  { make, madeAt }: Maker,
  { events, perSecond, atOnce }: IsolationPlan,
): Promise<readonly number[]> => {
  const before = receiver.requests.length;
  const making: Promise<void>[] = [];
  const began = performance.now();
  for (let event = 0; event < events; event += 1) {
    await receiver.received(before + (event + 1 - atOnce) * GOOD, RECEIVED_MS);
    making.push(make());
    await pause(began + ((event + 1) * 1_000) / perSecond - performance.now());
  }
  await Promise.all(making);
  const requests = await receiver.received(before + events * GOOD, RECEIVED_MS);
  return requests.slice(before).map(({ at, json }) => {
    const { data } = json as { readonly data: { readonly user: { readonly id: string } } };
    return Math.max(0, at.getTime() - (madeAt.get(data.user.id) ?? NaN));
  });
};

/** Looks at a process's memory again and again. */
const watchMemory = (pid: number) => {
  const samples: number[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      samples.push((await readUsage(pid)).rssMb);
      await pause(SAMPLE_MS);
    }
  })();
  return {
    end: async (): Promise<Pick<Isolation, 'grownMb' | 'peakMb'>> => {
      isOver = true;
      await watching;
      const third = Math.ceil(samples.length / 3);
      return {
        grownMb: median(samples.slice(-third)) - median(samples.slice(0, third)),
        peakMb: Math.max(...samples),
      };
    },
  };
};
