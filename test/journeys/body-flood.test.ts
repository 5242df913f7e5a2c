import { readFile } from 'node:fs/promises';
import { Agent, type ClientRequest, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTACKS, type Attack } from '../../scripts/body-flood/attacks.js';
import { type GatewayProcess } from '../../scripts/crash/gateway-process.js';
import { openScene, type TenantAccess } from '../../scripts/crash/scene.js';
import { createCleanUp } from '../../scripts/demo/clean-up.js';
import { createTestDatabase } from '../support/database.js';

/**
 * Bodies that are made to exhaust a small heap (issue 12, 1). Before bodies were bounded, each but
 * the last two of these ended the process. How long others wait meanwhile is measured by
 * `npm run body-flood`: on a busy machine that says little.
 */
const { uri } = createTestDatabase();
const cleanUp = createCleanUp();
const agent = new Agent({ maxSockets: Infinity });
let gateway: GatewayProcess;
let tenant: Pick<TenantAccess, 'slug' | 'key'>;

beforeAll(async () => {
  const scene = await openScene(uri, cleanUp);
  gateway = await scene.start({ NODE_OPTIONS: '--max-old-space-size=512' });
  tenant = await scene.makeSilentTenant(gateway.url, 'flooded');
});
afterAll(async () => {
  agent.destroy();
  await cleanUp.run();
});

const begin = ({ method, path, body, stallAt }: Attack): ClientRequest => {
  const sent = request(`${gateway.url}/v1/${tenant.slug}/scim/v2${path}`, {
    agent,
    method,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      'content-type': 'application/scim+json',
      'content-length': body.length,
    },
  });
  if (stallAt === undefined) sent.end(body);
  else sent.write(body.subarray(0, stallAt));
  return sent;
};

/** The status; undefined where the connection broke, or the body was never complete. */
const statusOf = (sent: ClientRequest): Promise<number | undefined> =>
  new Promise((resolve) => {
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', () => resolve(undefined));
  });

/** Resident memory now, in megabytes; undefined where the system does not say. */
const memory = async (): Promise<number | undefined> => {
  const status = await readFile(`/proc/${gateway.pid}/status`, 'utf8').catch(() => '');
  const [, kib] = /VmRSS:\s+(\d+)/.exec(status) ?? [];
  return kib === undefined ? undefined : Number(kib) / 1_024;
};

const MOST_MB = 900;

describe('a flood of large bodies', () => {
  it.each(
    ATTACKS.filter(({ stallAt }) => stallAt === undefined).map((one) => [one.name, one] as const),
  )(
    'is refused and ends nothing: %s',
    async (_name, attack) => {
      const statuses = await Promise.all(
        Array.from({ length: attack.parallel }, () => statusOf(begin(attack))),
      );
      // A client that still sends may lose the connection before it has read its answer.
      const told = statuses.filter((status) => status !== undefined);
      expect(told.length).toBeGreaterThan(0);
      for (const status of told) expect([400, 413, 503]).toContain(status);
      expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
      expect((await memory()) ?? 0).toBeLessThan(MOST_MB);
    },
    60_000,
  );

  it('takes bodies that stall only so far, and takes others when those have gone', async () => {
    const [attack] = ATTACKS.filter(
      ({ stallAt, path }) => stallAt !== undefined && path === '/Bulk',
    );
    const sent = Array.from({ length: attack!.parallel }, () => begin(attack!));
    const statuses: (number | undefined)[] = [];
    for (const each of sent) void statusOf(each).then((status) => statuses.push(status));
    // All that find no room are refused; those that do wait for their last bytes.
    await expect.poll(() => statuses.length, { timeout: 20_000 }).toBeGreaterThan(50);
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect((await memory()) ?? 0).toBeLessThan(MOST_MB);
    for (const each of sent) each.destroy();
    const small = { ...attack!, body: Buffer.from('{"Operations":[]}') };
    await expect
      .poll(() => statusOf(begin({ ...small, stallAt: undefined })), { timeout: 20_000 })
      .toBe(400);
  }, 60_000);
});
