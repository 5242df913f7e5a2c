import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeOperatorsApi, openFakeOperatorsApi } from '../support/fake-operators-api.js';
import { type CliSurroundings, runCli } from '../support/run-cli.js';

let api: FakeOperatorsApi;
beforeEach(async () => {
  api = await openFakeOperatorsApi();
});
afterEach(() => api.close());

const run = (words: readonly string[], more: CliSurroundings = {}) =>
  runCli(['--url', api.url, '--token', api.token, ...words], more);

describe('tenant create', () => {
  it('sends the settings in the words of the API', async () => {
    const words = ['--name', 'Acme Dispatch', '--seats', '50', '--room-provisioning', 'automatic'];
    const { exitCode } = await run(['tenant', 'create', 'acme', ...words]);
    expect(exitCode).toBe(0);
    expect(api.requests[0]).toMatchObject({
      method: 'POST',
      path: '/admin/v1/tenants',
      body: {
        slug: 'acme',
        name: 'Acme Dispatch',
        seat_capacity: 50,
        room_provisioning: 'automatic',
      },
    });
  });

  it('sends the settings of SCIM together', async () => {
    const words = ['--scim-put-without-members', 'keep', '--scim-strict-errors', 'yes'];
    const { exitCode, out } = await run(['tenant', 'create', 'acme', ...words]);
    expect(exitCode).toBe(0);
    const scim = { put_without_members: 'keep', strict_errors: true };
    expect(api.requests[0]?.body).toStrictEqual({ slug: 'acme', name: 'acme', scim });
    expect(out).toContain('PUT without members  keeps the members of the group');
    expect(out).toContain("SCIM errors          the RFC's attributes only");
  });

  it('names the tenant after its slug when no name is given', async () => {
    await run(['tenant', 'create', 'acme']);
    expect(api.requests[0]?.body).toStrictEqual({ slug: 'acme', name: 'acme' });
  });

  it('shows the addresses that integrators need', async () => {
    const { out } = await run(['tenant', 'create', 'acme', '--seats', '50']);
    expect(out).toContain(`SCIM address         ${api.url}/v1/acme/scim/v2\n`);
    expect(out).toContain('seats                50\n');
  });

  it('says who it is, so that the provisioning log can tell', async () => {
    await run(['tenant', 'create', 'acme']);
    expect(api.requests[0]?.headers['user-agent']).toMatch(/^rollgate-cli\/\d+\.\d+\.\d+/);
  });

  it.each([
    ['a slug that no tenant can have', ['tenant', 'create', 'Acme!'], 'A slug is 3 to 63'],
    ['seats that are no number', ['tenant', 'create', 'acme', '--seats', 'many'], 'unlimited'],
    [
      'a setting of SCIM that is neither yes nor no',
      ['tenant', 'create', 'acme', '--scim-strict-errors', 'perhaps'],
      'yes, no',
    ],
    [
      'a way of provisioning rooms that is none',
      ['tenant', 'create', 'acme', '--room-provisioning', 'magic'],
      'manual, automatic',
    ],
  ])('refuses %s before anything is sent', async (_what, words, hint) => {
    const { exitCode, notes } = await run(words);
    expect(exitCode).toBe(2);
    expect(notes).toContain(hint);
    expect(api.requests).toStrictEqual([]);
  });
});

describe('tenant list', () => {
  it('prints an aligned table with relative times', async () => {
    api.addTenant({ slug: 'acme', name: 'Acme Dispatch', seat_capacity: 50 });
    api.addTenant({ slug: 'zenith', name: '東京消防庁', room_provisioning: 'automatic' });
    const { out } = await run(['tenant', 'list']);
    expect(out).toBe(
      [
        'SLUG    NAME               SEATS  DEFAULT ROLE  ROOMS      CREATED',
        'acme    Acme Dispatch         50  member        manual     2026-11-18T09:00Z (3 days ago)',
        'zenith  東京消防庁     unlimited  member        automatic  2026-11-18T09:00Z (3 days ago)',
        '',
      ].join('\n'),
    );
  });

  it('prints the slugs alone with --quiet', async () => {
    api.addTenant({ slug: 'acme' });
    api.addTenant({ slug: 'zenith' });
    const { out, notes } = await run(['tenant', 'list', '-q']);
    expect({ out, notes }).toStrictEqual({ out: 'acme\nzenith\n', notes: '' });
  });

  it("prints the API's answer untouched with --json", async () => {
    const body = '{"tenants":[],"total":0,"limit":100,"offset":0,"later":{"field":1}}';
    api.answerOnce({ status: 200, body });
    const { out, notes } = await run(['tenant', 'list', '--json']);
    expect({ out, notes }).toStrictEqual({ out: `${body}\n`, notes: '' });
  });

  it('says what to do where there is none', async () => {
    const { out, notes } = await run(['tenant', 'list']);
    expect(out).toBe('');
    expect(notes).toContain('"rollgate tenant create" makes one');
  });

  it('says how to see the rest of a long list', async () => {
    for (const slug of ['one', 'two', 'three']) api.addTenant({ slug });
    const { notes } = await run(['tenant', 'list', '--limit', '2']);
    expect(notes).toContain('Tenants 1 to 2 of 3. The next ones: --offset 2');
    const beyond = await run(['tenant', 'list', '--offset', '5']);
    expect(beyond.notes).toContain('--offset 5 is past the end of tenants: 3 in all.');
  });

  it('lets no name of others speak to the terminal', async () => {
    api.addTenant({ slug: 'acme', name: 'Acme\u001B[2J\u202Eevil' });
    const { out } = await run(['tenant', 'list'], { colours: true });
    expect(out).toContain('Acme�[2J�evil');
  });
});

describe('tenant set', () => {
  it('sends what is named and nothing else', async () => {
    api.addTenant({ slug: 'acme' });
    const { exitCode } = await run(['tenant', 'set', 'acme', '--seats', '80']);
    expect(exitCode).toBe(0);
    expect(api.requests[0]).toMatchObject({ method: 'PATCH', path: '/admin/v1/tenants/acme' });
    expect(api.requests[0]?.body).toStrictEqual({ seat_capacity: 80 });
  });

  it('sends one setting of SCIM alone', async () => {
    api.addTenant({ slug: 'acme' });
    const { exitCode } = await run(['tenant', 'set', 'acme', '--scim-strict-errors', 'no']);
    expect(exitCode).toBe(0);
    expect(api.requests[0]?.body).toStrictEqual({ scim: { strict_errors: false } });
  });

  it('takes "unlimited" for no limit', async () => {
    api.addTenant({ slug: 'acme', seat_capacity: 5 });
    const { out } = await run(['tenant', 'set', 'acme', '--seats', 'unlimited']);
    expect(api.requests[0]?.body).toStrictEqual({ seat_capacity: null });
    expect(out).toContain('unlimited');
  });

  it('refuses to set nothing', async () => {
    const { exitCode, notes } = await run(['tenant', 'set', 'acme']);
    expect(exitCode).toBe(2);
    expect(notes).toContain('Nothing to set');
  });
});

describe('tenant delete', () => {
  const remove = (more: CliSurroundings, ...words: string[]) =>
    run(['tenant', 'delete', 'acme', ...words], more);
  beforeEach(() => api.addTenant({ slug: 'acme', name: 'Acme Dispatch' }));

  it('deletes when the slug is typed', async () => {
    const { exitCode, questions, notes } = await remove({ typed: 'acme' });
    expect(exitCode).toBe(0);
    expect(questions).toStrictEqual(['Type acme to go on: ']);
    expect(notes).toContain('This deletes the tenant acme (Acme Dispatch)');
    expect(api.tenants()).toStrictEqual([]);
  });

  it.each(['yes', 'acm', ''])('deletes nothing when %j is typed instead', async (typed) => {
    const { exitCode, notes } = await remove({ typed });
    expect(exitCode).toBe(2);
    expect(notes).toContain('Nothing was done');
    expect(api.tenants()).toHaveLength(1);
  });

  it('deletes nothing where nobody can be asked', async () => {
    const { exitCode, notes } = await remove({});
    expect(exitCode).toBe(2);
    expect(notes).toContain('--yes');
    expect(api.tenants()).toHaveLength(1);
  });

  it('asks nobody with --yes', async () => {
    const { exitCode, questions } = await remove({ typed: 'unused' }, '--yes');
    expect({ exitCode, questions }).toStrictEqual({ exitCode: 0, questions: [] });
    expect(api.tenants()).toStrictEqual([]);
  });

  it('says at once that there is no such tenant, before it asks', async () => {
    const { exitCode, notes, questions } = await run(['tenant', 'delete', 'zenith'], { typed: '' });
    expect({ exitCode, questions }).toStrictEqual({ exitCode: 1, questions: [] });
    expect(notes).toContain('TENANT_NOT_FOUND');
    expect(notes).toContain('"rollgate tenant list" shows all.');
  });
});
