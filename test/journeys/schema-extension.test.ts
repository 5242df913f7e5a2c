import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunView } from '../../plugins/connectors/operate/views.js';
import {
  ADMIN_TOKEN,
  type Client,
  TestGateway,
  type TestTenant,
  useReceiver,
} from '../support/gateway.js';
import { peopleFile } from '../support/people-file.js';
import { eventually } from '../support/eventually.js';

const { open, receiver, env } = useReceiver();
const gateway = TestGateway.use(env);
let operator: Client;

beforeAll(async () => {
  await open();
  operator = await gateway.operator();
});

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const urnOf = ({ slug }: { readonly slug: string }) =>
  `urn:ietf:params:scim:schemas:extension:${slug}:2.0:User`;

const ATTRIBUTES = [
  { name: 'costCenter' },
  { name: 'badge', case_exact: true },
  { name: 'level', type: 'integer' },
  { name: 'ratio', type: 'decimal' },
  { name: 'remote', type: 'boolean' },
  { name: 'started', type: 'dateTime' },
  { name: 'page', type: 'reference' },
  { name: 'tags', multi_valued: true },
  { name: 'region', canonical_values: ['North', 'South'] },
];

const declare = (tenant: Pick<TestTenant, 'slug'>, attributes: readonly object[]) =>
  operator('PUT', `/tenants/${tenant.slug}/schema-extension`, { attributes });

const declaring = async (attributes: readonly object[] = ATTRIBUTES): Promise<TestTenant> => {
  const tenant = await gateway.tenant();
  expect(await declare(tenant, attributes)).toMatchObject({ status: 200 });
  return tenant;
};

interface ScimUser {
  readonly id: string;
  readonly schemas: readonly string[];
  readonly [attribute: string]: unknown;
}

const createUser = async (tenant: TestTenant, userName: string, custom: object) => {
  const body = { schemas: [CORE, urnOf(tenant)], userName, [urnOf(tenant)]: custom };
  const created = await tenant.scim<ScimUser>('POST', '/Users', body);
  expect(created).toMatchObject({ status: 201 });
  return created.body;
};

const customOf = async (tenant: TestTenant, id: string): Promise<unknown> => {
  const { body } = await tenant.scim<ScimUser>('GET', `/Users/${id}`);
  return body[urnOf(tenant)];
};

const patch = (tenant: TestTenant, id: string, ...Operations: readonly object[]) =>
  tenant.scim<ScimUser>('PATCH', `/Users/${id}`, { schemas: [PATCH], Operations });

const foundBy = async (tenant: TestTenant, filter: string): Promise<readonly unknown[]> => {
  const query = new URLSearchParams({ filter }).toString();
  const found = await tenant.scim<{ Resources: readonly ScimUser[]; detail?: string }>(
    'GET',
    `/Users?${query}`,
  );
  expect(found, found.body.detail).toMatchObject({ status: 200 });
  return found.body.Resources.map(({ userName }) => userName);
};

describe('the declaration of a schema extension', () => {
  it('is empty by default, and then nothing of it appears', async () => {
    const tenant = await gateway.tenant();
    const read = await operator('GET', `/tenants/${tenant.slug}/schema-extension`);
    expect(read.body).toEqual({ urn: urnOf(tenant), attributes: [] });

    const user = await createUser(tenant, 'ada', { costCenter: '4711' });

    expect(user.schemas).toEqual([CORE]);
    expect(user[urnOf(tenant)]).toBeUndefined();
    expect((await tenant.scim('GET', '/Schemas')).body).toMatchObject({ totalResults: 3 });
    const unknown = `filter=${encodeURIComponent(`${urnOf(tenant)}:costCenter pr`)}`;
    expect((await tenant.scim('GET', `/Users?${unknown}`)).status).toBe(400);
  });

  it('appears in /Schemas and /ResourceTypes of this tenant only', async () => {
    const [tenant, other] = [await declaring(), await gateway.tenant()];
    const urn = urnOf(tenant);

    const schema = await tenant.scim('GET', `/Schemas/${urn}`);

    expect(schema.body).toMatchObject({ id: urn, meta: { resourceType: 'Schema' } });
    expect(schema.body['attributes']).toContainEqual({
      name: 'region',
      type: 'string',
      multiValued: false,
      description: '',
      required: false,
      caseExact: false,
      canonicalValues: ['North', 'South'],
      mutability: 'readWrite',
      returned: 'default',
      uniqueness: 'none',
    });
    expect((await tenant.scim('GET', '/ResourceTypes/User')).body).toMatchObject({
      schemaExtensions: [{ required: false }, { schema: urn, required: false }],
    });
    expect((await other.scim('GET', `/Schemas/${urn}`)).status).toBe(404);
  });

  it.each([
    ['a name with a dot', [{ name: 'a.b' }], 'attributes[0].name'],
    ['a reserved name', [{ name: 'constructor' }], 'attributes[0].name'],
    ['a name whose values SCIM drops', [{ name: 'schemas' }], 'attributes[0].name'],
    ['another one', [{ name: 'Password' }], 'attributes[0].name'],
    ['the name value', [{ name: 'value' }], 'attributes[0].name'],
    ['one name in two cases', [{ name: 'a' }, { name: 'A' }], 'attributes[1].name'],
    ['an unknown type', [{ name: 'a', type: 'complex' }], 'attributes[0].type'],
    [
      'canonical values of a number',
      [{ name: 'a', type: 'integer', canonical_values: ['1'] }],
      'attributes[0].canonical_values',
    ],
    ['51 attributes', Array.from({ length: 51 }, (_, at) => ({ name: `a${at}` })), 'attributes'],
    [
      'a long declaration',
      Array.from({ length: 50 }, (_, at) => ({
        name: `a${at}`,
        canonical_values: ['x'.repeat(256), 'y'.repeat(256), 'z'.repeat(256)],
      })),
      'attributes',
    ],
  ])('is refused with %s', async (_what, attributes, path) => {
    const refused = await declare(await gateway.tenant(), attributes);

    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ error: 'INVALID_REQUEST', details: [{ path }] });
  });

  it('is refused for the tenant whose URN would be that of the Enterprise extension', async () => {
    const body = { slug: 'enterprise', name: 'Enterprise' };
    expect((await operator('POST', '/tenants', body)).status).toBe(201);

    const refused = await declare(body, [{ name: 'a' }]);

    expect(refused).toMatchObject({ status: 400, body: { error: 'INVALID_REQUEST' } });
  });

  it('is in the log, and changes only if it is still the one that was read', async () => {
    const tenant = await declaring([{ name: 'level', type: 'integer', required: true }]);
    const path = `/tenants/${tenant.slug}/schema-extension`;
    const read = await operator('GET', path);
    await declare(tenant, [{ name: 'level', type: 'integer' }]);

    const etag = read.headers.get('etag') ?? '';
    const late = await operator('PUT', path, { attributes: [] }, { 'if-match': etag });

    expect(late.status).toBe(412);
    const log = await operator<{ commands: readonly object[] }>(
      'GET',
      `/tenants/${tenant.slug}/commands?type=tenant.update&outcome=applied`,
    );
    expect(log.body.commands[0]).toMatchObject({
      changes: [
        {
          path: 'custom_attributes',
          before: ['level integer, required'],
          after: ['level integer'],
        },
      ],
    });
  });
});

describe('values of a schema extension', () => {
  it('are stored and returned by type', async () => {
    const tenant = await declaring();

    const user = await createUser(tenant, 'ada', {
      COSTCENTER: '4711',
      level: 3,
      ratio: 0.5,
      remote: 'True',
      started: '2026-01-31T13:00:00+01:00',
      page: 'https://example.com/ada',
      tags: ['a', 'B', 'b'],
      shoeSize: 42,
    });

    expect(user.schemas).toEqual([CORE, urnOf(tenant)]);
    expect(user[urnOf(tenant)]).toEqual({
      costCenter: '4711',
      level: 3,
      ratio: 0.5,
      remote: true,
      started: '2026-01-31T12:00:00.000Z',
      page: 'https://example.com/ada',
      tags: ['a', 'B'],
    });
    const only = await tenant.scim<ScimUser>(
      'GET',
      `/Users/${user.id}?attributes=${urnOf(tenant)}:level`,
    );
    expect(only.body[urnOf(tenant)]).toEqual({ level: 3 });
  });

  it.each([
    ['text for a number', { level: 'x' }, 'custom.level'],
    ['a fraction for an integer', { level: 1.5 }, 'custom.level'],
    ['no date', { started: '5' }, 'custom.started'],
    ['a value that is not canonical', { region: 'West' }, 'custom.region'],
    ['4,097 bytes', { costCenter: 'é'.repeat(2_048) + 'x' }, 'custom.costCenter'],
    ['a list of 101', { tags: Array.from({ length: 101 }, String) }, 'custom.tags'],
    ['a long list', { tags: ['x'.repeat(2_100), 'y'.repeat(2_100)] }, 'custom.tags'],
  ])('are refused with 400: %s', async (_what, custom, path) => {
    const tenant = await declaring();

    const body = { schemas: [CORE], userName: 'ada', [urnOf(tenant)]: custom };
    const refused = await tenant.scim('POST', '/Users', body);

    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ scimType: 'invalidValue', details: [{ path }] });
  });

  it('may have 4,096 bytes, and canonical values in any case', async () => {
    const tenant = await declaring();
    const given = { costCenter: 'é'.repeat(2_048), region: 'north' };

    const user = await createUser(tenant, 'ada', given);

    expect(user[urnOf(tenant)]).toEqual(given);
  });

  it("are patched in Okta's and Entra's forms", async () => {
    const tenant = await declaring();
    const urn = urnOf(tenant);
    const { id } = await createUser(tenant, 'ada', { costCenter: '1', tags: ['a'] });
    const after = async (...operations: readonly object[]) => {
      expect(await patch(tenant, id, ...operations)).toMatchObject({ status: 200 });
      return customOf(tenant, id);
    };

    // Entra: a qualified path; several names in a value without a path; values as texts.
    expect(
      await after(
        { op: 'Replace', path: `${urn}:costCenter`, value: '2' },
        { op: 'Add', value: { [`${urn}:remote`]: 'False', [`${urn}:level`]: 7 } },
      ),
    ).toEqual({ costCenter: '2', tags: ['a'], remote: false, level: 7 });
    // Okta: the extension as an object.
    expect(await after({ op: 'replace', value: { [urn]: { costCenter: '3' } } })).toEqual({
      costCenter: '3',
      tags: ['a'],
      remote: false,
      level: 7,
    });
    expect(await after({ op: 'Remove', path: `${urn.toUpperCase()}:LEVEL` })).not.toHaveProperty(
      'level',
    );
    // Lists: adding keeps, replacing does not, removing may name values.
    expect(await after({ op: 'add', path: `${urn}:tags`, value: ['b', 'A'] })).toMatchObject({
      tags: ['a', 'b'],
    });
    expect(await after({ op: 'add', value: { [urn]: { tags: 'c' } } })).toMatchObject({
      tags: ['a', 'b', 'c'],
    });
    expect(await after({ op: 'remove', path: `${urn}:tags`, value: ['B'] })).toMatchObject({
      tags: ['a', 'c'],
    });
    expect(await after({ op: 'replace', path: `${urn}:tags`, value: ['z'] })).toMatchObject({
      tags: ['z'],
    });
    expect(await after({ op: 'remove', path: `${urn}:tags` })).not.toHaveProperty('tags');
    expect(await after({ op: 'remove', path: urn })).toBeUndefined();
  });

  it('ignore what the tenant does not declare, also by path', async () => {
    const tenant = await declaring();
    const { id } = await createUser(tenant, 'ada', { costCenter: '1' });
    const urn = urnOf(tenant);

    const ignored = await patch(
      tenant,
      id,
      { op: 'add', path: `${urn}:shoeSize`, value: 42 },
      { op: 'add', value: { [urnOf({ slug: 'another' })]: { costCenter: '9' } } },
    );

    expect(ignored.status).toBe(200);
    expect(ignored.body[urn]).toEqual({ costCenter: '1' });
  });

  it('are found by filters', async () => {
    const tenant = await declaring();
    const urn = urnOf(tenant);
    await createUser(tenant, 'ada', { costCenter: 'North-1', badge: 'Ab', level: 3, remote: true });
    await createUser(tenant, 'bob', {
      costCenter: 'north-2',
      tags: ['Red', 'blue'],
      started: '2026-02-01',
    });
    await createUser(tenant, 'cid', { level: 4, badge: 'ab', costCenter: `x${'y'.repeat(300)}` });

    const expected: Readonly<Record<string, readonly string[]>> = {
      'costCenter eq "NORTH-1"': ['ada'],
      'costCenter sw "north"': ['ada', 'bob'],
      'costCenter co "th-2"': ['bob'],
      'costCenter pr': ['ada', 'bob', 'cid'],
      'costCenter ne "north-1"': ['bob', 'cid'],
      [`costCenter eq "x${'y'.repeat(299)}"`]: [],
      [`costCenter eq "x${'y'.repeat(300)}"`]: ['cid'],
      [`costCenter sw "x${'y'.repeat(200)}"`]: ['cid'],
      'badge eq "Ab"': ['ada'],
      'badge sw "a"': ['cid'],
      'level eq 3': ['ada'],
      'level ge 3': ['ada', 'cid'],
      'level pr': ['ada', 'cid'],
      'remote eq true': ['ada'],
      'remote pr': ['ada'],
      'tags eq "red"': ['bob'],
      'tags sw "bl"': ['bob'],
      'tags pr': ['bob'],
      'started gt "2026-01-31T23:00:00Z"': ['bob'],
      'started eq "2026-02-01T00:00:00Z"': ['bob'],
      'started pr': ['bob'],
    };
    for (const [filter, users] of Object.entries(expected))
      expect([filter, await foundBy(tenant, `${urn}:${filter}`)]).toEqual([filter, users]);
    expect(await foundBy(tenant, `schemas eq "${urn}"`)).toEqual(['ada', 'bob', 'cid']);
    const both = `userName eq "cid" and ${urn}:level eq 4`;
    expect(await foundBy(tenant, both)).toEqual(['cid']);
  });

  it('are written by Bulk, and found by a search over all types', async () => {
    const tenant = await declaring();
    const urn = urnOf(tenant);
    const data = { schemas: [CORE, urn], userName: 'ada', [urn]: { level: 9 } };
    const bulk = await tenant.scim('POST', '/Bulk', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [{ method: 'POST', path: '/Users', bulkId: 'u', data }],
    });
    expect(bulk.body).toMatchObject({ Operations: [{ status: '201' }] });

    const found = await tenant.scim('POST', '/.search', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter: `${urn}:level eq 9`,
    });

    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ [urn]: { level: 9 } }] });
  });
});

describe('a change of the declaration', () => {
  it('requires values of new users, not of those who exist', async () => {
    const tenant = await gateway.tenant();
    const { id } = await createUser(tenant, 'ada', {});
    await declare(tenant, [{ name: 'costCenter', required: true }]);

    const refused = await tenant.scim('POST', '/Users', { schemas: [CORE], userName: 'bob' });

    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      details: [{ path: 'custom.costCenter', message: 'is required for new users' }],
    });
    await createUser(tenant, 'bob', { costCenter: '1' });
    const changed = await patch(tenant, id, { op: 'add', path: 'title', value: 'Countess' });
    expect(changed.status).toBe(200);
  });

  it("hides the values of a removed attribute, which go with the user's next change", async () => {
    const tenant = await declaring();
    const { id } = await createUser(tenant, 'ada', { costCenter: '1', level: 2 });

    await declare(tenant, [{ name: 'level', type: 'integer' }]);
    expect(await customOf(tenant, id)).toEqual({ level: 2 });
    await declare(tenant, ATTRIBUTES);
    expect(await customOf(tenant, id)).toEqual({ costCenter: '1', level: 2 });

    await declare(tenant, [{ name: 'level', type: 'integer' }]);
    const same = await patch(tenant, id, { op: 'replace', path: 'userName', value: 'ada' });
    expect(same.body).toMatchObject({ meta: { version: 'W/"1"' } });
    await patch(tenant, id, { op: 'add', path: 'title', value: 'Countess' });
    await declare(tenant, ATTRIBUTES);
    expect(await customOf(tenant, id)).toEqual({ level: 2 });
    const { body } = await tenant.native<{ events: readonly { data: object }[] }>('GET', '/events');
    expect(body.events.at(-1)).toMatchObject({ data: { changed: ['title'] } });
  });
});

describe('the native interface', () => {
  it('shows custom only for tenants that declare attributes', async () => {
    const tenant = await gateway.tenant();
    const { id } = await createUser(tenant, 'ada', {});
    expect((await tenant.native('GET', `/users/${id}`)).body).not.toHaveProperty('custom');
    const refused = await tenant.native('PATCH', `/users/${id}`, { custom: { level: 1 } });
    expect(refused).toMatchObject({
      status: 400,
      body: { details: [{ path: 'custom.level', message: 'is not an attribute of this tenant' }] },
    });

    await declare(tenant, ATTRIBUTES);

    expect((await tenant.native('GET', `/users/${id}`)).body).toMatchObject({ custom: {} });
  });

  it('writes values, and null removes one', async () => {
    const tenant = await declaring();
    const given = { email: 'ada@example.com', custom: { level: 1, tags: ['a'], page: null } };
    expect(await tenant.native('POST', '/users', given)).toMatchObject({ status: 400 });
    const custom = { level: 1, tags: ['a', 'A'], started: '2026-01-31' };
    const created = await tenant.native<{ id: string }>('POST', '/users', { ...given, custom });
    const stored = { level: 1, tags: ['a'], started: '2026-01-31T00:00:00.000Z' };
    expect(created).toMatchObject({ status: 201, body: { custom: stored } });
    const path = `/users/${created.body.id}`;

    const changed = await tenant.native('PATCH', path, { custom: { LEVEL: 2, tags: null } });

    expect(changed.status).toBe(200);
    expect(changed.body['custom']).toEqual({ level: 2, started: stored.started });
    expect((await tenant.native('PATCH', path, { custom: { level: 'x' } })).status).toBe(400);
    const log = await operator<{ commands: readonly { changes: readonly object[] }[] }>(
      'GET',
      `/tenants/${tenant.slug}/commands?outcome=applied`,
    );
    expect(log.body.commands[0]?.changes).toEqual([
      { path: 'custom.level' },
      { path: 'custom.tags' },
    ]);
  });

  it('exports a column for each attribute', async () => {
    const tenant = await declaring([
      { name: 'level', type: 'integer' },
      { name: 'tags', multi_valued: true },
    ]);
    await createUser(tenant, 'ada', { level: 3, tags: ['a', 'b'] });
    const base = await gateway.open();

    const response = await fetch(`${base.url}/admin/v1/tenants/${tenant.slug}/users/export`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });

    const [header, line] = (await response.text()).split('\r\n');
    expect(header).toMatch(/,custom\.level,custom\.tags$/);
    expect(line).toMatch(/,3,"a, b"$/);
  });
});

describe('events', () => {
  it('have the values for registrations that include them, and for nobody else', async () => {
    const tenant = await declaring([{ name: 'level', type: 'integer' }, { name: 'badge' }]);
    const register = async (path: string, more: object = {}) => {
      const body = { url: `${receiver().url}/${tenant.slug}${path}`, events: ['user.*'], ...more };
      const created = await tenant.native<{ id: string }>('POST', '/webhooks', body);
      expect(created).toMatchObject({ status: 201 });
      return created.body;
    };
    expect(await register('/usual')).not.toHaveProperty('include');
    const including = await register('/custom', { include: ['user.custom'] });
    expect(including).toMatchObject({ include: ['user.custom'] });
    // A change of something else keeps it.
    const renamed = { description: 'Badges' };
    const patched = await tenant.native('PATCH', `/webhooks/${including.id}`, renamed);
    expect(patched.body).toMatchObject({ include: ['user.custom'] });

    const { id } = await createUser(tenant, 'ada', { level: 3, badge: 'x' });
    await declare(tenant, [{ name: 'level', type: 'integer' }]);
    await tenant.native('PATCH', `/users/${id}`, { active: false });
    await tenant.scim('DELETE', `/Users/${id}`);

    const sent = await eventually(() => {
      const at = (path: string) =>
        receiver()
          .requests.filter((request) => request.path === `/${tenant.slug}${path}`)
          .map(({ json }) => (json as { data: { user: { custom?: object } } }).data.user.custom);
      expect(at('/usual')).toHaveLength(3);
      expect(at('/custom')).toHaveLength(3);
      return { usual: at('/usual'), custom: at('/custom') };
    });

    expect(sent.usual).toEqual([undefined, undefined, undefined]);
    expect(sent.custom).toEqual([{ level: 3, badge: 'x' }, { level: 3 }, { level: 3 }]);
    const feed = async (query: string) => {
      const path = `/events${query}`;
      const { body } = await tenant.native<{ events: { data: { user: object } }[] }>('GET', path);
      return body.events[0]?.data.user;
    };
    expect(await feed('')).not.toHaveProperty('custom');
    expect(await feed('?include=user.custom')).toMatchObject({ custom: { level: 3, badge: 'x' } });
  });
});

describe('a connector', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollgate-extension-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const map = {
    'custom.level': 'level',
    'custom.tags': { path: 'tags', transform: [{ split: ';' }] },
    'urn:ietf:params:scim:schemas:extension:tenant-1:2.0:User:STARTED': 'since',
    'custom.shoeSize': 'name',
  };
  const file = peopleFile(folder, 'tenant-1', { map });
  const own = TestGateway.use(() => ({ ROLLGATE_CONFIG: file.config }));

  it('maps values to the declared types, and reports those that do not fit', async () => {
    const tenant = await own.tenant();
    const admin = await own.operator();
    const run = async (): Promise<RunView> => {
      const path = `/tenants/${tenant.slug}/connectors/hr/runs`;
      const { body } = await admin<RunView>('POST', path, {});
      return eventually(async () => {
        const read = await admin<RunView>('GET', `${path}/${body.id}`);
        expect(read.body).toMatchObject({ state: 'done' });
        return read.body;
      });
    };
    const declared = [
      { name: 'level', type: 'integer' },
      { name: 'tags', multi_valued: true },
      { name: 'started', type: 'dateTime' },
    ];
    const path = `/tenants/${tenant.slug}/schema-extension`;
    expect((await admin('PUT', path, { attributes: declared })).status).toBe(200);
    const ada = { id: 'ada', mail: 'ada@example.com', name: 'Ada' };
    file.save([
      { ...ada, level: '3', tags: 'a; b;A', since: '2026-01-31' },
      { id: 'bob', mail: 'bob@example.com', name: 'Bob', level: 'high' },
    ]);

    expect(await run()).toMatchObject({ applied: 1, failed: 1 });

    const custom = async () => {
      const { body } = await tenant.native<{ users: { custom: object }[] }>('GET', '/users');
      return body.users.map((user) => user.custom);
    };
    const started = '2026-01-31T00:00:00.000Z';
    expect(await custom()).toEqual([{ level: 3, tags: ['a', 'b'], started }]);
    const failed = await admin('GET', `/tenants/${tenant.slug}/connectors/hr/quarantine`);
    expect(JSON.stringify(failed.body)).toContain('custom.level must be one value of type integer');
    // Nothing is left to do, though the file says it in other words.
    expect(await run()).toMatchObject({ applied: 0 });
    file.save([{ ...ada, tags: 'b' }]);
    expect(await run()).toMatchObject({ applied: 1 });
    expect(await custom()).toEqual([{ tags: ['b'] }]);
  });
});
