import { describe, expect, it } from 'vitest';
import { CANONICAL, openEdge, MOUNTS, PUBLIC_URL } from '../support/edge.js';
import { ScimClient } from '../scim/scim-client.js';

const open = async (mount: string = CANONICAL): Promise<ScimClient> =>
  new ScimClient(await openEdge({}, { roomProvisioning: 'automatic' }), mount);

const withoutIds = (body: unknown): object => ({ ...(body as object), request_id: undefined });

describe.each(MOUNTS)('a base URL with a trailing slash: %s/', (mount) => {
  it('is served like the one without', async () => {
    const scim = await open(mount);
    const pasted = new ScimClient(scim.fake, `${mount}/`);
    const { id } = await pasted.create({ userName: 'ada@example.com' });
    for (const path of [
      '/Users',
      `/Users/${id}`,
      '/Users?filter=userName%20eq%20%22ada@example.com%22',
      '/Groups',
      '/ServiceProviderConfig',
      '/Schemas',
      '/Nothing',
    ]) {
      const [one, other] = [await pasted.get(path), await scim.get(path)];
      expect([path, one.status]).toEqual([path, path.endsWith('Nothing') ? 404 : 200]);
      expect([one.status, withoutIds(one.body)]).toEqual([other.status, withoutIds(other.body)]);
    }
    await pasted.post('/Users/.search', {}).expect(200);
    await pasted.delete(`/Users/${id}`).expect(204);
  });
});

describe('surplus slashes', () => {
  it('are accepted between tenant and SCIM base, and nowhere else', async () => {
    const scim = await open();
    await new ScimClient(scim.fake, '/v1/acme//scim/v2').get('/Users').expect(200);
    for (const path of ['/v1/acme//users', '/v1//acme/Users', '//v1/acme/Users'])
      expect((await new ScimClient(scim.fake, '').get(path)).status).toBeGreaterThanOrEqual(400);
    await scim.get('/Users//x').expect(404);
  });
});

describe('GET at the root of SCIM', () => {
  it.each(['', '/', '//'])('returns the same as a search without a filter: "%s"', async (end) => {
    const scim = await open();
    await scim.create();
    await scim.post('/Groups', { displayName: 'Dispatch' }).expect(201);
    const searched = await scim.post('/.search', {}).expect(200);
    expect(searched.body).toMatchObject({ totalResults: 2 });
    expect((await scim.get(end).expect(200)).body).toEqual(searched.body);
    await scim.send('head', end).expect(200);
  });

  it('accepts search parameters, requires scim:read, and has no other method', async () => {
    const scim = await open();
    await scim.create({ userName: 'ada@example.com' });
    const filtered = await scim.get('?filter=userName%20eq%20%22nobody%22&count=1').expect(200);
    expect(filtered.body).toMatchObject({ totalResults: 0 });
    await (await scim.withScopes('scim:write')).get('/').expect(403);
    const { headers } = await scim.post('/', {}).expect(405);
    expect(headers['allow']).toBe('GET, HEAD');
  });

  it('is not a path of the native API', async () => {
    await new ScimClient((await open()).fake, '/v1/acme').get('/').expect(404);
  });
});

describe('Location', () => {
  it('is in every 200 with a single resource, and in no other', async () => {
    const scim = await open('/v1/acme');
    const user = await scim.create({ userName: 'ada@example.com' });
    const group = await scim.post('/Groups', { displayName: 'Dispatch' }).expect(201);
    const { id } = group.body as { id: string };
    const [users, groups] = [`/Users/${user.id}`, `/Groups/${id}`];
    const base = `${PUBLIC_URL}${CANONICAL}`;
    const locationOf = (answer: { headers: unknown }) =>
      (answer.headers as Record<string, string>)['location'];
    const change = { op: 'replace', path: 'displayName', value: 'Ada' };

    expect(locationOf(group)).toBe(base + groups);
    expect(locationOf(await scim.get(users).expect(200))).toBe(base + users);
    expect(locationOf(await scim.get(`${users}?attributes=userName`))).toBe(base + users);
    expect(locationOf(await scim.patch(users, change).expect(200))).toBe(base + users);
    const put = await scim.put(users, { userName: 'ada@example.com' }).expect(200);
    expect(locationOf(put)).toBe(base + users);
    expect(locationOf(await scim.get(groups).expect(200))).toBe(base + groups);
    const renamed = await scim.put(groups, { displayName: 'Dispatch' }).expect(200);
    expect(locationOf(renamed)).toBe(base + groups);
    const schema = '/Schemas/urn:ietf:params:scim:schemas:core:2.0:User';
    for (const path of ['/ServiceProviderConfig', schema, '/ResourceTypes/User'])
      expect(locationOf(await scim.get(path).expect(200))).toBe(base + path);
    for (const path of ['/Users', '/Schemas', '/ResourceTypes', '/Users/none'])
      expect(locationOf(await scim.get(path))).toBeUndefined();
  });
});
