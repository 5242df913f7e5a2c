import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestGateway, type TestTenant } from '../support/gateway.js';
import { operatorCli, tenantCli } from './real-cli.js';

const gateway = TestGateway.use();
const operator = operatorCli(gateway);
let tenant: TestTenant;
const integrator = tenantCli(gateway, () => tenant);

beforeAll(() => gateway.open());
beforeEach(async () => {
  tenant = await gateway.tenant();
});

const run = (verb: string, ...words: readonly string[]) =>
  integrator(['user', verb, tenant.slug, ...words]);

const userNamed = async (email: string) => {
  const path = `/users?email=${encodeURIComponent(email)}`;
  const { body } = await tenant.native<{ users: Record<string, unknown>[] }>('GET', path);
  return body.users[0];
};

describe('user create', () => {
  it('creates a user with an API key', async () => {
    const words = ['ada@example.com', '--name', 'Ada Lovelace', '--external-id', 'HR-1815'];
    const { exitCode, stdout, stderr } = await run('create', ...words);
    expect(exitCode).toBe(0);
    expect(stderr).toBe('Created user ada@example.com.\n\n');
    expect(stdout).toMatch(/^email +ada@example\.com\nname +Ada Lovelace\nactive +yes\n/);
    expect(await userNamed('ada@example.com')).toMatchObject({ external_id: 'HR-1815' });
  });

  it('creates a user with the admin token', async () => {
    const { exitCode, stderr } = await operator(['user', 'create', tenant.slug, 'a@example.com']);
    expect([exitCode, stderr]).toEqual([0, 'Created user a@example.com.\n\n']);
    expect(await userNamed('a@example.com')).toMatchObject({ user_name: 'a@example.com' });
  });

  it('says where the API key comes from if its scope does not suffice', async () => {
    const { key } = await gateway.createKey(tenant.slug, ['usage']);
    const words = ['user', 'create', tenant.slug, 'a@example.com', '--api-key', key];
    const { exitCode, stderr } = await integrator(words);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('The API key comes from --api-key.');
  });
});

describe('user list', () => {
  beforeEach(async () => {
    await run('create', 'ada@example.com', '--name', 'Ada Lovelace');
    await run('create', 'bob@example.com', '--active', 'no');
  });

  it('lists users with the admin token or an API key', async () => {
    for (const cli of [operator, integrator]) {
      const { stdout } = await cli(['user', 'list', tenant.slug]);
      expect(stdout).toMatch(/^EMAIL +NAME +ACTIVE +ROLE +EXTERNAL ID +UPDATED +ID\n/);
      expect(stdout).toMatch(/\nada@example\.com +Ada Lovelace +yes +member +- /);
      expect(stdout).toMatch(/\nbob@example\.com +\S+ +no /);
    }
  });

  it.each([
    [['--active', 'no'], ['bob@example.com']],
    [['--search', 'ada'], ['ada@example.com']],
    [['--email', 'BOB@example.com'], ['bob@example.com']],
    [['--role', 'nothing'], []],
  ])('filters by %j', async (filter, emails) => {
    const { stdout } = await run('list', ...filter, '--json');
    const { users } = JSON.parse(stdout) as { users: { email: string }[] };
    expect(users.map(({ email }) => email)).toEqual(emails);
  });
});

describe('user show', () => {
  it('finds a user by email address or id', async () => {
    await run('create', 'ada@example.com');
    const { stdout } = await operator(['user', 'show', tenant.slug, 'ADA@example.com']);
    const [, id = ''] = /\nid +(\S+)\n/.exec(stdout) ?? [];
    const json = await run('show', id, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ id, email: 'ada@example.com' });
  });
});

describe('user update and deactivate', () => {
  beforeEach(() => run('create', 'ada@example.com'));

  it('updates the display name', async () => {
    const { stderr } = await run('update', 'ada@example.com', '--name', 'Ada King');
    expect(stderr).toContain('Updated user ada@example.com.');
    expect(await userNamed('ada@example.com')).toMatchObject({ display_name: 'Ada King' });
  });

  it.each([
    ['the admin token', operator],
    ['an API key', integrator],
  ])('deactivates after confirmation, and reactivates, with %s', async (_what, cli) => {
    const words = ['user', 'deactivate', tenant.slug, 'ada@example.com'];
    const refused = await cli(words, { input: 'no' });
    expect([refused.exitCode, refused.stderr]).toMatchObject([2, /can no longer sign in/]);
    expect(await userNamed('ada@example.com')).toMatchObject({ active: true });
    const { stderr } = await cli(words, { input: 'ada@example.com' });
    expect(stderr).toContain('Deactivated user ada@example.com.');
    expect(await userNamed('ada@example.com')).toMatchObject({ active: false });
    const again = await cli(['user', 'reactivate', tenant.slug, 'ada@example.com']);
    expect(again).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'Reactivated user ada@example.com.\n',
    });
    expect(await userNamed('ada@example.com')).toMatchObject({ active: true });
  });
});
