import { beforeAll, describe, expect, it } from 'vitest';
import { TestGateway, type TestTenant } from '../support/gateway.js';

const gateway = TestGateway.use();
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

interface Found {
  readonly totalResults: number;
  readonly Resources: readonly { readonly id: string; readonly userName: string }[];
  readonly nextCursor?: string;
}

let tenant: TestTenant;
const users = new Map<string, string>();
let dispatch = '';
let drivers = '';

const idOf = (name: string): string => users.get(name) ?? '';

const find = async (filter: string, more = ''): Promise<readonly string[]> => {
  const path = `/Users?filter=${encodeURIComponent(filter)}${more}`;
  const { status, body } = await tenant.scim<Found>('GET', path);
  expect({ status, body }).toMatchObject({ status: 200 });
  expect(body.totalResults).toBe(body.Resources.length);
  return body.Resources.map(({ userName }) => userName).sort();
};

const createGroup = async (displayName: string, members: readonly string[]): Promise<string> => {
  const { status, body } = await tenant.scim<{ id: string }>('POST', '/Groups', {
    schemas: [GROUP],
    displayName,
    members: members.map((name) => ({ value: idOf(name) })),
  });
  expect(status).toBe(201);
  return body.id;
};

beforeAll(async () => {
  tenant = await gateway.tenant({ room_provisioning: 'automatic' });
  for (const userName of ['ann', 'ben', 'cleo', 'dan']) {
    const { body } = await tenant.scim<{ id: string }>('POST', '/Users', {
      schemas: [USER],
      userName,
      active: userName !== 'ben',
    });
    users.set(userName, body.id);
  }
  dispatch = await createGroup('Dispatch', ['ann', 'ben']);
  drivers = await createGroup('Drivers', ['ben', 'cleo']);
});

describe('a filter on the groups of users', () => {
  it('is answered from memberships, in each form that clients use', async () => {
    expect(await find(`groups eq "${dispatch}"`)).toEqual(['ann', 'ben']);
    expect(await find(`groups.value eq "${drivers}"`)).toEqual(['ben', 'cleo']);
    expect(await find(`groups[value eq "${dispatch}"]`)).toEqual(['ann', 'ben']);
    expect(await find('groups[display eq "dispatch"]')).toEqual(['ann', 'ben']);
    expect(await find('groups.display eq "Drivers"')).toEqual(['ben', 'cleo']);
    expect(await find('groups pr')).toEqual(['ann', 'ben', 'cleo']);
    expect(await find('not (groups pr)')).toEqual(['dan']);
    expect(await find(`not (groups eq "${dispatch}")`)).toEqual(['cleo', 'dan']);
    expect(await find(`groups eq "${dispatch}" and active eq true`)).toEqual(['ann']);
    expect(await find(`groups eq "${dispatch}" and groups eq "${drivers}"`)).toEqual(['ben']);
    expect(await find(`userName eq "dan" or groups eq "${drivers}"`)).toEqual([
      'ben',
      'cleo',
      'dan',
    ]);
    expect(await find(`groups eq "${dispatch}"`, '&sortBy=userName')).toEqual(['ann', 'ben']);
  });

  it('is turned page by page, with a cursor', async () => {
    const path = `/Users?filter=${encodeURIComponent(`groups eq "${dispatch}"`)}&count=1`;
    const first = await tenant.scim<Found>('GET', `${path}&cursor`);
    expect(first.body.totalResults).toBe(2);
    const second = await tenant.scim<Found>('GET', `${path}&cursor=${first.body.nextCursor ?? ''}`);
    expect(second.body.nextCursor).toBeUndefined();
    const names = [first, second].flatMap(({ body }) => body.Resources.map((one) => one.userName));
    expect(names.sort()).toEqual(['ann', 'ben']);
  });

  it('is the same by POST, and beside groups', async () => {
    const filter = `groups.display eq "Dispatch"`;
    const here = await tenant.scim<Found>('POST', '/Users/.search', { filter });
    expect(here.body.totalResults).toBe(2);
    const everywhere = await tenant.scim<Found>('POST', '/.search', { filter });
    expect(everywhere.body.totalResults).toBe(2);
  });

  it('knows the name that a group has now, and no group that is gone', async () => {
    const rename = { op: 'replace', path: 'displayName', value: 'Night shift' };
    await tenant.scim('PATCH', `/Groups/${dispatch}`, { schemas: [PATCH], Operations: [rename] });
    expect(await find('groups.display eq "Dispatch"')).toEqual([]);
    expect(await find('groups.display eq "night SHIFT"')).toEqual(['ann', 'ben']);
    expect(await find(`groups eq "${dispatch}"`)).toEqual(['ann', 'ben']);
    await tenant.scim('DELETE', `/Groups/${dispatch}`);
    expect(await find(`groups eq "${dispatch}"`)).toEqual([]);
    expect(await find('groups pr')).toEqual(['ben', 'cleo']);
    expect(await find(`not (groups eq "${dispatch}")`)).toHaveLength(4);
  });

  it('has nothing to do with rooms whose mapping was removed: their members are in no group', async () => {
    const rooms = await tenant.native<{ rooms: { id: string; name: string }[] }>('GET', '/rooms');
    const room = rooms.body.rooms.find(({ name }) => name === 'Drivers');
    expect((await tenant.native('DELETE', `/rooms/${room?.id ?? ''}`)).status).toBe(204);
    expect(await find('groups pr')).toEqual([]);
    expect(await find(`groups eq "${drivers}"`)).toEqual([]);
  });
});
