import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import got from 'got';
import { ENGINE_LIMITS } from '../../src/plugin/engine/engine-limits.js';
import { allDelivered, deliveryIdOf } from './all-delivered.js';
import type { Cleanup } from '../../tooling/cleanup.js';
import type { GatewayProcess } from './gateway-process.js';
import { openScene, type Scene, type TenantAccess } from './scene.js';
import { seededRandom } from './seeded-random.js';
import { takeStock } from './stock-taking.js';

export interface WebhookCrashPlan {
  readonly mongodbUri: string;
  readonly events: number;
  readonly kills: number;
  readonly registrations: number;
  readonly seed: number;
  readonly told: (line: string) => void;
}

export interface WebhookCrashReport {
  readonly kills: number;
  readonly deliveries: number;
  /** That came again, under their id. */
  readonly repeats: number;
  /** As many as all kills together could find in flight: fewer must have come again. */
  readonly mostRepeats: number;
  readonly problems: readonly string[];
}

const GATEWAYS = 2;
const CLIENTS = 8;

/**
 * Events are made at two gateways, each owed to many registrations, while now the one and now the
 * other is killed: none may be lost, and what comes twice must come under one id.
 */
export const runWebhookCrash = async (
  plan: WebhookCrashPlan,
  cleanUp: Cleanup,
): Promise<WebhookCrashReport> => {
  const { events, kills, registrations } = plan;
  const scene = await openScene(plan.mongodbUri, cleanUp);
  const gateways: GatewayProcess[] = [];
  for (let each = 0; each < GATEWAYS; each += 1) gateways.push(await scene.start());
  const [first] = gateways as [GatewayProcess];
  const tenant = await scene.makeSilentTenant(first.url, `hooks-${randomUUID().slice(0, 8)}`);
  const paths = Array.from({ length: registrations }, (_, number) => `/hook-${number}`);
  for (const path of paths) await scene.subscribe(first.url, tenant, scene.receiver.url + path);

  const made = { count: 0 };
  const load = Promise.all(
    Array.from({ length: CLIENTS }, (_, client) =>
      makeUsers(client, { tenant, gateways, made, events }),
    ),
  );
  const random = seededRandom(plan.seed);
  for (let kill = 1; kill <= kills; kill += 1) {
    const at = Math.floor((events * 0.9 * (kill - 1 + random())) / kills);
    while (made.count < at) await pause(5);
    const victim = Math.floor(random() * GATEWAYS);
    gateways[victim]?.signal('SIGKILL');
    await gateways[victim]?.ended;
    plan.told(`  kill ${kill} of gateway ${victim + 1} at ${made.count} events`);
    gateways[victim] = await scene.start();
  }
  await load;
  const count = events * registrations;
  await allDelivered(scene, { mongodbUri: plan.mongodbUri, tenants: [tenant], count });
  for (const gateway of gateways) gateway.signal('SIGTERM');
  const codes = await Promise.all(gateways.map(({ ended }) => ended));

  const mostRepeats = kills * ENGINE_LIMITS.mostInFlight;
  const verdict = await judge(scene, { ...plan, tenant, paths, mostRepeats });
  const badEnds = codes.filter((code) => code !== 0).map((code) => `a gateway ended with ${code}`);
  return { ...verdict, kills, mostRepeats, problems: [...verdict.problems, ...badEnds] };
};

interface Load {
  readonly tenant: Pick<TenantAccess, 'slug' | 'key'>;
  readonly gateways: readonly GatewayProcess[];
  readonly made: { count: number };
  readonly events: number;
}

/** Makes users at whichever gateway answers, each once: a key makes a repeated request one. */
const makeUsers = async (client: number, load: Load): Promise<void> => {
  const { tenant, gateways, made, events } = load;
  for (let number = client; number < events; number += CLIENTS) {
    const key = randomUUID();
    for (let turn = client; ; turn += 1) {
      const gateway = gateways[turn % GATEWAYS];
      if (await makeUser(`${gateway?.url}/v1/${tenant.slug}/users`, tenant.key, key, number)) break;
      await pause(20);
    }
    made.count += 1;
  }
};

const makeUser = async (
  url: string,
  token: string,
  key: string,
  number: number,
): Promise<boolean> => {
  const json = { email: `user-${number}@example.com`, display_name: `User ${number}` };
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key };
  try {
    await got.post(url, { json, headers, retry: { limit: 0 }, timeout: { request: 20_000 } });
    return true;
  } catch {
    return false;
  }
};

interface Judged {
  readonly mongodbUri: string;
  readonly events: number;
  readonly tenant: Pick<TenantAccess, 'id' | 'slug'>;
  readonly paths: readonly string[];
  readonly mostRepeats: number;
}

/** Holds what the receiver had against the log. */
const judge = async (
  { receiver }: Scene,
  { mongodbUri, events, tenant, paths, mostRepeats }: Judged,
): Promise<Pick<WebhookCrashReport, 'deliveries' | 'repeats' | 'problems'>> => {
  const [stock] = await takeStock(mongodbUri, [tenant]);
  const logged = new Set(stock?.events.map(({ id }) => id));
  const ids = new Set(receiver.requests.map(deliveryIdOf));
  const repeats = receiver.requests.length - ids.size;
  const mayRepeat = mostRepeats + (stock?.failedAttempts ?? 0);
  const ofPath = new Map(paths.map((path) => [path, new Map<string, Set<string>>()]));
  for (const request of receiver.requests) {
    const { id } = request.json as { readonly id: string };
    const known = ofPath.get(request.path)?.get(id);
    if (known) known.add(deliveryIdOf(request));
    else ofPath.get(request.path)?.set(id, new Set([deliveryIdOf(request)]));
  }
  const problems = [...ofPath].flatMap(([path, received]) => {
    const lost = [...logged].filter((id) => !received.has(id)).length;
    const invented = [...received.keys()].filter((id) => !logged.has(id)).length;
    const doubles = [...received.values()].filter((deliveries) => deliveries.size > 1).length;
    return [
      ...(lost > 0 ? [`${path}: ${lost} events were not delivered`] : []),
      ...(invented > 0 ? [`${path}: ${invented} events are not in the log`] : []),
      ...(doubles > 0 ? [`${path}: ${doubles} events came under two ids`] : []),
    ];
  });
  return {
    deliveries: receiver.requests.length,
    repeats,
    problems: [
      ...(logged.size === events ? [] : [`${logged.size} events are in the log, not ${events}`]),
      ...(repeats < mayRepeat ? [] : [`${repeats} came again, where fewer than ${mayRepeat} may`]),
      ...problems,
    ],
  };
};
