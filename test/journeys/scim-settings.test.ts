import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, TestGateway, type TestTenant } from '../support/gateway.js';

const gateway = TestGateway.use();
let operator: Client;

beforeAll(async () => {
  operator = await gateway.operator();
});

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

interface Resource {
  readonly id: string;
}

const membersOf = async ({ scim }: TestTenant, id: string): Promise<readonly string[]> => {
  const { body } = await scim<{ members: { value: string }[] }>('GET', `/Groups/${id}`);
  return body.members.map(({ value }) => value);
};

describe('scim.unknown_members', () => {
  const STALE = '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f';
  const createTenantWithUser = async (settings: object = { scim: { unknown_members: 'skip' } }) => {
    const tenant = await gateway.tenant({ room_provisioning: 'automatic', ...settings });
    const { body } = await tenant.scim<Resource>('POST', '/Users', { userName: 'ada' });
    return { tenant, ada: body.id, at: `/tenants/${tenant.slug}` };
  };
  const listOf = (...ids: readonly string[]) => ids.map((value) => ({ value }));
  const createGroup = async ({ scim }: TestTenant, ...members: readonly string[]) => {
    const body = { displayName: 'Dispatch', members: listOf(...members) };
    return scim<Resource>('POST', '/Groups', body);
  };

  it('applies to Bulk requests and dry runs, and counts removals as always', async () => {
    const { tenant, ada } = await createTenantWithUser({
      scim: { unknown_members: 'skip', max_removals_per_hour: 1 },
    });
    const eve = await tenant.scim<Resource>('POST', '/Users', { userName: 'eve' });
    const bob = await tenant.scim<Resource>('POST', '/Users', { userName: 'bob' });
    const data = { displayName: 'Dispatch', members: listOf(ada, eve.body.id, bob.body.id, STALE) };
    const bulk = await tenant.scim<{ Operations: { location: string }[] }>('POST', '/Bulk', {
      Operations: [{ method: 'POST', bulkId: 'one', path: '/Groups', data }],
    });
    expect(bulk.body).toMatchObject({ Operations: [{ status: '201' }] });
    const id = bulk.body.Operations[0]?.location.split('/').at(-1) ?? '';
    expect(await membersOf(tenant, id)).toHaveLength(3);

    const list = { displayName: 'Dispatch', members: listOf(ada, STALE) };
    const held = await tenant.scim('PUT', `/Groups/${id}`, list);
    expect(held).toMatchObject({ status: 503, body: { error: 'REMOVALS_HELD' } });
    const longer = { ...list, members: listOf(ada, eve.body.id, STALE) };
    const dry = await tenant.scim('PUT', `/Groups/${id}`, longer, { prefer: 'dry-run' });
    expect(dry.body).toMatchObject({
      dry_run: true,
      status: 200,
      skipped_members: [STALE],
      skipped_member_count: 1,
    });
    expect(await membersOf(tenant, id)).toHaveLength(3);
  });

  it('shows in the log, on the home page and in explanations who was left out', async () => {
    const { tenant, ada, at } = await createTenantWithUser();
    const { body: group } = await createGroup(tenant, STALE, 'not-an-id');

    const { body: log } = await operator<{ commands: readonly { id: string }[] }>(
      'GET',
      `${at}/commands?type=group.create`,
    );
    expect(log.commands).toMatchObject([
      { outcome: 'applied', skipped_members: ['not-an-id', STALE], skipped_member_count: 2 },
    ]);
    const overview = await operator<{ attention: readonly object[] }>('GET', `${at}/overview`);
    expect(overview.body.attention).toContainEqual(
      expect.objectContaining({
        code: 'MEMBERS_SKIPPED',
        severity: 'warning',
        link: `log/${log.commands[0]?.id}`,
      }),
    );
    const explained = await operator('GET', `${at}/explain?user=${ada}&room=Dispatch`);
    expect(JSON.stringify(explained.body)).toContain('leaving out 2 unknown members');

    await tenant.scim('PATCH', `/Groups/${group.id}`, {
      Operations: [{ op: 'add', path: 'members', value: listOf(ada, STALE) }],
    });
    const after = await operator('GET', `${at}/explain?user=${ada}&room=Dispatch`);
    expect(after.body).toMatchObject({ answer: { member: true } });
  });
});

describe('scim.post_existing', () => {
  const createReturning = async (settings: object) => {
    const tenant = await gateway.tenant({ room_provisioning: 'automatic', ...settings });
    const user = { userName: 'ada@example.com', externalId: 'x-1' };
    const { body } = await tenant.scim<Resource>('POST', '/Users', user);
    const members = [{ value: body.id }];
    await tenant.scim('POST', '/Groups', { displayName: 'Dispatch', members });
    await tenant.scim('PATCH', `/Users/${body.id}`, {
      Operations: [{ op: 'replace', path: 'active', value: false }],
    });
    const again = { ...user, userName: 'Ada@example.com', displayName: 'Ada King' };
    return { tenant, id: body.id, again, at: `/tenants/${tenant.slug}` };
  };
  const REACTIVATE = { scim: { post_existing: 'reactivate' } };

  it('reactivates the user with the same id, and shows it in the log', async () => {
    const { tenant, id, again, at } = await createReturning(REACTIVATE);
    const dry = await tenant.scim('POST', '/Users', again, { prefer: 'dry-run' });
    expect(dry.body).toMatchObject({ dry_run: true, status: 201, body: { id } });

    const created = await tenant.scim('POST', '/Users', again);

    expect(created).toMatchObject({
      status: 201,
      body: { id, active: true, displayName: 'Ada King', groups: [{ display: 'Dispatch' }] },
    });
    expect(created.headers.get('location')).toMatch(new RegExp(`/Users/${id}$`));
    const log = await operator('GET', `${at}/commands?type=user.create&limit=1`);
    expect(log.body).toMatchObject({
      commands: [{ outcome: 'applied', subject: { kind: 'user', id } }],
    });
    const events = await operator<{ events: readonly { event: string }[] }>('GET', `${at}/events`);
    expect(events.body.events.map(({ event }) => event)).toContain('user.reactivated');
    expect((await tenant.scim('POST', '/Users', again)).status).toBe(409);
  });

  it('applies in Bulk to users whom no other operation refers to', async () => {
    const { tenant, id, again } = await createReturning(REACTIVATE);
    const post = { method: 'POST', bulkId: 'ada', path: '/Users', data: again };
    const members = [{ value: 'bulkId:ada' }];
    const group = {
      method: 'POST',
      bulkId: 'g',
      path: '/Groups',
      data: { displayName: 'G', members },
    };
    const referred = await tenant.scim('POST', '/Bulk', { Operations: [post, group] });
    expect(referred.body).toMatchObject({ Operations: [{ status: '409' }, { status: '400' }] });

    const alone = await tenant.scim('POST', '/Bulk', { Operations: [post] });
    expect(alone.body).toMatchObject({
      Operations: [{ status: '201', location: expect.stringContaining(id) as string }],
    });
  });
});

describe('scim.log_position', () => {
  it('names the position from which the events continue a list', async () => {
    const tenant = await gateway.tenant({ scim: { log_position: true } });
    await tenant.scim('POST', '/Users', { userName: 'ada' });

    const lists = [
      await tenant.scim('GET', '/Users'),
      await tenant.scim('GET', '/Groups'),
      await tenant.scim('POST', '/Users/.search', {}),
      await tenant.scim('POST', '/.search', {}),
    ];
    await tenant.scim('POST', '/Users', { userName: 'eve' });

    const [seq] = lists.map(({ headers }) => headers.get('rollgate-seq'));
    for (const { headers } of lists) expect(headers.get('rollgate-seq')).toBe(seq);
    const events = await tenant.native('GET', `/events?after=${seq}`);
    expect(events.body).toMatchObject({
      events: [{ event: 'user.created', data: { user: { display_name: 'eve' } } }],
    });
    const created = await tenant.scim('POST', '/Users', { userName: 'bob' });
    expect(created.headers.get('rollgate-seq')).toBeNull();
  });

  it('is off by default', async () => {
    const { scim } = await gateway.tenant();
    expect((await scim('GET', '/Users')).headers.get('rollgate-seq')).toBeNull();
  });
});

describe('scim.roles', () => {
  const createTenant = async () => {
    const tenant = await gateway.tenant({ scim: { roles: true }, default_role: 'reader' });
    const operator = await gateway.operator();
    const map = (group: string, role: string, applies = true) =>
      operator('POST', `/tenants/${tenant.slug}/role-mappings`, {
        group_display_name: group,
        role,
        apply_on_scim_provisioning: applies,
        priority: 1,
      });
    await map('Admins', 'admin');
    await map('Readers', 'reader');
    await map('Editors', 'editor');
    await map('Off', 'never', false);
    const ids: string[] = [];
    for (const userName of ['ada', 'bob', 'eve', 'kim']) {
      const { body } = await tenant.scim('POST', '/Users', { userName });
      ids.push((body as { id: string }).id);
    }
    const push = (displayName: string, ...members: readonly (string | undefined)[]) =>
      tenant.scim('POST', '/Groups', {
        displayName,
        members: members.map((value) => ({ value })),
      });
    await push('Admins', ids[0], ids[1]);
    await push('Readers', ids[2]);
    const list = (query = '') => tenant.scim('GET', `/Roles${query}`);
    const namesOf = (body: object) =>
      (body as { Resources: readonly { value: string }[] }).Resources.map(({ value }) => value);
    return { ...tenant, list, namesOf };
  };

  it('lists the roles with the number of their users', async () => {
    const { list, scim } = await createTenant();
    const role = (value: string, totalAssignmentsUsed: number) => ({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Role'],
      ...{ id: value, value, display: value, supported: true, totalAssignmentsUsed },
      meta: { resourceType: 'Role' },
    });

    const { status, body } = await list();

    expect([status, body]).toEqual([
      200,
      {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
        ...{ totalResults: 3, itemsPerPage: 3, startIndex: 1 },
        Resources: [role('admin', 2), role('editor', 0), role('reader', 2)],
      },
    ]);
    expect((await scim('GET', '/ServiceProviderConfig')).body).toMatchObject({
      RolesAndEntitlements: {
        roles: { supported: true, multipleRolesSupported: false },
        entitlements: { supported: false },
      },
    });
    expect((await scim('GET', '/ResourceTypes/Role')).body).toMatchObject({ endpoint: '/Roles' });
    const schema = await scim('GET', '/Schemas/urn:ietf:params:scim:schemas:core:2.0:Role');
    expect(schema.body).toMatchObject({ name: 'Role' });
    expect((await scim('POST', '/Roles', { value: 'x' })).status).toBe(405);
  });

  it('filters, sorts and pages like other lists', async () => {
    const { list, namesOf } = await createTenant();
    const names = async (query: string) => namesOf((await list(query)).body);
    expect(await names('?filter=value eq "editor"')).toEqual(['editor']);
    expect(await names('?filter=value eq "Editor"')).toEqual([]);
    expect(await names('?filter=value sw "re" or value eq "admin"')).toEqual(['admin', 'reader']);
    expect(await names('?sortBy=value&sortOrder=descending')).toEqual([
      'reader',
      'editor',
      'admin',
    ]);
    expect(await names('?startIndex=2&count=1')).toEqual(['editor']);
    const { status, body } = await list('?filter=nothing eq "x"');
    expect([status, body]).toMatchObject([400, { scimType: 'invalidFilter' }]);

    for (const order of ['', '&sortBy=value&sortOrder=descending']) {
      const pages: string[][] = [];
      let cursor: string | undefined = '';
      let last: { nextCursor?: string; previousCursor?: string } = {};
      while (cursor !== undefined) {
        const page = await list(`?count=2&cursor=${cursor}${order}`);
        pages.push(namesOf(page.body));
        last = page.body;
        cursor = last.nextCursor;
      }
      const expected = ['admin', 'editor', 'reader'];
      const sorted = order === '' ? expected : expected.toReversed();
      expect(pages).toEqual([sorted.slice(0, 2), sorted.slice(2)]);
      const back = await list(`?count=2&cursor=${last.previousCursor}${order}`);
      expect(namesOf(back.body)).toEqual(sorted.slice(0, 2));
      expect(back.body).not.toHaveProperty('previousCursor');
    }
    const { body: few } = await list('?attributes=value');
    expect((few as { Resources: object[] }).Resources[0]).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Role'],
      ...{ id: 'admin', value: 'admin' },
    });
  });

  it('is off by default', async () => {
    const { scim } = await gateway.tenant();
    expect((await scim('GET', '/Roles')).status).toBe(404);
    expect((await scim('GET', '/ResourceTypes/Role')).status).toBe(404);
    expect((await scim('GET', '/ServiceProviderConfig')).body).not.toHaveProperty(
      'RolesAndEntitlements',
    );
  });
});

describe('scim.profile', () => {
  it('interop refuses unknown attributes in every write, and standard ignores them', async () => {
    const interop = await gateway.tenant({ scim: { profile: 'interop' } });
    const { body: user } = await interop.scim<Resource>('POST', '/Users', { userName: 'ada' });
    const at = `/Users/${user.id}`;
    const unknown = { userName: 'eve', shoeSize: 41 };
    const patch = { Operations: [{ op: 'replace', path: 'shoeSize', value: 41 }] };
    const writes = [
      ['POST', '/Users', unknown],
      ['PUT', at, unknown],
      ['PATCH', at, patch],
    ] as const;
    for (const [method, path, data] of writes) {
      expect(await interop.scim(method, path, data)).toMatchObject({
        status: 400,
        body: { scimType: 'invalidSyntax' },
      });
      const operation = { method, path, data, bulkId: 'a' };
      expect((await interop.scim('POST', '/Bulk', { Operations: [operation] })).body).toMatchObject(
        { Operations: [{ status: '400', response: { scimType: 'invalidSyntax' } }] },
      );
    }
    const standard = await gateway.tenant();
    expect((await standard.scim('POST', '/Users', unknown)).status).toBe(201);
  });

  it('does not claim conformance, because not every rule holds', async () => {
    const { scim } = await gateway.tenant({ scim: { profile: 'interop' } });
    expect((await scim('GET', '/ServiceProviderConfig')).body).not.toHaveProperty(
      'interopProfileConformant',
    );
  });
});

describe('scim.strict_errors', () => {
  const RFC_ATTRIBUTES = ['schemas', 'status', 'scimType', 'detail'];
  const namesIn = (body: object): readonly string[] => Object.keys(body);

  /** Requests that different parts of the gateway refuse. */
  const REFUSED: readonly (readonly [string, string, unknown?, Record<string, string>?])[] = [
    ['GET', '/Users/6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f'],
    ['GET', '/Nowhere'],
    ['GET', '/Users/%zz'],
    ['GET', '/Schemas/urn:unknown'],
    ['GET', '/Users?filter=userName'],
    ['PUT', '/Users', {}],
    ['GET', '/Me'],
    ['POST', '/Users', {}],
    ['POST', '/Users', { userName: 'ada' }],
    ['POST', '/Users', { userName: 'a' }, { 'content-type': 'text/plain' }],
    ['POST', '/Users', { userName: 'a' }, { 'content-encoding': 'gzip' }],
    ['POST', '/Bulk', { Operations: [] }],
  ];

  it('limits error bodies to the attributes of RFC 7644', async () => {
    const tenant = await gateway.tenant({ scim: { strict_errors: true } });
    await tenant.scim('POST', '/Users', { userName: 'ada' });

    for (const [method, path, body, headers] of REFUSED) {
      const response = await tenant.scim(method, path, body, {
        'content-type': 'application/scim+json',
        ...headers,
      });

      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.headers.get('x-request-id')).toMatch(/./);
      expect(response.body).toMatchObject({ schemas: [ERROR], status: String(response.status) });
      expect(RFC_ATTRIBUTES, `${method} ${path}`).toEqual(
        expect.arrayContaining([...namesIn(response.body)]),
      );
    }
  });

  it('applies to errors in Bulk operations and in dry runs', async () => {
    const tenant = await gateway.tenant({ scim: { strict_errors: true } });
    const refused = { method: 'POST', path: '/Users', data: { userName: true } };

    const bulk = await tenant.scim<{ Operations: readonly { response: object }[] }>(
      'POST',
      '/Bulk',
      { Operations: [refused] },
    );
    const preview = await tenant.scim<{ body: object }>(
      'POST',
      '/Users',
      {},
      {
        prefer: 'dry-run',
      },
    );

    for (const body of [bulk.body.Operations[0]?.response ?? {}, preview.body.body])
      expect(namesIn(body)).toEqual(RFC_ATTRIBUTES);
  });

  it('is off by default, and does not apply to unrecognised keys', async () => {
    const plain = await gateway.tenant();
    const strict = await gateway.tenant({ scim: { strict_errors: true } });
    const { url } = await gateway.open();

    const refused = await plain.scim('POST', '/Users', {});
    const unknown = await fetch(`${url}/v1/${strict.slug}/scim/v2/Users`);

    const more = { error: 'INVALID_REQUEST', request_id: refused.headers.get('x-request-id') };
    expect(refused.body).toMatchObject({ ...more, details: [{ path: 'userName' }] });
    expect(await unknown.json()).toMatchObject({
      status: '401',
      error: 'UNAUTHENTICATED',
      request_id: unknown.headers.get('x-request-id'),
    });
  });
});

describe('scim.max_removals_per_hour', () => {
  const limit = { scim: { max_removals_per_hour: 2 } };
  const createUsers = async (tenant: TestTenant, count: number): Promise<readonly string[]> => {
    const ids: string[] = [];
    while (ids.length < count) {
      const { body } = await tenant.scim<Resource>('POST', '/Users', {
        userName: `user-${ids.length}`,
      });
      ids.push(body.id);
    }
    return ids;
  };
  const deactivate = (tenant: TestTenant, id = '') =>
    tenant.scim<{ error: string }>('PATCH', `/Users/${id}`, {
      Operations: [{ op: 'replace', path: 'active', value: false }],
    });

  it('holds what exceeds it, until an operator allows it', async () => {
    const tenant = await gateway.tenant({ room_provisioning: 'automatic', ...limit });
    const [one, two, three, four] = await createUsers(tenant, 4);
    expect((await deactivate(tenant, one)).status).toBe(200);
    expect((await tenant.scim('DELETE', `/Users/${two}`)).status).toBe(204);

    const held = await deactivate(tenant, three);

    expect([held.status, held.body.error]).toEqual([503, 'REMOVALS_HELD']);
    const preview = await tenant.scim('DELETE', `/Users/${three}?dry_run=true`);
    expect(preview).toMatchObject({
      status: 200,
      body: { dry_run: true, status: 503, body: { error: 'REMOVALS_HELD' } },
    });
    expect(Number(held.headers.get('retry-after'))).toBeGreaterThan(3_500);
    const user = await tenant.scim<{ active: boolean }>('GET', `/Users/${three}`);
    expect(user.body.active).toBe(true);
    // Everything else goes on.
    expect((await tenant.scim('POST', '/Users', { userName: 'new' })).status).toBe(201);

    const { body } = await operator<{ api_keys: readonly { key_id: string }[] }>(
      'GET',
      `/tenants/${tenant.slug}/api-keys`,
    );
    const allow = body.api_keys.map(({ key_id }) =>
      operator('POST', `/tenants/${tenant.slug}/api-keys/${key_id}/allow-removals`),
    );
    expect((await Promise.all(allow)).map(({ status }) => status)).toEqual([200]);
    for (const id of [three, four]) expect((await deactivate(tenant, id)).status).toBe(200);
  });

  it('refuses the operations of a Bulk one by one', async () => {
    const tenant = await gateway.tenant(limit);
    const ids = await createUsers(tenant, 3);
    const Operations = ids.map((id) => ({ method: 'DELETE', path: `/Users/${id}` }));

    const bulk = await tenant.scim<{ Operations: { status: string }[] }>('POST', '/Bulk', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations,
    });

    expect(bulk.body.Operations.map(({ status }) => status)).toEqual(['204', '204', '503']);
  });
});
