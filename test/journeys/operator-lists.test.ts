import { beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, createResource, TestGateway, type TestTenant } from '../support/gateway.js';
import { GROUP_URN, USER_URN } from '../support/scim-urns.js';

const gateway = TestGateway.use();
type Client = Awaited<ReturnType<TestGateway['operator']>>;

let operator: Client;
let tenant: TestTenant;
let base: string;
let dispatch: string;

const NAMES = ['Grace', 'ada', 'Zoë', '=1+1'];

beforeAll(async () => {
  operator = await gateway.operator();
  tenant = await gateway.tenant({ default_role: 'member', seat_capacity: 9 });
  base = `/tenants/${tenant.slug}`;
  const ids: string[] = [];
  for (const [at, displayName] of NAMES.entries())
    ids.push(
      await createResource(tenant.scim, '/Users', {
        schemas: [USER_URN],
        userName: `user-${at}@example.com`,
        displayName,
        active: at !== 2,
      }),
    );
  for (const name of ['Night desk', 'Dispatch', 'Harbour'])
    await createResource(operator, `${base}/rooms`, { name });
  await operator('POST', `${base}/role-mappings`, {
    group_display_name: 'Dispatch',
    role: 'dispatcher',
  });
  await createResource(tenant.scim, '/Groups', {
    schemas: [GROUP_URN],
    displayName: 'Dispatch',
    members: [0, 2, 3].map((at) => ({ value: ids[at] })),
  });
  const { body } = await operator<{ rooms: readonly { id: string }[] }>(
    'GET',
    `${base}/rooms?name=Dispatch`,
  );
  dispatch = body.rooms[0]?.id ?? '';
});

type Listed = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

const list = async (kind: string, field: string, query: string): Promise<readonly unknown[]> => {
  const { body } = await operator<Listed>('GET', `${base}/${kind}?${query}`);
  return (body[kind] ?? []).map((one) => one[field]);
};

describe('lists of operators', () => {
  it.each([
    ['users', 'display_name', 'sort=display_name', ['=1+1', 'ada', 'Grace', 'Zoë']],
    ['users', 'display_name', 'sort=-created_at&limit=2', ['=1+1', 'Zoë']],
    ['users', 'display_name', 'room=$&sort=-display_name', ['Zoë', 'Grace', '=1+1']],
    ['users', 'display_name', 'room=$&active=false', ['Zoë']],
    ['users', 'display_name', 'role=dispatcher&sort=display_name', ['=1+1', 'Grace', 'Zoë']],
    ['rooms', 'name', 'sort=name', ['Dispatch', 'Harbour', 'Night desk']],
    ['rooms', 'name', 'sort=-name&offset=1&limit=1', ['Harbour']],
    ['rooms', 'name', 'sort=-created_at&mapped=false', ['Harbour', 'Night desk']],
    ['rooms', 'name', 'search=desk', ['Night desk']],
    ['rooms', 'name', 'role=dispatcher', ['Dispatch']],
    ['groups', 'display_name', 'search=disp&sort=-updated_at', ['Dispatch']],
  ])('%s: %s of %s', async (kind, field, query, expected) => {
    expect(await list(kind, field, query.replace('$', dispatch))).toEqual(expected);
  });

  it('the members of an unknown room are none, and an unknown order is refused', async () => {
    const unknown = '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f';
    expect(await list('users', 'id', `room=${unknown}`)).toEqual([]);
    const refused = await operator('GET', `${base}/users?sort=role`);
    expect(refused.status).toBe(400);
  });

  it('the tenant API has neither', async () => {
    expect((await tenant.native('GET', `/users?room=${dispatch}`)).status).toBe(400);
    expect((await tenant.native('GET', '/users?sort=display_name')).status).toBe(400);
  });
});

describe('the export of users', () => {
  const read = async (query: string): Promise<Response> => {
    const { url } = await gateway.open();
    return fetch(`${url}/admin/v1${base}/users/export?${query}`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
  };

  it('is the filtered list as CSV, safe for spreadsheets', async () => {
    const response = await read(`room=${dispatch}&sort=display_name`);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toContain(`users-${tenant.slug}.csv`);
    const lines = (await response.text()).trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      'id,display_name,email,user_name,external_id,active,role,created_at,updated_at',
    );
    const names = lines.slice(1).map((line) => line.split(',')[1]);
    expect(names).toEqual(["'=1+1", 'Grace', 'Zoë']);
    expect(lines[3]).toContain(',user-2@example.com,,false,dispatcher,');
  });
});

describe('the overviews of tenants', () => {
  it('have the seats and what needs attention, of the tenants that an operator may see', async () => {
    await gateway.tenant({ name: 'Other' });
    const { body } = await operator<{
      tenants: readonly { slug: string; overview: { seats: object; attention: unknown[] } }[];
      total: number;
    }>('GET', '/overviews');
    expect(body.total).toBe(2);
    const own = body.tenants.find(({ slug }) => slug === tenant.slug);
    expect(own?.overview).toEqual((await operator('GET', `${base}/overview`)).body);
    expect(own?.overview.seats).toEqual({ capacity: 9, provisioned: 3, available: 6 });
  });
});
