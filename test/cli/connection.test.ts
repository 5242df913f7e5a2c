import { beforeAll, describe, expect, it } from 'vitest';
import { generateApiKey } from '../../src/http/access/credentials.js';
import { TestGateway, type TestTenant } from '../support/gateway.js';
import { operatorCli } from './real-cli.js';

const gateway = TestGateway.use();
const cli = operatorCli(gateway);
const OKTA = { 'user-agent': 'Okta SCIM Client 1.0.0' };

let tenant: TestTenant;
let prefix: string;
beforeAll(async () => {
  tenant = await gateway.tenant();
  prefix = tenant.key.slice(0, 11);
  await tenant.scim('GET', '/Users', undefined, OKTA);
  await tenant.scim('GET', '/Users/none', undefined, OKTA);
});

const run = (verb: string, ...words: readonly string[]) =>
  cli(['connection', verb, tenant.slug, ...words]);

describe('connection', () => {
  it('lists keys with their clients and states', async () => {
    const { exitCode, stdout } = await run('list');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `^test +Okta +The last request was refused: .+ 2 +1 +\\S+ \\(just now\\) +${prefix}$`,
        'm',
      ),
    );
    expect((await run('list', '-q')).stdout).toBe(`${tenant.keyId}\n`);
  });

  it('shows one with its last refusal and its cycles, by description, prefix or id', async () => {
    const { stdout } = await run('show', 'test');
    expect(stdout).toMatch(/^last refusal +\S+ \(just now\): .+ \(USER_NOT_FOUND\)$/m);
    expect(stdout).toMatch(/^CYCLE +REQUESTS +USERS CHANGED +REFUSED\n\S+ \(just now\) +2 +0 +1$/m);
    for (const name of [prefix, tenant.keyId]) {
      const { stdout: json } = await run('show', name, '--json');
      expect(JSON.parse(json)).toMatchObject({
        key_id: tenant.keyId,
        client: 'Okta',
        cycles: [{ requests: 2, refused: 1 }],
      });
    }
  });

  it('lists failed authentications', async () => {
    expect(await run('failures')).toMatchObject({
      stdout: '',
      stderr: `No failed authentications in ${tenant.slug}.\n`,
    });
    const { key, prefix: wrong } = generateApiKey();
    const stranger = await gateway.tenantWithKey(tenant.slug, key);
    await stranger.scim('GET', '/Users');
    const { stdout } = await run('failures');
    expect(stdout).toMatch(
      new RegExp(`\\(just now\\) +1 +\\S+ +${wrong} +There is no such key\\. Enter a key`),
    );
  });
});
