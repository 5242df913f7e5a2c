import { readFile } from 'node:fs/promises';
import { Agent, type ClientRequest, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCleanup } from '../../tools/shared/cleanup.js';
import { openContext, type Tenant } from '../../tools/shared/faults/context.js';
import type { GatewayProcess } from '../../tools/shared/gateway-process.js';
import { createTestDatabase } from '../support/database.js';

/*
 * Bodies that would exhaust a small heap. Before bodies were limited (docs/decisions/0013), each
 * except the last two crashed the process.
 */

/** Many concurrent requests with the same body. */
interface Attack {
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

const ATTACKS: readonly Attack[] = [
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
