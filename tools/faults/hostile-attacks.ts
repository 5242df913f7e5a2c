import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../shared/api-client.js';
import type { Child } from '../shared/child.js';
import type { Tenant } from '../shared/faults/context.js';
import type { AttackerMethods, Requests } from './attacker.js';
import type { HostileSource } from './hostile-sources.js';
import type { StrangerMethods } from './stranger.js';

/** What attacks have: a tenant with data, an operator who may only read it, and its sources. */
export interface Scene {
  readonly gateway: string;
  readonly tenant: Tenant;
  readonly operator: ApiClient;
  /** Headers of a session of an auditor who is bound to the tenant. */
  readonly auditor: Readonly<Record<string, string>>;
  readonly source: HostileSource;
  readonly roomId: string;
  /** Keeps requests in flight for the time of an attack. */
  readonly attacker: Child<AttackerMethods>;
  /** Opens many connections without valid credentials. */
  readonly stranger: Child<StrangerMethods>;
  readonly milliseconds: number;
}

export interface Outcome {
  readonly summary: string;
  /** What the attack achieved besides being slow. */
  readonly problem?: string | undefined;
}

/** What one tenant, one of its operators or one of its sources does. */
export interface Attack {
  readonly name: string;
  readonly run: (scene: Scene) => Promise<Outcome>;
}

export const countsOf = (statuses: Readonly<Record<string, number>>): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${count}×${status}`)
    .join(' ');

const keepSending = async (
  { attacker, milliseconds }: Scene,
  requests: Requests,
): Promise<Outcome> => {
  await attacker.call('start', requests);
  await sleep(milliseconds);
  return { summary: countsOf(await attacker.call('stop', undefined)) };
};

const withKey = ({ tenant }: Scene) => ({ authorization: `Bearer ${tenant.key}` });

/** Conditions that no index supports; with another two, as many as a filter may have. */
const TERMS = Array.from({ length: 98 }, (_, at) => `nickName co "no such name ${at}"`);

const search = (name: string, filter: string): Attack => ({
  name,
  run: (scene) => {
    const query = new URLSearchParams({ filter });
    const url = `${scene.gateway}/v1/${scene.tenant.slug}/scim/v2/Users?${query.toString()}`;
    return keepSending(scene, { url, headers: withKey(scene), parallel: 24 });
  },
});

const PARALLEL = 16;

const read = (
  name: string,
  path: (scene: Scene) => string,
  headers: (scene: Scene) => Readonly<Record<string, string>> = withKey,
): Attack => ({
  name: `${PARALLEL} ${name}`,
  run: (scene) => {
    const url = scene.gateway + path(scene);
    return keepSending(scene, { url, headers: headers(scene), parallel: PARALLEL });
  },
});

/** The tenant in the operators' API. */
const administered = ({ tenant }: Scene): string => `/admin/v1/tenants/${tenant.slug}`;
const auditor = (scene: Scene) => scene.auditor;

const ENDED = new Set(['done', 'held', 'failed', 'planned', 'superseded']);
const RUN_MS = 60_000;

/** Resolves with how the run of a connector ended, or with its state after a minute. */
const runConnector = async (scene: Scene, connector: string): Promise<string> => {
  const runs = `/tenants/${scene.tenant.slug}/connectors/${connector}/runs`;
  const id = await scene.operator.create(runs, {});
  const until = performance.now() + RUN_MS;
  for (;;) {
    const found = await scene.operator.expect(200, 'GET', `${runs}/${id}`);
    const { state, error } = found.json() as { readonly state: string; readonly error?: unknown };
    if (ENDED.has(state) || performance.now() > until)
      return error ? `${state}: ${JSON.stringify(error).slice(0, 120)}` : state;
    await sleep(250);
  }
};

const run = (name: string, connector: string): Attack => ({
  name,
  run: async (scene) => ({ summary: await runConnector(scene, connector) }),
});

const STREAMS = 150;

const liveStreams: Attack = {
  name: `${STREAMS} live streams of one auditor`,
  run: async (scene) => {
    const url = `${scene.gateway}${administered(scene)}/live`;
    await scene.attacker.call('start', { url, headers: scene.auditor, parallel: STREAMS });
    await sleep(scene.milliseconds);
    const controller = new AbortController();
    const other = await fetch(url, {
      headers: { authorization: `Bearer ${scene.operator.token}` },
      signal: controller.signal,
    });
    controller.abort();
    const summary = countsOf(await scene.attacker.call('stop', undefined));
    const problem = other.status === 200 ? undefined : `another operator gets ${other.status}`;
    return { summary, problem };
  },
};

const RETRY_MS = 5_000;

const retryAfter: Attack = {
  name: 'Retry-After: 1000000000',
  run: async (scene) => {
    const before = scene.source.requests();
    const ended = await Promise.race([runConnector(scene, 'later'), sleep(RETRY_MS, 'waiting')]);
    const requests = scene.source.requests() - before;
    const summary = `${ended}, ${requests} requests`;
    return { summary, problem: requests > 2 ? `the source got ${requests} requests` : undefined };
  },
};

export const ATTACKS: readonly Attack[] = [
  run('JSONata that builds an array of 10,000,000', 'bomb'),
  {
    name: 'a list of fields of 60 MB',
    run: async ({ operator, tenant }) => {
      const response = await operator.send('GET', `/tenants/${tenant.slug}/connectors/bob/fields`);
      return { summary: String(response.status) };
    },
  },
  run('a CSV header of 1 MiB', 'wide'),
  read(
    'reads of a room of 5,000',
    ({ tenant, roomId }) => `/v1/${tenant.slug}/rooms/${roomId}/members`,
  ),
  read(
    'exports of the log by an auditor',
    (scene) => `${administered(scene)}/commands/export?format=ndjson`,
    auditor,
  ),
  read(
    'exports of the log as CSV',
    (scene) => `${administered(scene)}/commands/export?format=csv`,
    auditor,
  ),
  read('SCIM pages of 1,000', ({ tenant }) => `/v1/${tenant.slug}/scim/v2/Users?count=1000`),
  read('pages of 500 users', ({ tenant }) => `/v1/${tenant.slug}/users?limit=500`),
  search('24 searches of 100 terms', TERMS.join(' or ')),
  search('24 searches of 100 terms in a range', `userName sw "user" and (${TERMS.join(' or ')})`),
  search(
    '24 searches of 100 terms among equal names',
    `displayName eq "The same" and (${TERMS.join(' or ')})`,
  ),
  liveStreams,
  retryAfter,
];
