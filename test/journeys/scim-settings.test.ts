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

describe('scim.put_without_members', () => {
  const open = async (settings: object) => {
    const tenant = await gateway.tenant({ room_provisioning: 'automatic', ...settings });
    const user = await tenant.scim<Resource>('POST', '/Users', { userName: 'ada' });
    const members = [{ value: user.body.id }];
    const group = await tenant.scim<Resource>('POST', '/Groups', { displayName: 'One', members });
    return { tenant, groupId: group.body.id, userId: user.body.id };
  };

  it('empties a group by PUT without members, where nothing else is set', async () => {
    const { tenant, groupId } = await open({});

    const put = await tenant.scim('PUT', `/Groups/${groupId}`, { displayName: 'Two' });

    expect([put.status, put.body]).toMatchObject([200, { displayName: 'Two', members: [] }]);
    expect(await membersOf(tenant, groupId)).toEqual([]);
  });

  it('keeps the members where an operator says so, from the next request on', async () => {
    const { tenant, groupId, userId } = await open({});
    const scim = { put_without_members: 'keep' };
    expect((await operator('PATCH', `/tenants/${tenant.slug}`, { scim })).status).toBe(200);

    await tenant.scim('PUT', `/Groups/${groupId}`, { displayName: 'Two' });

    expect(await membersOf(tenant, groupId)).toEqual([userId]);
  });

  it.each(['clear', 'keep'] as const)('holds in a Bulk request as well: %s', async (setting) => {
    const { tenant, groupId, userId } = await open({ scim: { put_without_members: setting } });
    const path = `/Groups/${groupId}`;
    const { body: before } = await tenant.scim<{ meta: { version: string } }>('GET', path);
    const put = (version: string) => ({
      method: 'PUT',
      path,
      version,
      data: { displayName: 'Two' },
    });

    const answer = await tenant.scim('POST', '/Bulk', {
      Operations: [put('W/"9"'), put(before.meta.version)],
    });

    expect(answer.body).toMatchObject({ Operations: [{ status: '412' }, { status: '200' }] });
    expect(await membersOf(tenant, groupId)).toEqual(setting === 'keep' ? [userId] : []);
  });
});

describe('scim.strict_errors', () => {
  const WORDS = ['schemas', 'status', 'scimType', 'detail'];
  const namesIn = (body: object): readonly string[] => Object.keys(body);

  /** Requests that are refused, each by another part of the gateway, with a key of the tenant. */
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

  it('leaves the attributes of RFC 7644 in error bodies and no others', async () => {
    const tenant = await gateway.tenant({ scim: { strict_errors: true } });
    await tenant.scim('POST', '/Users', { userName: 'ada' });

    for (const [method, path, body, headers] of REFUSED) {
      const answer = await tenant.scim(method, path, body, {
        'content-type': 'application/scim+json',
        ...headers,
      });

      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.headers.get('x-request-id')).toMatch(/./);
      expect(answer.body).toMatchObject({ schemas: [ERROR], status: String(answer.status) });
      expect(WORDS, `${method} ${path}`).toEqual(expect.arrayContaining([...namesIn(answer.body)]));
    }
  });

  it('holds for the errors of Bulk operations and of dry runs', async () => {
    const tenant = await gateway.tenant({ scim: { strict_errors: true } });
    const refused = { method: 'POST', path: '/Users', data: { userName: 7 } };

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
      expect(namesIn(body)).toEqual(['schemas', 'status', 'scimType', 'detail']);
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

  it('leaves the native API as it is', async () => {
    const tenant = await gateway.tenant({ scim: { strict_errors: true } });

    const { body } = await tenant.native('POST', '/users', {});

    expect(body).toMatchObject({
      error: 'INVALID_REQUEST',
      request_id: expect.any(String) as string,
    });
  });
});
