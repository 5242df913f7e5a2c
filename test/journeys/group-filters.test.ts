import { beforeAll, describe, expect, it } from 'vitest';
import { createResource, TestGateway, type TestTenant } from '../support/gateway.js';
import { GROUP_URN, PATCH_URN, USER_URN } from '../support/scim-urns.js';

const gateway = TestGateway.use();

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

const createGroup = (displayName: string, members: readonly string[]): Promise<string> =>
  createResource(tenant.scim, '/Groups', {
    schemas: [GROUP_URN],
    displayName,
    members: members.map((name) => ({ value: idOf(name) })),
  });

beforeAll(async () => {
  tenant = await gateway.tenant({ room_provisioning: 'automatic' });
  for (const userName of ['ann', 'ben', 'cleo', 'dan']) {
    const user = { schemas: [USER_URN], userName, active: userName !== 'ben' };
    users.set(userName, await createResource(tenant.scim, '/Users', user));
  }
  dispatch = await createGroup('Dispatch', ['ann', 'ben']);
  drivers = await createGroup('Drivers', ['ben', 'cleo']);
});

describe('a filter on the groups of users', () => {
  it('matches current memberships, in every form that clients use', async () => {
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

  it('matches the current name of a renamed group, and no deleted group', async () => {
    const rename = { op: 'replace', path: 'displayName', value: 'Night shift' };
    await tenant.scim('PATCH', `/Groups/${dispatch}`, {
      schemas: [PATCH_URN],
      Operations: [rename],
    });
    expect(await find('groups.display eq "Dispatch"')).toEqual([]);
    expect(await find('groups.display eq "night SHIFT"')).toEqual(['ann', 'ben']);
    expect(await find(`groups eq "${dispatch}"`)).toEqual(['ann', 'ben']);
    await tenant.scim('DELETE', `/Groups/${dispatch}`);
    expect(await find(`groups eq "${dispatch}"`)).toEqual([]);
    expect(await find('groups pr')).toEqual(['ben', 'cleo']);
    expect(await find(`not (groups eq "${dispatch}")`)).toHaveLength(4);
  });
});
