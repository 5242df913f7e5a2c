import { beforeEach, describe, expect, it } from 'vitest';
import { TestGateway } from '../support/gateway.js';
import type { CliEnvironment } from '../support/run-cli.js';
import { operatorCli } from './real-cli.js';

const gateway = TestGateway.use();
const run = operatorCli(gateway);

let count = 0;
let slug: string;
beforeEach(() => {
  slug = `acme-${(count += 1)}`;
});

const tenantOf = async (name = slug) => {
  const operator = await gateway.operator();
  return operator('GET', `/tenants/${name}`);
};

const create = async (...words: readonly string[]) => {
  const created = await run(['tenant', 'create', slug, ...words]);
  expect(created.stderr).toContain(`Created tenant ${slug}.`);
  return created;
};

describe('tenant create', () => {
  it('creates a tenant with the given settings', async () => {
    const words = ['--name', 'Acme Rescue', '--seats', '50', '--room-provisioning', 'automatic'];
    await create(...words, '--default-role', 'guest', '--default-country', 'DE');
    expect((await tenantOf()).body).toMatchObject({
      slug,
      name: 'Acme Rescue',
      seat_capacity: 50,
      room_provisioning: 'automatic',
      default_role: 'guest',
      default_country: 'DE',
    });
  });

  it('sends SCIM settings together', async () => {
    const words = ['--scim-put-without-members', 'keep', '--scim-strict-errors', 'yes'];
    const { stdout } = await create(...words, '--scim-max-removals', '50');
    const scim = { put_without_members: 'keep', strict_errors: true, max_removals_per_hour: 50 };
    expect((await tenantOf()).body.scim).toMatchObject(scim);
    expect(stdout).toMatch(/^A SCIM PUT of a group without members +keep: keep the members$/m);
    expect(stdout).toMatch(/^SCIM errors with the attributes of RFC 7644 only +yes$/m);
    expect(stdout).toMatch(/^SCIM removals per hour and API key +50$/m);
  });

  it('uses the slug as the name if none is given', async () => {
    await create();
    expect((await tenantOf()).body).toMatchObject({ name: slug });
  });

  it('shows the URLs for integrators and the next command', async () => {
    const { stdout, stderr } = await create('--seats', '50');
    const { url } = await gateway.open();
    expect(stdout).toContain(`${'SCIM URL'.padEnd(50)}${url}/v1/${slug}/scim/v2\n`);
    expect(stdout).toMatch(/^seats +50$/m);
    expect(stderr).toContain(`rollgate key create ${slug} --preset idp`);
  });

  it.each([
    ['an invalid slug', ['Acme!'], 'A slug has 3 to 63 characters'],
    ['seats that are not a number', ['acme', '--seats', 'many'], 'or "unlimited"'],
    ['a value that is neither yes nor no', ['acme', '--scim-strict-errors', 'perhaps'], 'yes, no'],
    ['an unknown choice', ['acme', '--room-provisioning', 'magic'], 'manual, automatic'],
    ['a missing slug', [], "missing required argument 'slug'"],
    ['an unknown option', ['acme', '--color', 'red'], "unknown option '--color'"],
  ])('refuses %s with exit code 2 and a hint', async (_what, words, hint) => {
    const { exitCode, stderr } = await run(['tenant', 'create', ...words]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(hint);
    expect(stderr).toMatch(/\nRun "rollgate tenant create --help" for usage\.\n$/);
  });
});

describe('tenant list', () => {
  it('prints an aligned table', async () => {
    await create('--name', '東京消防庁', '--room-provisioning', 'automatic');
    const { stdout } = await run(['tenant', 'list', '--limit', '500']);
    const [titles = '', ...lines] = stdout.trimEnd().split('\n');
    expect(titles).toMatch(/^SLUG +NAME +SEATS +DEFAULT ROLE +ROOM PROVISIONING +CREATED$/);
    expect(lines.at(-1)).toMatch(
      new RegExp(`^${slug} +東京消防庁 +unlimited +member +automatic +\\S+ \\(just now\\)$`),
    );
  });
});

describe('tenant show', () => {
  it('shows settings and URLs', async () => {
    await create('--name', 'Acme Rescue');
    const { stdout } = await run(['tenant', 'show', slug]);
    expect(stdout).toMatch(/^slug +\S+\nname +Acme Rescue\nseats +unlimited\n/);
    expect(stdout).toMatch(/\n0 seats in use\n$/);
  });

  it('fails for an unknown tenant and says how to list all', async () => {
    const { exitCode, stderr } = await run(['tenant', 'show', 'nowhere']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('TENANT_NOT_FOUND');
    expect(stderr).toContain('List all tenants: rollgate tenant list');
  });
});

describe('tenant update', () => {
  it('changes only what is given', async () => {
    await create('--seats', '5', '--scim-put-without-members', 'keep');
    const { stderr } = await run(['tenant', 'update', slug, '--scim-strict-errors', 'yes']);
    expect(stderr).toContain(`Updated tenant ${slug}.`);
    expect((await tenantOf()).body).toMatchObject({
      seat_capacity: 5,
      scim: { put_without_members: 'keep', strict_errors: true },
    });
  });

  it('removes a limit with "unlimited" and a country with "none"', async () => {
    await create('--seats', '5', '--default-country', 'DE');
    const words = ['--seats', 'unlimited', '--default-country', 'none'];
    const { stdout } = await run(['tenant', 'update', slug, ...words]);
    expect((await tenantOf()).body).toMatchObject({ seat_capacity: null, default_country: null });
    expect(stdout).toContain('unlimited');
  });

  it('refuses an update without options', async () => {
    const { exitCode, stderr } = await run(['tenant', 'update', slug]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Nothing to update; pass at least one option.');
  });
});

describe('tenant delete', () => {
  const remove = (more: CliEnvironment, ...words: string[]) =>
    run(['tenant', 'delete', slug, ...words], more);
  beforeEach(async () => {
    await create('--name', 'Acme Rescue');
  });

  it('deletes the tenant when its slug is typed', async () => {
    const { exitCode, questions, stderr } = await remove({ input: slug });
    expect(exitCode).toBe(0);
    expect(questions).toEqual([`Type "${slug}" to confirm: `]);
    expect(stderr).toContain(`This deletes tenant ${slug} (Acme Rescue) with all its users`);
    expect(stderr).toContain(`Deleted tenant ${slug}.`);
    expect((await tenantOf()).status).toBe(404);
  });

  it.each(['yes', 'acm', ''])('deletes nothing when %j is typed', async (input) => {
    const { exitCode, stderr } = await remove({ input });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Not confirmed. Nothing was changed.');
    expect((await tenantOf()).status).toBe(200);
  });

  it('needs --yes if there is no terminal', async () => {
    const { exitCode, stderr } = await remove({});
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Not a terminal; pass --yes to confirm.');
    expect((await tenantOf()).status).toBe(200);
  });

  it('does not ask with --yes', async () => {
    const { exitCode, questions } = await remove({ input: 'unused' }, '--yes');
    expect({ exitCode, questions }).toEqual({ exitCode: 0, questions: [] });
    expect((await tenantOf()).status).toBe(404);
  });

  it('fails for an unknown tenant before it asks', async () => {
    const { exitCode, stderr, questions } = await run(['tenant', 'delete', 'nowhere'], {
      input: '',
    });
    expect({ exitCode, questions }).toEqual({ exitCode: 1, questions: [] });
    expect(stderr).toContain('TENANT_NOT_FOUND');
  });
});
