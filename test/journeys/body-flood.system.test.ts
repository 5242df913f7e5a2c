import { readFile } from 'node:fs/promises';
import { Agent, type ClientRequest, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTACKS, type Attack } from '../../tools/faults/body-flood.js';
import { createCleanup } from '../../tools/shared/cleanup.js';
import { openContext, type Tenant } from '../../tools/shared/faults/context.js';
import type { GatewayProcess } from '../../tools/shared/gateway-process.js';
import { createTestDatabase } from '../support/database.js';

/**
 * Bodies that would exhaust a small heap. Before bodies were limited (docs/decisions/0013), each
 * except the last two crashed the process. `npm run body-flood` measures how long other requests
 * take during the flood, which is not meaningful on a busy machine.
 */
const { uri } = createTestDatabase();
const cleanUp = createCleanup();
const agent = new Agent({ maxSockets: Infinity });
let gateway: GatewayProcess;
let tenant: Tenant;

beforeAll(async () => {
  const context = await openContext(uri, cleanUp);
  gateway = await context.startGateway({ NODE_OPTIONS: '--max-old-space-size=512' });
  tenant = await context.createTenant(gateway.url, 'flooded');
});
afterAll(async () => {
  agent.destroy();
  await cleanUp.run();
});

const send = ({ method, path, body, stallAt }: Attack): ClientRequest => {
  const clientRequest = request(`${gateway.url}/v1/${tenant.slug}/scim/v2${path}`, {
    agent,
    method,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      'content-type': 'application/scim+json',
      'content-length': body.length,
    },
  });
  if (stallAt === undefined) clientRequest.end(body);
  else clientRequest.write(body.subarray(0, stallAt));
  return clientRequest;
};

/** The response status; undefined if the connection broke. */
const statusOf = (clientRequest: ClientRequest): Promise<number | undefined> =>
  new Promise((resolve) => {
    clientRequest.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    clientRequest.on('error', () => resolve(undefined));
  });

/** The gateway's resident memory in megabytes; undefined if the platform has no /proc. */
const memory = async (): Promise<number | undefined> => {
  const status = await readFile(`/proc/${gateway.pid}/status`, 'utf8').catch(() => '');
  const [, kib] = /VmRSS:\s+(\d+)/.exec(status) ?? [];
  return kib === undefined ? undefined : Number(kib) / 1_024;
};

const MAX_MB = 900;

describe('a flood of large bodies', () => {
  it.each(
    ATTACKS.filter(({ stallAt }) => stallAt === undefined).map((one) => [one.name, one] as const),
  )(
    'is refused and does not crash the gateway: %s',
    async (_name, attack) => {
      const statuses = await Promise.all(
        Array.from({ length: attack.parallel }, () => statusOf(send(attack))),
      );
      // A client that is still sending may lose the connection before it reads the response.
      const received = statuses.filter((status) => status !== undefined);
      expect(received.length).toBeGreaterThan(0);
      for (const status of received) expect([400, 413, 503]).toContain(status);
      expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
      expect((await memory()) ?? 0).toBeLessThan(MAX_MB);
    },
    60_000,
  );

  it('of stalled requests is limited by the memory budget, which is released when they end', async () => {
    const [attack] = ATTACKS.filter(
      ({ stallAt, path }) => stallAt !== undefined && path === '/Bulk',
    );
    const sent = Array.from({ length: attack!.parallel }, () => send(attack!));
    const statuses: (number | undefined)[] = [];
    for (const each of sent) void statusOf(each).then((status) => statuses.push(status));
    // Requests beyond the budget are refused; the others wait for their remaining bytes.
    await expect.poll(() => statuses.length, { timeout: 20_000 }).toBeGreaterThan(50);
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect((await memory()) ?? 0).toBeLessThan(MAX_MB);
    for (const each of sent) each.destroy();
    const small = { ...attack!, body: Buffer.from('{"Operations":[]}') };
    await expect
      .poll(() => statusOf(send({ ...small, stallAt: undefined })), { timeout: 20_000 })
      .toBe(400);
  }, 60_000);
});
