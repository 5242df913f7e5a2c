import { describe, expect, it } from 'vitest';
import { Authenticator } from '../support/authenticator.js';
import { TestGateway } from '../support/gateway.js';
import { operatorCli } from './real-cli.js';

const gateway = TestGateway.use();
const cli = operatorCli(gateway);

const operator = (...words: readonly string[]) => cli(['operator', ...words]);

describe('operator', () => {
  it('create, list, show, update and delete an operator, found by name or e-mail', async () => {
    const { slug } = await gateway.tenant();
    const created = await operator(
      ...['create', 'Grace Hopper', '--role', 'operator'],
      ...['--email', 'grace@example.com', '--tenant', slug],
    );
    expect([created.exitCode, created.stderr]).toEqual([
      0,
      expect.stringContaining('Created operator Grace Hopper.') as unknown,
    ]);
    expect(created.stderr).toContain('rollgate operator link ');
    expect((await operator('list')).stdout).toMatch(
      new RegExp(`Grace Hopper +grace@example.com +operator +${slug} +link `),
    );
    await operator('update', 'GRACE@example.com', '--role', 'auditor', '--tenant', 'none');
    const shown = await operator('show', 'grace hopper', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ role: 'auditor', tenants: null });
    const deleted = await operator('delete', 'Grace Hopper', '--yes');
    expect([deleted.exitCode, deleted.stderr]).toEqual([0, 'Deleted operator Grace Hopper.\n']);
    expect((await operator('show', 'Grace Hopper')).exitCode).toBe(1);
  });

  it('a name that several operators have changes none of them; an id is no name', async () => {
    const create = async (name: string, email: string) =>
      (await operator('create', name, '--role', 'auditor', '--email', email, '-q')).stdout.trim();
    const first = await create('Sam', 'sam@example.com');
    const second = await create('sam', 'sam@example.org');
    const namesake = await create(second, 'other@example.com');

    const { exitCode, stderr } = await operator('delete', 'Sam', '--yes');

    expect([exitCode, stderr]).toEqual([
      1,
      [
        'error: "Sam" matches 2 operators.',
        '  Pass the id of one of them:',
        `    ${first}  Sam (sam@example.com)`,
        `    ${second}  sam (sam@example.org)`,
        '',
      ].join('\n'),
    ]);
    expect((await operator('delete', second, '--yes')).stderr).toBe('Deleted operator sam.\n');
    const left = (await operator('list', '-q')).stdout;
    expect(left).toContain(first);
    expect(left).toContain(namesake);
    expect((await operator('delete', 'sam', '--yes')).stderr).toBe('Deleted operator Sam.\n');
  });

  it('create refuses an owner bound to a tenant', async () => {
    const { slug } = await gateway.tenant();
    const { exitCode, stderr } = await operator('create', 'X', '--role', 'owner', '--tenant', slug);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('an owner is not bound to tenants') as unknown,
    ]);
  });

  it('link prints a link alone, which signs the operator in', async () => {
    await operator('create', 'Ada', '--role', 'admin');
    const { stdout, stderr } = await operator('link', 'Ada');
    const { url } = await gateway.open();
    expect(stdout).toMatch(/^http:\/\/localhost:\d+\/dashboard\/sign-in#[\w-]{43}\n$/);
    expect(stderr).toMatch(/^Works once, until /);
    const { status } = await fetch(`${url}/admin/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ link: stdout.trim().split('#')[1] }),
    });
    expect(status).toBe(201);
  });

  it('passkeys lists and deletes passkeys, and log shows who did what', async () => {
    const signedIn = await withPasskey('Joan');

    const { stdout } = await operator('passkeys', 'list', 'Joan');
    expect(stdout).toMatch(/^NAME +CREATED +LAST USED +ID\nLaptop +\S.* - +\S{36}\n$/);
    const completed = await cli(['complete', '--', 'operator', 'passkeys', 'delete', 'Joan', '']);
    expect(completed.stdout.trim()).toBe('Laptop');
    const wrong = await operator('passkeys', 'delete', 'Joan', 'Lapto', '--yes');
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      1,
      expect.stringContaining('Passkey "Lapto" not found.') as unknown,
    ]);
    const deleted = await operator('passkeys', 'delete', 'Joan', 'laptop', '--yes');
    expect([deleted.exitCode, deleted.stderr]).toEqual([0, 'Deleted passkey Laptop.\n']);
    expect((await operator('passkeys', 'list', 'Joan', '--quiet')).stdout).toBe('');

    await operator('update', 'Joan', '--disabled', 'yes');
    const log = await operator('log', 'Joan');
    expect(log.stdout).toMatch(/^TIME +WHO +ACTION +REFUSED\n/);
    for (const text of [
      'Joan +signed in',
      'Joan +added the passkey "Laptop"',
      'removed a passkey of "Joan"',
    ])
      expect(log.stdout).toMatch(new RegExp(text));
    expect((await operator('log', '--limit', '1')).stderr).toContain('Next page: --after ');
    expect(signedIn).toBe(201);
  });
});

/** An operator with a passkey "Laptop", created in a browser; returns the status of its creation. */
const withPasskey = async (name: string): Promise<number> => {
  await operator('create', name, '--role', 'auditor');
  const link = new URL((await operator('link', name, '-q')).stdout.trim());
  const { origin } = link;
  const { url } = await gateway.open();
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/admin/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, ...headers },
      body: JSON.stringify(body),
    });
  const cookiesOf = (response: Response): readonly string[] =>
    response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  const opened = await post('/session', { link: link.hash.slice(1) });
  const { csrf_token: csrf, operator: own } = (await opened.json()) as {
    readonly csrf_token: string;
    readonly operator: { readonly id: string };
  };
  const headers = { 'x-csrf-token': csrf, cookie: cookiesOf(opened).join('; ') };
  const path = `/operators/${own.id}/passkeys`;
  const asked = await post(`${path}/challenge`, {}, headers);
  const { challenge } = (await asked.json()) as { readonly challenge: string };
  const cookie = [headers.cookie, ...cookiesOf(asked)].join('; ');
  const credential = new Authenticator(origin).create({ challenge });
  return (await post(path, { name: 'Laptop', credential }, { ...headers, cookie })).status;
};
