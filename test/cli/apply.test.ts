import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { applyTenantPlan, createRollgateClient, planTenant } from '../../src/client/index.js';
import { ADMIN_TOKEN, createResource, TestGateway, type TestTenant } from '../support/gateway.js';
import { operatorCli } from './real-cli.js';

const gateway = TestGateway.use();
const cli = operatorCli(gateway);

let tenant: TestTenant;
let folder: string;
beforeEach(async () => {
  tenant = await gateway.tenant();
  folder = await mkdtemp(join(tmpdir(), 'rollgate-apply-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** `rollgate apply` with this document as a file. */
const apply = async (document: unknown, ...words: readonly string[]) => {
  const text = typeof document === 'string' ? document : stringify(document);
  await writeFile(join(folder, 'acme.yaml'), text);
  return cli(['apply', '-f', 'acme.yaml', ...words], { cwd: folder });
};

const exported = async (slug = tenant.slug): Promise<Record<string, unknown>> =>
  parse((await cli(['tenant', 'export', slug])).stdout) as Record<string, unknown>;

const log = async () =>
  (await (await gateway.operator())('GET', `/tenants/${tenant.slug}/commands`)).body;

const names = (list: unknown, field = 'name') =>
  (list as readonly Record<string, unknown>[]).map((item) => item[field]);

const WHOLE = {
  name: 'Acme Rescue',
  seat_capacity: 50,
  default_role: 'listener',
  scim: { put_without_members: 'keep' },
  schema_extension: [{ name: 'costCenter', type: 'string' }],
  role_mappings: [{ group_display_name: 'Leads', role: 'lead', priority: 10 }],
  rooms: [
    { name: 'Dispatch', mapping: { display_name: 'Dispatch team', external_id: 'g-1' } },
    { name: 'Night' },
  ],
  webhooks: [
    { url: 'https://hooks.example.com/a?token=1', events: ['user.created'], description: 'HR' },
    { url: 'https://hooks.example.com/b', events: ['*'], status: 'disabled' },
  ],
};

describe('apply', () => {
  it('creates a tenant with everything in the file, and prints secrets once', async () => {
    // Given the file of a tenant that does not exist
    const slug = `${tenant.slug}-new`;
    // When it is applied
    const run = await apply({ slug, ...WHOLE }, '--json');
    // Then all of it exists, and the secrets of its webhooks are in the output
    expect([run.exitCode, run.stderr]).toEqual([0, '']);
    expect(JSON.parse(run.stdout)).toMatchObject({
      slug,
      applied: true,
      secrets: [
        {
          url: 'https://hooks.example.com/a?token=1',
          secret: expect.stringMatching(/^whsec_/) as string,
        },
        { url: 'https://hooks.example.com/b', secret: expect.stringMatching(/^whsec_/) as string },
      ],
    });
    expect(await exported(slug)).toMatchObject({
      ...WHOLE,
      slug,
      rooms: [WHOLE.rooms[0], { name: 'Night', mapping: null }],
      webhooks: [
        { url: 'https://hooks.example.com/a?***', description: 'HR', status: 'active' },
        { url: 'https://hooks.example.com/b', status: 'disabled' },
      ],
    });
  });

  it('changes nothing when the tenant is what the file says', async () => {
    // Given a tenant and its exported file
    await apply({ slug: tenant.slug, ...WHOLE });
    const before = await log();
    // When the file is applied again
    const run = await apply(await exported(), '--dry-run');
    const again = await apply(await exported());
    // Then there is no change, and no entry in the log
    expect([run.exitCode, again.exitCode]).toEqual([0, 0]);
    expect(again.stdout).toBe(`Tenant ${tenant.slug} is what the file says.\n`);
    expect(await log()).toEqual(before);
  });

  it('with --dry-run prints the plan, exits with 2 and changes nothing', async () => {
    // Given a user who is in a mapped group
    await apply({ slug: tenant.slug, ...WHOLE });
    const id = await createResource(tenant.native, '/users', { email: 'ada@example.com' });
    await createResource(tenant.scim, '/Groups', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Leads',
      members: [{ value: id }],
    });
    const before = await exported();
    // When the role of the group is to change
    const role_mappings = [{ group_display_name: 'leads', role: 'chief' }];
    const run = await apply({ slug: tenant.slug, seat_capacity: 60, role_mappings }, '--dry-run');
    // Then the plan has the change and what it does
    expect(run.exitCode).toBe(2);
    expect(run.stdout).toBe(
      [
        `2 changes of ${tenant.slug}:`,
        `  ~ tenant ${tenant.slug}`,
        '      seat_capacity: 50 → 60',
        '  ~ role mapping leads',
        '      group_display_name: Leads → leads',
        '      role: lead → chief',
        '      1 event: user.updated',
        '      1 user: role lead → chief',
        '',
      ].join('\n'),
    );
    expect(await exported()).toEqual(before);
  });

  it('keeps what a section does not have, and deletes it with --prune', async () => {
    await apply({ slug: tenant.slug, ...WHOLE });
    const less = { slug: tenant.slug, rooms: [{ name: 'night' }], schema_extension: [] };
    // Without --prune nothing is deleted, and the rest is listed
    const kept = await apply(less, '--dry-run');
    expect([kept.exitCode, kept.stdout]).toEqual([
      2,
      expect.stringContaining('= room Dispatch, not in the file'),
    ]);
    // With --prune it must be confirmed
    const asked = await apply(less, '--prune');
    expect([asked.exitCode, names((await exported()).rooms)]).toEqual([2, ['Dispatch', 'Night']]);
    const pruned = await apply(less, '--prune', '--yes');
    expect(pruned.exitCode).toBe(0);
    // Then only what the file has is left in its sections; other sections stay
    const { rooms, schema_extension, webhooks } = await exported();
    expect([names(rooms), schema_extension, names(webhooks, 'url').length]).toEqual([
      ['night'],
      [],
      2,
    ]);
  });

  it('changes nothing if the gateway would refuse one of the changes', async () => {
    const before = await exported();
    // Given a file with one valid and two invalid changes
    const run = await apply({
      slug: tenant.slug,
      seat_capacity: 5,
      rooms: [{ name: 'Dispatch' }],
      webhooks: [{ url: 'http://localhost/plain', events: ['user.created'] }],
      role_mappings: [{ group_display_name: 'Leads', role: 'lead', priority: -1 }],
    });
    // Then both are named, and the valid one is not made
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain('The gateway would refuse 2 changes. Nothing was changed.');
    expect(run.stderr).toContain('role mapping Leads: INVALID_REQUEST');
    expect(run.stderr).toContain('webhook http://localhost/plain: INVALID_REQUEST');
    expect(await exported()).toEqual(before);
  });

  it('creates no tenant if one of the other changes is not valid', async () => {
    const slug = `${tenant.slug}-invalid`;
    // Given the file of a new tenant with an invalid mapping, role mapping and attribute
    const run = await apply({
      slug,
      rooms: [{ name: 'Dispatch', mapping: { display_name: 'x'.repeat(300) } }],
      role_mappings: [{ group_display_name: 'Leads', role: 'lead', priority: -1 }],
      schema_extension: [{ name: 'schemas', type: 'string' }],
    });
    // Then all are named, and there is no tenant
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain('The gateway would refuse 3 changes. Nothing was changed.');
    expect((await cli(['tenant', 'show', slug])).exitCode).not.toBe(0);
  });

  it('creates an empty tenant if it shows only then that a change is refused', async () => {
    const slug = `${tenant.slug}-early`;
    const file = {
      slug,
      role_mappings: [{ group_display_name: 'Leads', role: 'lead' }],
      webhooks: [{ url: 'https://127.0.0.1/hook', events: ['*'] }],
    };
    // Given an address that the gateway refuses for a reason beyond its form
    const run = await apply(file);
    // Then what was made and what to do are printed, and nothing of the rest was made
    expect([run.exitCode, run.stderr]).toEqual([
      1,
      expect.stringMatching(
        /Made 1 of 3 changes\. Correct the cause, then apply the file again[^]+PLAN_REFUSED: webhook/,
      ),
    ]);
    expect((await exported(slug)).role_mappings).toEqual([]);
    // And the corrected file has the rest
    const again = await apply({ ...file, webhooks: [] });
    expect(again.exitCode).toBe(0);
    expect(names((await exported(slug)).role_mappings, 'role')).toEqual(['lead']);
  });

  it('prints how much was made if a change fails', async () => {
    // Given two rooms of the same group, each of which is valid alone
    const run = await apply({
      slug: tenant.slug,
      rooms: [
        { name: 'A', mapping: { display_name: 'Team' } },
        { name: 'B', mapping: { display_name: 'Team' } },
      ],
      role_mappings: [{ group_display_name: 'Leads', role: 'lead' }],
    });
    // Then the steps before it stay
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain('Made 2 of 3 changes.');
    expect(names((await exported()).rooms)).toEqual(['A', 'B']);
  });

  it('does not overwrite what changed after the plan', async () => {
    // Given a plan of a tenant's settings and attributes
    const { url } = await gateway.open();
    const api = createRollgateClient({ baseUrl: url, token: ADMIN_TOKEN });
    const plan = await planTenant(api, { slug: tenant.slug, ...WHOLE });
    // When another operator declares an attribute, on any gateway, before it is applied
    const other = await planTenant(api, {
      slug: tenant.slug,
      schema_extension: [{ name: 'badge' }],
    });
    await applyTenantPlan(api, other);
    // Then the plan is refused, and the attribute stays
    await expect(applyTenantPlan(api, plan)).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(names((await exported()).schema_extension)).toEqual(['badge']);
    // And the plan that is made anew has both
    await applyTenantPlan(api, await planTenant(api, { slug: tenant.slug, ...WHOLE }));
    expect(names((await exported()).schema_extension)).toEqual(['costCenter', 'badge']);
  });

  it.each([
    [
      'a file without a slug',
      'name: Acme\n',
      'acme.yaml:1: The file needs the "slug" of the tenant.',
    ],
    [
      'a section that is no list',
      'slug: acme\nrooms:\n  name: x\n',
      'acme.yaml:2: rooms must be a list.',
    ],
    [
      'an item without its name',
      'slug: acme\nrooms:\n  - mapping: null\n',
      'acme.yaml:3: Each room needs a "name".',
    ],
    [
      'an item twice',
      'slug: acme\nrooms:\n  - name: A\n  - name: a\n',
      'acme.yaml:4: The room "a" is there twice.',
    ],
    [
      'an alias that repeats itself',
      'slug: acme\nrooms: &all\n  - name: A\n    mapping: *all\n',
      'acme.yaml:4: the alias *all is part of the value that it repeats',
    ],
    ['a key twice', 'slug: acme\nslug: acme\n', 'acme.yaml:2'],
  ])('names the line of %s', async (_case, text, message) => {
    const { exitCode, stderr } = await apply(text);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('asks for the query of a webhook that it cannot know', async () => {
    const slug = `${tenant.slug}-copy`;
    const { exitCode, stderr } = await apply({
      slug,
      webhooks: [{ url: 'https://hooks.example.com/a?***', events: ['*'] }],
    });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Replace *** by the query')]);
  });
});
