import { describe, expect, it } from 'vitest';
import { TestGateway } from '../support/gateway.js';
import { operatorCli } from './real-cli.js';

const gateway = TestGateway.use();
const cli = operatorCli(gateway);

const setupLink = (...words: readonly string[]) => cli(['setup-link', ...words]);

describe('setup-link', () => {
  it('create prints a link alone with --quiet, which opens the setup of its tenant', async () => {
    const { slug } = await gateway.tenant();
    const { stdout } = await setupLink('create', slug, '--provider', 'okta', '--quiet');
    expect(stdout).toMatch(new RegExp(`^http://\\S+/dashboard/t/${slug}/setup#[\\w-]{43}\\n$`));
    const { url } = await gateway.open();
    const { status } = await fetch(`${url}/admin/v1/setup-session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ link: stdout.trim().split('#')[1] }),
    });
    expect(status).toBe(201);
  });

  it('list shows the links, and revoke ends one by its provider', async () => {
    const { slug } = await gateway.tenant();
    for (const provider of ['okta', 'entra'])
      await setupLink('create', slug, '--provider', provider, '--expires-in-hours', '24');
    const { stdout } = await setupLink('list', slug);
    expect(stdout).toMatch(
      /^PROVIDER +EXPIRES +KEY +INTEGRATIONS +ID\nokta .*not created +no .*\nentra /,
    );
    expect(stdout).not.toContain('setup#');
    const revoked = await setupLink('revoke', slug, 'okta', '--yes');
    expect([revoked.exitCode, revoked.stderr]).toEqual([0, 'Revoked setup link okta.\n']);
    expect((await setupLink('list', slug)).stdout).not.toContain('okta');
  });

  it('revoke ends one of several links of a provider by its id', async () => {
    const { slug } = await gateway.tenant();
    for (const hours of ['1', '2'])
      await setupLink('create', slug, '--provider', 'okta', '--expires-in-hours', hours);
    const ids = (await setupLink('list', slug, '-q')).stdout.trim().split('\n');
    const unclear = await setupLink('revoke', slug, 'okta', '--yes');
    expect([unclear.exitCode, unclear.stderr]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(
          `"okta" matches 2 setup links.\n.*\n +${ids[0]} +okta \\(expires \\S+\\)\n +${ids[1]} `,
        ),
      ) as unknown,
    ]);
    const { exitCode, stderr } = await setupLink('revoke', slug, ids[1] ?? '', '--yes');
    expect([exitCode, stderr]).toEqual([0, 'Revoked setup link okta.\n']);
    expect((await setupLink('list', slug, '-q')).stdout.trim()).toBe(ids[0]);
  });
});
