import request from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/domain/scopes.js';
import { createFixedWindowRateLimiter } from '../../src/http/access/refuse-credentials.js';
import { refuse, RefusalError } from '../../src/domain/kernel/refusals.js';
import { CANONICAL, openEdge } from '../support/edge.js';
import { SCIM_TYPE, ScimClient } from '../scim/scim-client.js';

const ID = '00000000-0000-4000-8000-000000000001';
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

/** Every refusal has this format, however early it occurs (decisions.md 2). */
const expectRefusal = (answer: Answer, status: number, error: string, scimType?: string): void => {
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toBe(SCIM_TYPE);
  expect(answer.headers['etag']).toBeUndefined();
  const { detail, ...body } = answer.body as { detail: string };
  expect(detail).toMatch(/\.$/);
  expect(body).toMatchObject({
    schemas: [ERROR],
    status: String(status),
    error,
    request_id: answer.headers['x-request-id'],
  });
  expect((body as { scimType?: string }).scimType).toBe(scimType);
};

/** The client of a gateway that cannot read users. */
const withoutUsers = ({ fake }: ScimClient, error: Error): ScimClient => {
  const fail = () => Promise.reject(error);
  const users = { find: fail, findWithGroups: fail, page: fail };
  return new ScimClient(fake.with({ scim: { ...fake.parts.scim, users } }), CANONICAL);
};

describe('SCIM refuses', () => {
  let scim: ScimClient;
  beforeAll(async () => {
    scim = new ScimClient(await openEdge(), CANONICAL);
  });
  const raw = (scim: ScimClient, type: string, body: string | Buffer, path = '/Users') =>
    request(scim.fake.app)
      .post(CANONICAL + path)
      .set('Authorization', `Bearer ${scim.key}`)
      .set('Content-Type', type)
      // Unchanged: bytes would be sent as the JSON of a Buffer.
      .serialize((bytes: unknown) => bytes as string)
      .send(body);

  it('a missing key with 401, and an unknown one and that of another tenant with the same 401', async () => {
    const { key: other } = await scim.fake.addKey(await scim.fake.addTenant());
    const bodies = await Promise.all(
      [undefined, 'Bearer nonsense', 'non-token', `Bearer ${other}`].map(async (header) => {
        const test = request(scim.fake.app).get(`${CANONICAL}/Users`);
        const answer = await (header === undefined ? test : test.set('Authorization', header));
        expectRefusal(answer, 401, 'UNAUTHENTICATED');
        expect(answer.headers['www-authenticate']).toBe(
          header?.startsWith('Bearer') ? 'Bearer error="invalid_token"' : 'Bearer',
        );
        const { request_id, ...body } = answer.body as { request_id: string };
        expect(request_id).toBeDefined();
        return body;
      }),
    );
    const [missing, unknown, noToken, another] = bodies;
    expect(noToken).toEqual(missing);
    expect(another).toEqual(unknown);
    expect(missing).toMatchObject({ detail: expect.stringMatching(/^Send a valid/) as string });
    expect(unknown).toMatchObject({
      detail: expect.stringMatching(/^This API key is not valid\./) as string,
    });
  });

  it('an unknown tenant with the same 401 as an unknown key', async () => {
    const path = `${CANONICAL.replace('acme', 'unknown')}/Users`;
    const answer = await request(scim.fake.app)
      .get(path)
      .set('Authorization', `Bearer ${scim.key}`);
    expectRefusal(answer, 401, 'UNAUTHENTICATED');
  });

  it('a deleted tenant whose key is still cached with the same 401', async () => {
    const tenant = await scim.fake.addTenant({ slug: 'initech' });
    const { key } = await scim.fake.addKey(tenant);
    const gone = new ScimClient(scim.fake, '/v1/initech/scim/v2', key);
    await gone.create();
    await scim.fake.run({ type: 'tenant.delete' }, tenant.id);
    expectRefusal(await gone.post('/Users', { userName: 'a' }), 401, 'UNAUTHENTICATED');
  });

  it.each<[string, string, Scope, Scope]>([
    ['get', '/Users', 'scim:read', 'scim:write'],
    ['head', '/Users', 'scim:read', 'scim:write'],
    ['get', `/Users/${ID}`, 'scim:read', 'scim:write'],
    ['post', '/Users/.search', 'scim:read', 'scim:write'],
    ['post', '/.search', 'scim:read', 'scim:write'],
    ['post', '/Users', 'scim:write', 'scim:read'],
    ['put', `/Users/${ID}`, 'scim:write', 'scim:read'],
    ['patch', `/Users/${ID}`, 'scim:write', 'scim:read'],
    ['delete', `/Users/${ID}`, 'scim:write', 'scim:read'],
    ['get', '/Groups', 'scim:read', 'scim:write'],
    ['get', `/Groups/${ID}`, 'scim:read', 'scim:write'],
    ['post', '/Groups/.search', 'scim:read', 'scim:write'],
    ['post', '/Groups', 'scim:write', 'scim:read'],
    ['put', `/Groups/${ID}`, 'scim:write', 'scim:read'],
    ['patch', `/Groups/${ID}`, 'scim:write', 'scim:read'],
    ['delete', `/Groups/${ID}`, 'scim:write', 'scim:read'],
  ])('%s %s without the scope %s', async (verb, path, needed, held) => {
    const before = scim.fake.submissions.length;
    const poor = await scim.withScopes(held, 'api:users:read', 'api:users:write');
    const answer = await poor.send(verb as 'get', path);
    if (verb === 'head') expect(answer.status).toBe(403);
    else {
      expectRefusal(answer, 403, 'INSUFFICIENT_SCOPE');
      expect((answer.body as { detail: string }).detail).toContain(`"${needed}"`);
    }
    const challenge = `Bearer error="insufficient_scope", scope="${needed}"`;
    expect(answer.headers['www-authenticate']).toBe(challenge);
    expect(scim.fake.submissions).toHaveLength(before);
    expect((await (await scim.withScopes(needed)).send(verb as 'get', path)).status).not.toBe(403);
  });

  it('discovery to no valid key, regardless of its scopes', async () => {
    const poor = await scim.withScopes('usage');
    for (const path of ['/ServiceProviderConfig', '/Schemas', '/ResourceTypes']) {
      await poor.get(path).expect(200);
    }
  });

  it('a missing scope before it reads the body', async () => {
    const { key } = await scim.fake.addKey(scim.fake.tenant, ['scim:read']);
    const answer = await raw(new ScimClient(scim.fake, CANONICAL, key), 'text/plain', '{');
    expectRefusal(answer, 403, 'INSUFFICIENT_SCOPE');
  });

  it.each([
    ['/Users', 'GET, HEAD, POST', ['put', 'patch', 'delete']],
    [`/Users/${ID}`, 'GET, HEAD, PUT, PATCH, DELETE', ['post']],
    ['/Users/.search', 'POST', ['get', 'put', 'patch', 'delete']],
    ['/Groups', 'GET, HEAD, POST', ['put', 'patch', 'delete']],
    [`/Groups/${ID}`, 'GET, HEAD, PUT, PATCH, DELETE', ['post']],
    ['/Groups/.search', 'POST', ['get', 'put', 'patch', 'delete']],
    ['/.search', 'POST', ['get', 'put', 'patch', 'delete']],
    ['/ServiceProviderConfig', 'GET, HEAD', ['post', 'put', 'patch', 'delete']],
    ['/Schemas', 'GET, HEAD', ['post', 'put', 'patch', 'delete']],
    ['/Schemas/urn:x', 'GET, HEAD', ['post', 'put', 'patch', 'delete']],
    ['/ResourceTypes', 'GET, HEAD', ['post', 'put', 'patch', 'delete']],
    ['/ResourceTypes/User', 'GET, HEAD', ['post', 'put', 'patch', 'delete']],
    ['/Bulk', 'POST', ['get', 'put', 'patch', 'delete']],
  ])('methods that %s does not have, and returns Allow: %s', async (path, allow, verbs) => {
    for (const verb of verbs as 'put'[]) {
      const answer = await scim.send(verb, path, verb === ('get' as string) ? undefined : {});
      expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers['allow']).toBe(allow);
    }
  });

  it.each(['get', 'post', 'put', 'patch', 'delete'] as const)(
    '%s /Me, since a key does not belong to a user',
    async (verb) => {
      expectRefusal(await scim.send(verb, '/Me'), 501, 'NOT_IMPLEMENTED');
      expectRefusal(await scim.send(verb, '/Me/x'), 501, 'NOT_IMPLEMENTED');
    },
  );

  it('a Bulk without operations', async () => {
    expectRefusal(await scim.post('/Bulk', {}), 400, 'INVALID_REQUEST', 'invalidSyntax');
  });

  it.each(['/Users/a/b', '/Users//', '/Schemas/a/b', '/ServiceProviderConfig/x'])(
    'the unknown path %s',
    async (path) => {
      expectRefusal(await scim.get(path), 404, 'NOT_FOUND');
    },
  );

  it.each(['/Schemas/urn:unknown', '/Schemas/%ff', '/ResourceTypes/Robot', '/ResourceTypes/user'])(
    'the unknown document %s',
    async (path) => {
      expectRefusal(await scim.get(path), 404, 'NOT_FOUND');
    },
  );

  it('a filter on discovery', async () => {
    expectRefusal(await scim.get('/Schemas?filter=id+pr'), 403, 'INVALID_FILTER', 'invalidFilter');
  });

  it.each([
    ['text/plain', '{"userName":"a"}'],
    ['application/xml', '<a/>'],
    ['application/scim+json; charset=utf-16', '{"userName":"a"}'],
  ])('a body of type %s', async (type, body) => {
    const answer = await raw(scim, type, body);
    expectRefusal(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect((answer.body as { detail: string }).detail).toBe(
      type.includes('charset')
        ? 'The body must be encoded as UTF-8.'
        : 'Send the body as Content-Type: application/scim+json or application/json.',
    );
  });

  it('no body labelled with another charset, and reads it as UTF-8 (Java clients)', async () => {
    const answer = await raw(scim, `${SCIM_TYPE}; charset=ISO-8859-1`, '{"userName":"ä"}');
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ userName: 'ä' });
  });

  it.each([
    ['no JSON', '{'],
    ['a name twice', '{"userName":"a","userName":"b"}'],
    ['nothing', ''],
    ['deeply nested', '['.repeat(400_000)],
    ['bytes that are no UTF-8', Buffer.from('{"userName":"\xff"}', 'latin1')],
  ])('a body that is %s', async (_what, body) => {
    expectRefusal(await raw(scim, SCIM_TYPE, body), 400, 'INVALID_JSON', 'invalidSyntax');
  });

  it('a body with control characters', async () => {
    expectRefusal(await raw(scim, SCIM_TYPE, '{"userName":"a\\u0000"}'), 400, 'INVALID_REQUEST');
  });

  it('a body of more than 8 MiB', async () => {
    const body = JSON.stringify({ userName: 'a', note: 'x'.repeat(8 * 1024 * 1024) });
    expectRefusal(await raw(scim, SCIM_TYPE, body), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('a body with invalid values, and lists all of them', async () => {
    const answer = await scim.post('/Users', { userName: 5.5, active: 'x' });
    expectRefusal(answer, 400, 'INVALID_REQUEST', 'invalidValue');
    expect(answer.body).toMatchObject({ details: [{ path: 'userName' }, { path: 'active' }] });
  });

  it.each([
    ['count=x', 'invalidValue', 'INVALID_REQUEST'],
    ['filter=userName', 'invalidFilter', 'INVALID_FILTER'],
    ['attributes=a.__proto__', 'invalidPath', 'INVALID_REQUEST'],
    ['count=1&count=2', undefined, 'INVALID_REQUEST'],
    ['count=1&COUNT=2', undefined, 'INVALID_REQUEST'],
    ['filter=%ff', undefined, 'INVALID_REQUEST'],
    ['filter=a%00', undefined, 'INVALID_REQUEST'],
  ])('the query %s', async (query, scimType, error) => {
    expectRefusal(await scim.get(`/Users?${query}`), 400, error, scimType);
  });

  it('broken percent-encoding in the path', async () => {
    expectRefusal(await scim.get('/Users/%zz'), 400, 'INVALID_REQUEST');
  });

  it('too many requests, with Retry-After', async () => {
    const now = () => 10 * 60_000 + 1;
    const rateLimiter = createFixedWindowRateLimiter({ limit: 1, windowMs: 60_000, now });
    const limited = new ScimClient(scim.fake.with({ rateLimiter }), CANONICAL);
    await limited.get('/Users').expect(200);
    const answer = await limited.get('/Users');
    expectRefusal(answer, 429, 'RATE_LIMITED');
    expect(answer.headers['retry-after']).toBe('60');
    expect(answer.headers['ratelimit-remaining']).toBe('0');
  });

  it('reads while the database is unavailable, with Retry-After', async () => {
    const away = refuse('UNAVAILABLE', 'The database is away.', { retryAfter: 2 });
    const broken = withoutUsers(scim, new RefusalError(away));
    for (const path of ['/Users', `/Users/${ID}`]) {
      const answer = await broken.get(path);
      expectRefusal(answer, 503, 'UNAVAILABLE');
      expect(answer.headers['retry-after']).toBe('2');
    }
  });

  it('an internal error, and only logs its cause', async () => {
    const broken = withoutUsers(scim, new Error('ECONNREFUSED 10.0.0.7'));
    const answer = await broken.get(`/Users/${ID}`);
    expectRefusal(answer, 500, 'INTERNAL');
    expect(answer.text).not.toContain('10.0.0.7');
    expect(broken.fake.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'request failed' }),
    );
  });
});
