import { beforeEach, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/domain/scopes.js';
import { TestGateway } from '../support/gateway.js';
import { operatorCli } from './real-cli.js';

const gateway = TestGateway.use();
const cli = operatorCli(gateway);

interface Key {
  readonly key_id: string;
  readonly prefix: string;
  readonly description: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
}

let slug: string;
beforeEach(async () => {
  ({ slug } = await gateway.tenant());
  const operator = await gateway.operator();
  for (const { key_id } of await keys())
    await operator('DELETE', `/tenants/${slug}/api-keys/${key_id}`);
});

const keys = async (): Promise<readonly Key[]> => {
  const operator = await gateway.operator();
  const { body } = await operator<{ api_keys: Key[] }>('GET', `/tenants/${slug}/api-keys`);
  return body.api_keys;
};

const run = (verb: string, ...words: readonly string[]) => cli(['key', verb, slug, ...words]);
const create = (...words: string[]) => run('create', '--description', 'Okta', ...words);
const createdPrefix = async (...words: string[]): Promise<string> => {
  const { stdout } = await create('-q', ...(words.length > 0 ? words : ['--preset', 'idp']));
  return stdout.slice(0, 'rg_12345678'.length);
};

describe('key create', () => {
  it('prints only the key to standard output', async () => {
    const { exitCode, stdout, stderr } = await create('--preset', 'idp');
    const { url } = await gateway.open();
    const [key] = await keys();
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${key!.prefix}_\\S+\n$`));
    expect(stderr).toContain(
      `Created API key ${key!.prefix}. Copy it now: it cannot be shown again.`,
    );
    expect(stderr).toContain(`SCIM URL     ${url}/v1/${slug}/scim/v2\n`);
    expect(stderr).not.toContain('REST URL');
  });

  it('prints nothing but the key with --quiet', async () => {
    const { stdout, stderr } = await create('--scope', 'usage', '--quiet');
    expect(stdout).toMatch(/^rg_\S+\n$/);
    expect(stderr).toBe('');
  });

  it.each([
    ['idp', ['scim:read', 'scim:write']],
    ['read-only', ['scim:read', 'api:users:read', 'api:rooms:read', 'api:sms_lists:read', 'usage']],
    ['room-sync', ['api:users:read', 'api:rooms:read', 'api:rooms:write']],
    ['webhooks', ['webhooks']],
    ['all', [...SCOPES, 'webhooks', 'connectors:push']],
  ])('expands the preset %s', async (preset, scopes) => {
    await create('--preset', preset);
    expect(await keys()).toMatchObject([{ scopes }]);
  });

  it('combines presets and scopes, each scope once', async () => {
    await create('--scope', 'webhooks', '--preset', 'idp', '--scope', 'scim:read,usage');
    expect(await keys()).toMatchObject([
      { scopes: ['scim:read', 'scim:write', 'usage', 'webhooks'] },
    ]);
  });

  it('creates a key that expires', async () => {
    const { stderr } = await create('--preset', 'idp', '--expires', '90d');
    expect(stderr).toContain('\nexpires ');
    const [key] = await keys();
    const days = (Date.parse(key?.expires_at ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThanOrEqual(90);
  });

  it('uses presets and scopes as the description if none is given', async () => {
    await run('create', '--preset', 'idp', '--scope', 'usage');
    expect(await keys()).toMatchObject([{ description: 'idp usage' }]);
  });

  it.each([
    ['a mistyped scope', ['--scope', 'scim:raed'], 'Did you mean scim:read?'],
    ['an unknown preset', ['--preset', 'everything'], 'Allowed: idp, read-only'],
    ['a key without scopes', [], 'A key needs scopes; pass --preset or --scope.'],
  ])('refuses %s', async (_what, words, hint) => {
    const { exitCode, stderr } = await create(...words);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(hint);
    expect(await keys()).toEqual([]);
  });
});

describe('key list', () => {
  it('prints who has which key and when it was last used', async () => {
    const { stdout: key } = await create('--scope', 'usage', '-q');
    await create('--preset', 'idp');
    const tenant = await gateway.tenantWithKey(slug, key.trim());
    expect((await tenant.native('GET', '/usage')).status).toBe(200);
    const { stdout } = await run('list');
    expect(stdout).toMatch(/^PREFIX +DESCRIPTION +SCOPES +LAST USED +EXPIRES +CREATED +ID\n/);
    expect(stdout).toMatch(
      /\nrg_\S+ +Okta +scim:read scim:write +never +never +\S+ \(just now\) +\S{36}\n/,
    );
  });

  it('wraps long lists of scopes', async () => {
    await create('--preset', 'all');
    const { stdout } = await run('list');
    const column = stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => line.slice(26, 58).trim());
    expect(column.join(' ')).toBe([...SCOPES, 'webhooks', 'connectors:push'].join(' '));
    expect(column.length).toBeGreaterThan(3);
  });
});

describe('key show', () => {
  it('shows a key by its prefix or id', async () => {
    const prefix = await createdPrefix();
    const { stdout } = await run('show', prefix);
    expect(stdout).toContain(`prefix       ${prefix}\ndescription  Okta\n`);
    const json = await run('show', (await keys())[0]!.key_id, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ prefix, last_used_at: null });
  });
});

describe('key rotate', () => {
  it('creates a key with the same description and scopes, and keeps the old one', async () => {
    const prefix = await createdPrefix('--scope', 'usage');
    const { exitCode, stdout, stderr } = await run('rotate', prefix);
    const [old, created] = await keys();
    expect(exitCode).toBe(0);
    expect(created).toMatchObject({ description: 'Okta', scopes: ['usage'] });
    expect(stdout).toContain(created!.prefix);
    expect(stderr).toContain(`The old key ${prefix} is still valid; it was never used.`);
    expect(stderr).toContain(`rollgate key delete ${slug} ${old!.prefix}`);
  });

  it('refuses a complete key, and does not print it', async () => {
    const key = `rg_4fJx09Qa_${'s'.repeat(38)}`;
    const { exitCode, stderr } = await run('rotate', key);
    expect(exitCode).toBe(2);
    expect(stderr).not.toContain(key);
  });
});

describe('key allow-removals', () => {
  it('lifts the limit for an hour', async () => {
    const prefix = await createdPrefix();
    const { exitCode, stdout } = await run('allow-removals', prefix);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/^Allowed until \S+Z \(.*\)\.\n$/),
    ]);
  });
});

describe('key delete', () => {
  it('deletes a key when its prefix is typed', async () => {
    await createdPrefix();
    const prefix = await createdPrefix();
    const { exitCode, stderr } = await cli(['key', 'delete', slug, prefix], { input: prefix });
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      `This deletes API key ${prefix} (Okta) of ${slug}; it was never used.`,
    );
    expect(stderr).toContain(`Deleted API key ${prefix}.`);
    expect(await keys()).toHaveLength(1);
  });
});
