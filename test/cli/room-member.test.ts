import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createResource, TestGateway, type TestTenant } from '../support/gateway.js';
import { runCli } from '../support/run-cli.js';
import { operatorCli, tenantCli } from './real-cli.js';

const gateway = TestGateway.use();
const operator = operatorCli(gateway);
let tenant: TestTenant;
let room: string;
let ada: string;
const integrator = tenantCli(gateway, () => tenant);

beforeAll(() => gateway.open());
beforeEach(async () => {
  tenant = await gateway.tenant();
  const created = await operator(['room', 'create', tenant.slug, 'Dispatch', '--quiet']);
  room = created.stdout.trim();
  const user = { email: 'ada@example.com', display_name: 'Ada Lovelace' };
  ada = await createResource(tenant.native, '/users', user);
});

const member = (verb: string, ...words: readonly string[]) => [
  ...['member', verb, tenant.slug, 'Dispatch'],
  ...words,
];
const members = async () => {
  const path = `/rooms/${room}/members`;
  return (await tenant.native<{ members: unknown[] }>('GET', path)).body.members;
};

describe.each([
  ['the admin token', operator],
  ['an API key', integrator],
])('member, with %s', (_what, cli) => {
  it('adds a user by email address, changes the permission, and removes the user', async () => {
    const added = await cli(member('add', 'ada@example.com', '--transmit', 'yes'));
    expect(added).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'Added ada@example.com, who may transmit.\n',
    });
    expect(await members()).toMatchObject([{ user_id: ada, tx_permission: true }]);

    const updated = await cli(member('update', 'ADA@example.com', '--transmit', 'no'));
    expect(updated.stderr).toBe('Updated ada@example.com, who may only listen.\n');
    expect(await members()).toMatchObject([{ user_id: ada, tx_permission: false }]);

    const refused = await cli(member('remove', ada), { input: 'no' });
    expect([refused.exitCode, refused.stderr]).toMatchObject([2, /can no longer hear or speak/]);
    const removed = await cli(member('remove', ada), { input: 'ada@example.com' });
    expect(removed.stderr).toContain('Removed member ada@example.com.\n');
    expect(await members()).toEqual([]);
  });
});

describe('member list', () => {
  it('lists the members of a room', async () => {
    await operator(member('add', ada));
    const { stdout } = await operator(member('list'));
    expect(stdout).toMatch(
      /^EMAIL +NAME +ACTIVE +MAY TRANSMIT +ADDED +USER ID\nada@example\.com +Ada Lovelace +yes +no +\S+ \(just now\) +\S{36}\n$/,
    );
    const { stdout: ids } = await operator(member('list', '--quiet'));
    expect(ids).toBe(`${ada}\n`);
  });
});

describe('member add', () => {
  it('completes rooms and users', async () => {
    const { url, adminToken } = await gateway.open();
    const env = { ROLLGATE_URL: url, ROLLGATE_ADMIN_TOKEN: adminToken };
    const complete = async (...words: readonly string[]) =>
      (await runCli(['complete', '--', 'member', 'add', tenant.slug, ...words], { env })).stdout;
    expect(await complete('Disp')).toBe('Dispatch\n');
    expect(await complete('Dispatch', 'ad')).toBe('ada@example.com\n');
  });
});
