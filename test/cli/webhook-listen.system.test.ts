import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { TestGateway, type TestTenant } from '../support/gateway.js';
import { operatorCli, tenantCli } from './real-cli.js';

const folder = mkdtempSync(join(tmpdir(), 'rollgate-listen-'));
const data = { ROLLGATE_DATA_DIR: folder };
const certificate = join(folder, 'webhook-listen.pem');

/** Created before the gateway starts, as it is after the first use of the command. */
const prepare = (): void => {
  execFileSync(
    'openssl',
    [
      ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'.split(' '),
      ...['-subj', '/CN=test', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ...['-keyout', join(folder, 'webhook-listen-key.pem'), '-out', certificate],
    ],
    { stdio: 'ignore' },
  );
};

const gateway = TestGateway.use(() => ({
  ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.1,::1',
  ROLLGATE_WEBHOOKS_CA: certificate,
}));
const strict = TestGateway.use();
let tenant: TestTenant;
const cli = tenantCli(gateway, () => tenant);

beforeAll(async () => {
  prepare();
  tenant = await gateway.tenant();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const registrations = async () =>
  (await tenant.native<{ webhooks: unknown[] }>('GET', '/webhooks')).body.webhooks;

/** Runs until this text is printed, and creates a user when the test event has come. */
const listen = async (words: readonly string[], until: string, email: string) => {
  const interrupt = new AbortController();
  let created: Promise<unknown> | undefined;
  const run = await cli(['webhook', 'listen', tenant.slug, ...words], {
    env: data,
    interruption: interrupt.signal,
    onOutput: (stdout) => {
      created ??= tenant.native('POST', '/users', { email });
      if (stdout.includes(until)) interrupt.abort();
    },
  });
  await created;
  return run;
};

describe('webhook listen', () => {
  it('prints verified deliveries and removes its registration at the end', async () => {
    const { exitCode, stdout, stderr } = await listen([], 'user.created', 'ada@example.com');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(
        /^Listening at https:\/\/localhost:\d+\/\. Press Ctrl-C to stop\.\nRemoved the registration\.\n$/,
      ) as string,
    });
    expect(stdout).toMatch(/^\S+Z {2}verified {2}webhook\.test {2}\{/);
    expect(stdout).toMatch(/\n\S+Z {2}verified {2}user\.created {2}seq 1 {2}.*ada@example\.com/);
    await eventually(async () => expect(await registrations()).toEqual([]));
  });

  it('prints one JSON document per delivery, of the given events only', async () => {
    const words = ['--events', 'user.created', '--json'];
    const { stdout } = await listen(words, 'grace@example.com', 'grace@example.com');
    const [test, created] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(test).toMatchObject({ verified: true, event: { event: 'webhook.test', seq: null } });
    expect(created).toMatchObject({ verified: true, event: { event: 'user.created' } });
  });

  it('says which settings the gateway needs if the test event does not arrive', async () => {
    // Given a gateway that does not allow loopback addresses, and an operator in a hurry
    const other = await strict.tenant();
    const interrupt = new AbortController();
    interrupt.abort();
    const { exitCode, stderr } = await operatorCli(strict)(['webhook', 'listen', other.slug], {
      env: data,
      interruption: interrupt.signal,
    });
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`ROLLGATE_WEBHOOKS_ALLOW=127.0.0.1 ROLLGATE_WEBHOOKS_CA=${folder}`);
  });
});
