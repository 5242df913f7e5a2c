import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, createApiClient } from '../shared/api-client.js';
import {
  type Context,
  kill,
  operatorClient,
  scimClient,
  type Tenant,
  tenantClient,
} from '../shared/faults/context.js';
import { type Probe, startProbe } from '../shared/faults/probe.js';
import {
  defineScenario,
  JSON_FILE,
  MONGODB,
  number,
  openRunContext,
  type Run,
  type RunResult,
  text,
  MAIN,
} from '../shared/faults/scenario.js';
import { builtMain, type GatewayProcess } from '../shared/gateway-process.js';
import { readUsage } from '../shared/process-usage.js';
import type { AttackerMethods } from './attacker.js';
import { createScimUsers, startClient, userCreator } from './create-users.js';
import { type Attack, ATTACKS, type Outcome, type Scene } from './hostile-attacks.js';
import { startHostileSource } from './hostile-sources.js';
import { STRANGER_ATTACKS } from './stranger-attacks.js';
import type { StrangerMethods } from './stranger.js';

const MAX_RATIO = 3;
const MAX_P99_MS = 500;
const MAX_HEALTH_MS = 100;
const MAX_GROWTH_MB = 100;
const MEMORY_MS = 30_000;
const HEALTH_PAUSE_MS = 20;
const WARM_UP_MS = 5_000;

const MEMBERS = 5_000;

/** Users in bulk, and a room of some of them. */
const fillTenant = async (url: string, tenant: Tenant, users: number): Promise<string> => {
  const scim = scimClient(() => url, tenant);
  const ids = await createScimUsers(scim, users, (at) => ({
    displayName: 'The same',
    nickName: `nick ${at}`,
  }));
  const rooms = `/tenants/${tenant.slug}/rooms`;
  const roomId = await operatorClient(url).create(rooms, { name: 'Everybody' });
  const members = ids.slice(0, MEMBERS).map((user_id) => ({ user_id }));
  const native = tenantClient(() => url, tenant);
  await native.expect(200, 'PUT', `/rooms/${roomId}/members`, { members });
  return roomId;
};

/** The cookie of an auditor who is bound to one tenant. */
const signInAuditor = async (url: string, slug: string): Promise<Scene['auditor']> => {
  const operator = operatorClient(url);
  const auditor = { name: 'Auditor', role: 'auditor', tenants: [slug] };
  const id = await operator.create('/operators', auditor);
  const issued = await operator.expect(201, 'POST', `/operators/${id}/link`);
  const { url: link } = issued.json() as { readonly url: string };
  const response = await fetch(`${url}/admin/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link: link.split('#')[1] }),
  });
  const [cookie = ''] = response.headers.getSetCookie();
  return { cookie: cookie.split(';')[0] ?? '' };
};

/** What the second tenant and the probes see. */
const startProbes = (url: string, client: ApiClient) => {
  const health = createApiClient(() => url, '');
  const creates = startProbe(userCreator(client));
  const probes = startProbe(() => health.expect(200, 'GET', '/healthz'), HEALTH_PAUSE_MS);
  return { creates, probes, stop: () => Promise.all([creates.stop(), probes.stop()]) };
};

interface Measured {
  readonly p99: number;
  readonly failed: number;
  readonly worstHealth: number;
}

const takeFrom = (creates: Probe, probes: Probe): Measured => {
  const { p99, failed } = creates.take();
  const { max, failed: unhealthy } = probes.take();
  return { p99, failed: failed + unhealthy, worstHealth: max };
};

/** Waits until memory is back; resolves with how much more it is than before, in megabytes. */
const settleMemory = async (pid: number, before: number): Promise<number> => {
  const until = performance.now() + MEMORY_MS;
  for (;;) {
    const grown = (await readUsage(pid)).rssMb - before;
    if (grown <= MAX_GROWTH_MB || performance.now() > until) return grown;
    await sleep(500);
  }
};

const isRunning = (gateway: GatewayProcess): Promise<boolean> =>
  Promise.race([gateway.ended.then(() => false), sleep(100, true)]);

const runAttack = async (
  { name, run }: Attack,
  scene: Scene,
  gateway: GatewayProcess,
  other: ApiClient,
) => {
  const { pid, ended } = gateway;
  const { creates, probes, stop } = startProbes(scene.gateway, other);
  // The first requests after a start compile the code.
  await sleep(WARM_UP_MS);
  takeFrom(creates, probes);
  await sleep(scene.milliseconds / 2);
  const before = takeFrom(creates, probes);
  const { rssMb } = await readUsage(pid);
  const death = ended.then((code): Outcome => ({
    summary: '',
    problem: `the gateway died (exit code ${code})`,
  }));
  const outcome = await Promise.race([
    run(scene).catch((error: unknown): Outcome => ({ summary: String(error).slice(0, 200) })),
    death,
  ]);
  // Requests that are still waiting count, too.
  await stop();
  const during = takeFrom(creates, probes);
  const hasDied = !(await isRunning(gateway));
  const grown = hasDied ? NaN : await settleMemory(pid, rssMb);
  const ratio = during.p99 / before.p99;
  const problems = [
    ...(outcome.problem === undefined ? [] : [outcome.problem]),
    ...(ratio > MAX_RATIO ? [`p99 of the other tenant × ${ratio.toFixed(1)}`] : []),
    ...(during.p99 > MAX_P99_MS ? [`p99 of the other tenant ${during.p99.toFixed(0)} ms`] : []),
    ...(during.failed > 0 && !hasDied ? [`${during.failed} failed requests`] : []),
    ...(during.worstHealth > MAX_HEALTH_MS
      ? [`/healthz took ${during.worstHealth.toFixed(0)} ms`]
      : []),
    ...(grown > MAX_GROWTH_MB ? [`${grown.toFixed(0)} MB more memory`] : []),
  ];
  const line = [
    `  ${problems.length === 0 ? '✔' : '✘'} ${name.padEnd(46)}`,
    `p99 ${before.p99.toFixed(0)} → ${during.p99.toFixed(0)} ms`.padEnd(20),
    `× ${ratio.toFixed(1)}`.padEnd(8),
    `/healthz ${during.worstHealth.toFixed(0)} ms`.padEnd(18),
    `${grown < 0 ? '' : '+'}${grown.toFixed(0)} MB`.padEnd(9),
    outcome.summary,
  ].join(' ');
  const figure =
    `p99 ${before.p99.toFixed(0)} → ${during.p99.toFixed(0)} ms, ` +
    `/healthz ${during.worstHealth.toFixed(0)} ms, ${Math.max(0, grown).toFixed(0)} MB`;
  return { line, figure, problems: problems.map((problem) => `${name}: ${problem}`) };
};

const startBuilt = async (
  context: Context,
  main: string,
  config: string,
): Promise<GatewayProcess> =>
  context.startGateway(
    { ROLLGATE_CONFIG: config, HOSTILE_TOKEN: 'token' },
    { main: await builtMain(main) },
  );

/** Attacks one gateway after the other attack; one that died is replaced. */
const runAttacks = async (
  attacks: readonly Attack[],
  scene: Omit<Scene, 'gateway' | 'operator'>,
  other: Tenant,
  start: () => Promise<GatewayProcess>,
  report: Run['report'],
): Promise<RunResult> => {
  const problems: string[] = [];
  const figures: Record<string, string> = {};
  let gateway = await start();
  for (const attack of attacks) {
    const { url } = gateway;
    const whole = { ...scene, gateway: url, operator: operatorClient(url) };
    const result = await runAttack(
      attack,
      whole,
      gateway,
      tenantClient(() => url, other),
    );
    report(result.line);
    problems.push(...result.problems);
    figures[attack.name] = result.figure;
    if (!(await isRunning(gateway))) gateway = await start();
  }
  await kill(gateway);
  return { problems, figures };
};

export const hostile = defineScenario({
  name: 'hostile',
  summary: `One tenant, its auditor, its sources, and strangers attack the built gateway while another tenant
creates users. Prints for each attack the other tenant's p99 before and during it, the slowest /healthz, the
memory that remains in use, and the responses. Exit code 1 if the gateway dies, the p99 rises to more than
${MAX_RATIO} times or ${MAX_P99_MS} ms, /healthz takes more than ${MAX_HEALTH_MS} ms, or memory does not return to within ${MAX_GROWTH_MB} MB.`,
  options: {
    main: MAIN,
    only: text('', 'only attacks whose name contains this'),
    users: number(60_000, 'users of the attacking tenant'),
    seconds: number(10, 'duration of an attack by requests'),
    mongodb: MONGODB,
    json: JSON_FILE,
  },
  success: 'The other tenant hardly noticed any attack.',
  run: async ({ main, only, users, seconds, mongodb }, run) => {
    const context = await openRunContext(mongodb, run);
    const source = await startHostileSource('hostile', run.cleanup);
    const start = () => startBuilt(context, main, source.config);
    const first = await start();
    const tenant = await context.createTenant(first.url, 'hostile');
    const other = await context.createTenant(first.url, 'other');
    run.report(`Creating ${users} users …`);
    const roomId = await fillTenant(first.url, tenant, users);
    const auditor = await signInAuditor(first.url, tenant.slug);
    await kill(first);

    const clients = {
      attacker: startClient<AttackerMethods>('./attacker.ts', run),
      stranger: startClient<StrangerMethods>('./stranger.ts', run),
    };
    const scene = { tenant, auditor, source, roomId, ...clients, milliseconds: seconds * 1_000 };
    const attacks = [...ATTACKS, ...STRANGER_ATTACKS].filter(({ name }) => name.includes(only));
    return runAttacks(attacks, scene, other, start, run.report);
  },
});
