import { beforeAll, describe, expect, it } from 'vitest';
import { GROUP, ENTERPRISE, USER } from '../../src/scim/schemas.js';
import { CANONICAL, openEdge, MOUNTS, PUBLIC_URL } from '../support/edge.js';
import { SCIM_TYPE, ScimClient } from '../scim/scim-client.js';

describe.each(MOUNTS)('discovery at %s', (mount) => {
  let scim: ScimClient;
  beforeAll(async () => {
    scim = new ScimClient(await openEdge(), mount);
  });
  const BASE = PUBLIC_URL + CANONICAL;

  it.each([
    [
      '/ServiceProviderConfig',
      { filter: { supported: true, maxResults: 1000 }, etag: { supported: true } },
    ],
    ['/Schemas', { totalResults: 3, itemsPerPage: 3 }],
    ['/Schemas/', { totalResults: 3 }],
    [`/Schemas/${USER.urn}`, { id: USER.urn }],
    [`/Schemas/${encodeURIComponent(ENTERPRISE.urn)}`, { id: ENTERPRISE.urn }],
    ['/ResourceTypes', { totalResults: 2 }],
    [`/Schemas/${GROUP.urn}`, { id: GROUP.urn }],
    ['/ResourceTypes/Group', { id: 'Group', endpoint: '/Groups' }],
    ['/ResourceTypes/User', { id: 'User', endpoint: '/Users' }],
    [
      '/ServiceProviderConfig?count=1&attributes=patch',
      { patch: { supported: true }, sort: { supported: true } },
    ],
  ])('returns %s', async (path, expected) => {
    const answer = await scim.get(path).expect(200);
    expect(answer.headers['content-type']).toBe(SCIM_TYPE);
    expect(answer.body).toMatchObject(expected);
  });

  it('returns canonical URLs at both mounts', async () => {
    for (const path of ['/ServiceProviderConfig', '/Schemas', '/ResourceTypes']) {
      const { text } = await scim.get(path).expect(200);
      const locations = Array.from(
        text.matchAll(/"location":"([^"]*)"/g),
        ([, location]) => location,
      );
      expect(locations.length).toBeGreaterThan(0);
      for (const location of locations) expect(location).toContain(BASE);
    }
  });

  it('logs the route without ids', async () => {
    const { id } = await scim.create();
    await scim.get(`/Users/${id}`).expect(200);
    expect(scim.fake.lines).toContainEqual(
      expect.objectContaining({ message: 'request', route: '/v1/{tenantSlug}/scim/v2/Users/{id}' }),
    );
  });
});

describe('the root of a tenant', () => {
  it.each([
    ...['/Users', '/Groups', '/Bulk', '/Me', '/Roles', '/.search'],
    ...['/Schemas', '/ResourceTypes', '/ServiceProviderConfig'],
  ])('serves %s like the base URL of SCIM', async (path) => {
    const edge = await openEdge();
    const [one, other] = await Promise.all(
      MOUNTS.map(async (mount) => {
        const answer = await new ScimClient(edge, mount).get(path);
        const body = { ...(answer.body as object), request_id: undefined };
        return { status: answer.status, type: answer.type, body };
      }),
    );
    expect(other).toEqual(one);
    expect(one?.type).toBe(SCIM_TYPE);
  });

  it('serves SCIM endpoints by their names in the RFC, and native routes by theirs', async () => {
    const scim = new ScimClient(await openEdge(), '/v1/acme');
    await scim.create({ userName: 'ada@example.com' });
    expect((await scim.get('/Users').expect(200)).body).toHaveProperty('Resources');
    const native = await scim.get('/users').expect(200);
    expect(native.body).toHaveProperty('users');
    expect(native.headers['content-type']).toContain('application/json');
  });

  it.each(['/me', '/usage', '/users?limit=1'])('leaves %s to the native API', async (path) => {
    const answer = await new ScimClient(await openEdge(), '/v1/acme').get(path).expect(200);
    expect(answer.headers['content-type']).toContain('application/json');
  });

  it('serves no SCIM endpoint in another letter case', async () => {
    const canonical = new ScimClient(await openEdge(), CANONICAL);
    await canonical.get('/users').expect(404);
    await canonical.get('/USERS').expect(404);
  });
});
