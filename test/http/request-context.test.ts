import { beforeAll, describe, expect, it } from 'vitest';
import { requestTo } from '../support/ask.js';
import { refusalLogFields } from '../../src/http/observe-requests.js';
import { type TestApp, openEdge } from '../support/edge.js';

let { app, key, lines } = {} as TestApp;
beforeAll(async () => {
  ({ app, key, lines } = await openEdge());
});

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

describe('X-Request-Id', () => {
  it.each(['7', 'abc-123', "!#$%&'*+-.^_`|~Az09", 'x'.repeat(128)])(
    '%s is accepted and returned',
    async (id) => {
      const { headers, body } = await requestTo(app).get('/v1/acme/me').set('X-Request-Id', id);
      expect(headers['x-request-id']).toBe(id);
      expect(body).toMatchObject({ request_id: id });
    },
  );

  it.each(['x'.repeat(129), 'has space', 'a/b', 'a;b=cdefgh', 'ünïcödë-id', '', '$(reboot)1'])(
    '%j is replaced',
    async (id) => {
      const { headers } = await requestTo(app)
        .get('/healthz')
        .set('X-Request-Id', Buffer.from(id).toString('latin1'));
      expect(headers['x-request-id']).toMatch(UUID);
    },
  );

  it('is in every kind of response, and unique', async () => {
    const answers = await Promise.all(
      [
        '/healthz',
        '/docs',
        '/openapi.json',
        '/nope',
        '/v1/acme/me',
        '/admin/v1/tenants',
        '/v1/acme/%ff',
      ].map(async (path) => (await requestTo(app).get(path)).headers['x-request-id']!),
    );
    for (const id of answers) expect(id).toMatch(UUID);
    expect(new Set(answers).size).toBe(answers.length);
  });
});

describe('the log', () => {
  it('has a line per request: method, route, status, tenant and prefix of the key', async () => {
    await requestTo(app)
      .get('/v1/acme/users?email=ada@example.com')
      .set('Authorization', `Bearer ${key}`)
      .set('X-Request-Id', 'log-line-1');
    expect(lines.filter((line) => line['request_id'] === 'log-line-1')).toEqual([
      {
        level: 'info',
        message: 'request',
        request_id: 'log-line-1',
        method: 'GET',
        route: '/v1/{tenantSlug}/users',
        status: 200,
        ms: expect.any(Number) as unknown,
        tenant: 'acme',
        key_prefix: key.slice(0, 11),
      },
    ]);
  });

  it('has the code and the reason of a refusal', async () => {
    const refusals = [
      ['/v1/acme/nope', 'NOT_FOUND', 'No endpoint has this path. See the API reference at /docs/.'],
      [
        '/v1/acme/users?limit=0',
        'INVALID_REQUEST',
        'The query is not valid: … must be at least 1.',
      ],
      [
        '/v1/acme/scim/v2/Users?filter=userName%20zz%20"ada@example.com"',
        'INVALID_FILTER',
        expect.stringMatching(/^The filter is not valid/) as unknown,
      ],
      ['/admin/v1/tenants', 'UNAUTHENTICATED', expect.stringContaining('admin token') as unknown],
    ] as const;
    for (const [at, [path, code, reason]] of refusals.entries()) {
      const id = `refusal-line-${at}`;
      await requestTo(app).get(path).set('Authorization', `Bearer ${key}`).set('X-Request-Id', id);
      expect(
        lines.find((line) => line['request_id'] === id && line.message === 'request'),
      ).toMatchObject({
        code,
        reason,
      });
    }
    expect(JSON.stringify(lines)).not.toContain('ada@');
  });

  it.each([
    [
      'Another user has the e-mail address ada@example.com.',
      'Another user has the e-mail address …',
    ],
    ['No room is named "Ada "the first"".', 'No room is named "…".'],
    ['The number +49 (0)151 2345 678 is not valid.', 'The number … is not valid.'],
    [
      'The body is not valid: lovelace is not a known field.',
      'The body is not valid: … is not a known field.',
    ],
    ['x'.repeat(500), 'x'.repeat(200)],
  ])('redacts personal data in "%s"', (message, reason) => {
    expect(refusalLogFields({ code: 'INVALID_REQUEST', message })).toEqual({
      code: 'INVALID_REQUEST',
      reason,
    });
  });

  it('contains no key, URL, body or query of any request, refused ones included', async () => {
    const canary = 'canary-7f3a';
    const send = (path: string) =>
      requestTo(app).post(path).set('Authorization', `Bearer ${key}`).set('Cookie', canary);
    await send('/v1/acme/users').send({ email: `${canary}@example.com`, display_name: canary });
    await send('/v1/acme/users').send({ email: canary, [canary]: 1 });
    await send('/v1/acme/users').send(`{"${canary}`).set('Content-Type', 'application/json');
    await send(`/v1/acme/${canary}?${canary}=${canary}`);
    await requestTo(app).get('/v1/acme/me').set('Authorization', `Bearer ${canary}`);
    const text = JSON.stringify(lines);
    expect(text).not.toContain(canary);
    expect(text).not.toContain(key.slice(12));
  });

  it('logs probes at debug level only', async () => {
    await requestTo(app).get('/healthz').set('X-Request-Id', 'probe-line-1');
    expect(lines.find((line) => line['request_id'] === 'probe-line-1')?.level).toBe('debug');
  });
});
