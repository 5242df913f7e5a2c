import { describe, expect, it } from 'vitest';
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
});
