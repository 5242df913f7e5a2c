import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeOperatorsApi, openFakeOperatorsApi } from '../support/fake-operators-api.js';
import { type CliSurroundings, runCli } from '../support/run-cli.js';
import { SCOPES } from '../../src/domain/scopes.js';

let api: FakeOperatorsApi;
beforeEach(async () => {
  api = await openFakeOperatorsApi();
  api.addTenant({ slug: 'acme' });
});
afterEach(() => api.close());

const run = (words: readonly string[], more: CliSurroundings = {}) =>
  runCli(['--url', api.url, '--token', api.token, 'key', ...words], more);

const create = (...words: string[]) => run(['create', 'acme', '--description', 'Okta', ...words]);
const scopesSent = () => (api.requests.at(-1)?.body as { scopes: readonly string[] }).scopes;

describe('key create', () => {
  it('prints the key alone, and everything else beside it', async () => {
    const { exitCode, out, notes } = await create('--preset', 'idp');
    const { prefix } = api.keysOf('acme')[0]!;
    expect(exitCode).toBe(0);
    expect(out).toBe(`${prefix}_${'x'.repeat(38)}\n`);
    expect(notes).toContain('shown only now');
    expect(notes).toContain(`SCIM address  ${api.url}/v1/acme/scim/v2\n`);
    expect(notes).not.toContain('REST address');
  });

  it('says nothing but the key with --quiet', async () => {
    const { out, notes } = await create('--scope', 'usage', '--quiet');
    expect(out).toMatch(/^rg_\S+\n$/);
    expect(notes).toBe('');
  });

  it("prints the API's answer with --json", async () => {
    const { out, notes } = await create('--scope', 'usage', '--json');
    expect(JSON.parse(out)).toMatchObject({ description: 'Okta', scopes: ['usage'] });
    expect(notes).toBe('');
  });

  it.each([
    ['idp', ['scim:read', 'scim:write']],
    ['read-only', ['scim:read', 'api:users:read', 'api:rooms:read', 'api:sms_lists:read', 'usage']],
    ['room-sync', ['api:users:read', 'api:rooms:read', 'api:rooms:write']],
    ['webhooks', ['webhooks']],
    ['all', SCOPES],
  ])('knows the scopes of the preset %s', async (preset, scopes) => {
    await create('--preset', preset);
    expect(scopesSent()).toStrictEqual(scopes);
  });

  it('adds presets and scopes up, each once', async () => {
    await create('--scope', 'webhooks', '--preset', 'idp', '--scope', 'scim:read,usage');
    expect(scopesSent()).toStrictEqual(['scim:read', 'scim:write', 'usage', 'webhooks']);
  });

  it.each([
    ['a scope that is nearly right', ['--scope', 'scim:raed'], 'Did you mean scim:read?'],
    ['a preset that there is not', ['--preset', 'everything'], 'There are idp, read-only'],
    ['no scopes at all', [], 'A key needs scopes'],
  ])('refuses %s before anything is sent', async (_what, words, hint) => {
    const { exitCode, notes } = await create(...words);
    expect(exitCode).toBe(2);
    expect(notes).toContain(hint);
    expect(api.requests).toStrictEqual([]);
  });

  it('labels the key by what it is for when no description is given', async () => {
    await run(['create', 'acme', '--preset', 'idp', '--scope', 'usage']);
    expect(api.requests[0]?.body).toMatchObject({ description: 'idp usage' });
  });
});

describe('key list', () => {
  it('prints who has which key and when it was used', async () => {
    const fields = { prefix: 'rg_4fJx09Qa', key_id: '0b9f6d3e-5a3c-4b8e-8a55-6d1d2c3b4a59' };
    api.addKey('acme', { ...fields, last_used_at: '2026-11-21T08:57:00.000Z' });
    api.addKey('acme', { ...fields, description: 'Board', scopes: ['usage'] });
    const { out } = await run(['list', 'acme']);
    expect(out).toBe(
      [
        'PREFIX       DESCRIPTION  SCOPES                LAST USED                          CREATED                         KEY ID',
        'rg_4fJx09Qa  Okta         scim:read scim:write  2026-11-21T08:57Z (3 minutes ago)  2026-11-18T09:00Z (3 days ago)  0b9f6d3e-5a3c-4b8e-8a55-6d1d2c3b4a59',
        'rg_4fJx09Qa  Board        usage                 never                              2026-11-18T09:00Z (3 days ago)  0b9f6d3e-5a3c-4b8e-8a55-6d1d2c3b4a59',
        '',
      ].join('\n'),
    );
  });

  it('breaks many scopes over lines instead of the table', async () => {
    api.addKey('acme', { scopes: SCOPES });
    const { out } = await run(['list', 'acme']);
    const column = out
      .split('\n')
      .slice(1, -1)
      .map((line) => line.slice(26, 58).trim());
    expect(column.join(' ')).toBe(SCOPES.join(' '));
    expect(column.length).toBeGreaterThan(3);
  });

  it('prints the ids alone with --quiet', async () => {
    const { key_id } = api.addKey('acme', {});
    expect((await run(['list', 'acme', '-q'])).out).toBe(`${key_id}\n`);
  });
});

describe('key roll', () => {
  it('makes a key with the same description and scopes, and leaves the old one', async () => {
    const old = api.addKey('acme', { scopes: ['usage'], description: 'Board' });
    const { exitCode, out } = await run(['roll', 'acme', old.key_id]);
    const [first, second] = api.keysOf('acme');
    expect(exitCode).toBe(0);
    expect(first).toStrictEqual(old);
    expect(second).toMatchObject({ description: 'Board', scopes: ['usage'] });
    expect(out).toContain(second!.prefix);
  });

  it('says that the old one stays valid, when it was last used and how to delete it', async () => {
    const old = api.addKey('acme', { last_used_at: '2026-11-21T06:00:00.000Z' });
    const { notes } = await run(['roll', 'acme', old.prefix]);
    expect(notes).toContain(`${old.prefix} stays valid until you delete it`);
    expect(notes).toContain('it was last used 3 hours ago');
    expect(notes).toContain(`rollgate key delete acme ${old.key_id}`);
  });

  it('finds a key beyond the first page', async () => {
    for (let number = 0; number < 501; number += 1) api.addKey('acme', {});
    const last = api.keysOf('acme').at(-1)!;
    expect((await run(['roll', 'acme', last.prefix, '-q'])).exitCode).toBe(0);
  });

  it('says that there is no such key', async () => {
    const { exitCode, notes } = await run(['roll', 'acme', 'rg_nothing1']);
    expect(exitCode).toBe(1);
    expect(notes).toContain('rollgate key list acme');
  });

  it('refuses a whole key, and does not repeat it', async () => {
    const key = `rg_4fJx09Qa_${'s'.repeat(38)}`;
    const { exitCode, notes } = await run(['roll', 'acme', key]);
    expect(exitCode).toBe(2);
    expect(notes).not.toContain(key);
    expect(api.requests).toStrictEqual([]);
  });
});

describe('key delete', () => {
  it('deletes by the prefix, when it is typed again', async () => {
    const kept = api.addKey('acme', {});
    const { prefix } = api.addKey('acme', {});
    const { exitCode, notes } = await run(['delete', 'acme', prefix], { typed: prefix });
    expect(exitCode).toBe(0);
    expect(notes).toContain('it was never used');
    expect(api.keysOf('acme')).toStrictEqual([kept]);
  });

  it('deletes nothing where nobody can be asked', async () => {
    const { key_id } = api.addKey('acme', {});
    expect((await run(['delete', 'acme', key_id])).exitCode).toBe(2);
    expect(api.keysOf('acme')).toHaveLength(1);
  });

  it('asks nobody with --yes', async () => {
    const { key_id } = api.addKey('acme', {});
    expect((await run(['delete', 'acme', key_id, '--yes'])).exitCode).toBe(0);
    expect(api.keysOf('acme')).toStrictEqual([]);
  });
});
