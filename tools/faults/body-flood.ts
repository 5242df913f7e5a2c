import { Agent, type ClientRequest, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, kill, type Tenant, tenantClient } from '../shared/faults/context.js';
import { formatProbed, startProbe } from '../shared/faults/probe.js';
import { defineScenario, MAIN, openRunContext, type Run, text } from '../shared/faults/scenario.js';
import { builtMain } from '../shared/gateway-process.js';
import { readUsage, resetPeak } from '../shared/process-usage.js';

/** Many concurrent requests with the same body. */
export interface Attack {
  readonly name: string;
  readonly method: 'POST' | 'PUT';
  /** Under the tenant's SCIM base URL. */
  readonly path: string;
  readonly parallel: number;
  readonly body: Buffer;
  /** How many bytes of the body are sent; default: all. */
  readonly stallAt?: number | undefined;
}

const MEBIBYTE = 1024 * 1024;

const repeated = (count: number, element: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => element(at)).join(',');

/** 7 MB: one object with 600,000 names. */
const manyNames = Buffer.from(`{${repeated(600_000, (at) => `"n${at}":1`)}}`);

/** 8 MB: an array of empty objects. */
const manyObjects = Buffer.from(`{"Operations":[${repeated(2_700_000, () => '{}')}]}`);

/** As many values as a body may contain, in objects with distinct names. */
const distinctNames = Buffer.from(
  `{"Operations":[${repeated(140_000, (at) => `{"a-name-that-is-a-little-longer-${at}":${at}}`)}]}`,
);

/** As many values as a body may contain, in long strings. */
const longStrings = Buffer.from(
  `{"Operations":[${repeated(290_000, (at) => `"${String(at).padStart(24, 'x')}"`)}]}`,
);

/** 8 MiB: one string. */
const oneString = Buffer.from(`{"filter":"${'x'.repeat(8 * MEBIBYTE - 13)}"}`);

const search = (name: string, parallel: number, body: Buffer, stallAt?: number): Attack => ({
  name,
  method: 'POST',
  path: '/Users/.search',
  parallel,
  body,
  stallAt,
});

const bulk = (name: string, parallel: number, body: Buffer, stallAt?: number): Attack => ({
  ...search(name, parallel, body, stallAt),
  path: '/Bulk',
});

const STALL_AT = 8 * MEBIBYTE - 1_000;

/** @internal Tests read it, too. */
export const ATTACKS: readonly Attack[] = [
  search('8 searches of 600,000 names', 8, manyNames),
  search('40 searches of 600,000 names', 40, manyNames),
  bulk('40 Bulk requests of 600,000 names', 40, manyNames),
  search('8 searches of 2,700,000 empty objects', 8, manyObjects),
  bulk('8 Bulk requests of 2,700,000 empty objects', 8, manyObjects),
  bulk('8 Bulk requests of 140,000 objects with distinct names', 8, distinctNames),
  bulk('8 Bulk requests of 290,000 strings', 8, longStrings),
  bulk('40 Bulk requests of one string of 8 MiB', 40, oneString),
  bulk('60 Bulk requests of 8 MiB that stall', 60, oneString, STALL_AT),
  search('60 searches of 8 MiB that stall', 60, oneString, STALL_AT),
];

const HEAP_MB = 1_024;
const STALL_MS = 5_000;

/** Sends one body, or its beginning; the outcome is a status or an error code. */
const send = (gateway: string, { slug, key }: Tenant, attack: Attack, agent: Agent) => {
  const { method, path, body, stallAt } = attack;
  const sent: ClientRequest = request(`${gateway}/v1/${slug}/scim/v2${path}`, {
    agent,
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/scim+json',
      'content-length': body.length,
    },
  });
  const outcome = new Promise<string>((settle) => {
    sent.on('response', (response) => {
      response.resume();
      response.on('close', () => settle(String(response.statusCode)));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
  });
  if (stallAt === undefined) sent.end(body);
  else sent.write(body.subarray(0, stallAt));
  return { sent, outcome };
};

const countOutcomes = (outcomes: readonly string[]): string =>
  [...new Set(outcomes)]
    .sort()
    .map((one) => `${outcomes.filter((other) => other === one).length}×${one}`)
    .join(' ');

/** Attacks a fresh gateway while another tenant reads; resolves with how the gateway ended. */
const runAttack = async (
  context: Context,
  attack: Attack,
  main: string,
  report: Run['report'],
): Promise<string | undefined> => {
  const gateway = await context.startGateway(
    {},
    { main: builtMain(main), nodeFlags: [`--max-old-space-size=${HEAP_MB}`] },
  );
  const { url, pid } = gateway;
  const run = Date.now().toString(36);
  const attacker = await context.createTenant(url, `attacker-${run}`);
  const other = tenantClient(() => url, await context.createTenant(url, `other-${run}`));
  const read = () => other.expect(200, 'GET', '/me');
  await read();
  const { peakMb: before } = await readUsage(pid);
  await resetPeak(pid);

  const probe = startProbe([read], { pauseMs: 10 });
  const agent = new Agent({ maxSockets: Infinity });
  const requests = Array.from({ length: attack.parallel }, () =>
    send(url, attacker, attack, agent),
  );
  if (attack.stallAt !== undefined) {
    await sleep(STALL_MS);
    for (const { sent } of requests) sent.destroy();
  }
  const outcomes = await Promise.all(requests.map(({ outcome }) => outcome));
  await probe.stop();
  const { peakMb } = await readUsage(pid).catch(() => ({ peakMb: NaN }));
  const died = await Promise.race([gateway.ended.then((code) => `exit code ${code}`), sleep(0)]);
  report(
    `${attack.name.padEnd(55)} ${countOutcomes(outcomes).padEnd(24)} ` +
      `RSS ${before.toFixed(0)} → ${peakMb.toFixed(0)} MB  other tenant: ${formatProbed(probe.take())}`,
  );
  await kill(gateway);
  return died === undefined ? undefined : `${attack.name}: the gateway died (${died})`;
};

export const bodyFlood = defineScenario({
  name: 'body-flood',
  summary: `Sends the built gateway, with a heap of 1 GB, bodies that are designed to exhaust it. Prints for
each attack the responses, the peak of resident memory and the latency of another tenant's requests.
Exit code 1 if the gateway dies.`,
  options: {
    main: MAIN,
    only: text('', 'only attacks whose name contains this'),
  },
  success: 'The gateway survived every attack.',
  run: async ({ main, only }, run) => {
    const context = await openRunContext('', run);
    const deaths: string[] = [];
    for (const attack of ATTACKS.filter(({ name }) => name.includes(only))) {
      const death = await runAttack(context, attack, main, run.report);
      if (death !== undefined) deaths.push(death);
    }
    return { problems: deaths };
  },
});
