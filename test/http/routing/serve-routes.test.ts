import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { NO_EXTENSIONS } from '../../../src/routes/extensions.js';
import { PAGE_FIELDS, timeField } from '../../../src/routes/fields.js';
import { nativeRoute, operatorRoute, type Route } from '../../../src/routes/route.js';
import { declareRefusal } from '../../../src/domain/kernel/refusals.js';
import { requestTo } from '../../support/ask.js';
import { openEdge } from '../../support/edge.js';

const edge = await openEdge();

const DESCRIPTION = {
  scope: 'any key',
  tag: 'Test',
  summary: 'Test',
  responses: { 200: { description: 'What was read.' } },
} as const;

let made = 0;
const route = (path: string, more: Partial<Parameters<typeof nativeRoute>[0]> = {}): Route => {
  made += 1;
  return nativeRoute({
    method: 'GET',
    path,
    operationId: `test${made}`,
    ...DESCRIPTION,
    handler: () => Promise.resolve({ status: 200, body: { path } }),
    ...more,
  });
};

const serve = (...routes: readonly Route[]) => {
  const fake = edge.with({ extensions: { ...NO_EXTENSIONS, routes } });
  return (method: 'get' | 'post' | 'delete', path: string) =>
    requestTo(fake.app)[method](`/v1/acme${path}`).set('Authorization', `Bearer ${fake.key}`);
};

describe('a route table', () => {
  it('tries a literal segment before a parameter, regardless of their order', async () => {
    const call = serve(route('/things/{id}'), route('/things/special'), route('/{any}/special'));
    expect((await call('get', '/things/special')).body).toEqual({ path: '/things/special' });
    expect((await call('get', '/things/other')).body).toEqual({ path: '/things/{id}' });
    expect((await call('get', '/more/special')).body).toEqual({ path: '/{any}/special' });
  });

  it('rejects two routes with the same method and path', () => {
    expect(() => serve(route('/twice'), route('/twice'))).toThrow('Duplicate route: GET /twice');
  });

  it('passes the parsed path, query and body to the handler', async () => {
    const call = serve(
      nativeRoute({
        ...DESCRIPTION,
        method: 'POST',
        path: '/echo/{name}',
        operationId: 'echo',
        params: z.object({ name: z.string() }),
        query: z.strictObject({ ...PAGE_FIELDS, at: timeField().optional() }),
        body: z.strictObject({ list: z.array(z.int().max(9)).min(1) }),
        handler: ({ params, query, body, source, caller, requestId }) =>
          Promise.resolve({
            status: 200,
            body: { params, query, body, source, tenant: caller.tenant.slug, requestId },
          }),
      }),
    );
    const answer = await call('post', '/echo/a%20b?limit=7&at=2026-01-01T00:00:00Z')
      .set('X-Request-Id', 'echo-request')
      .send({ list: [1] });
    expect(answer.body).toEqual({
      params: { name: 'a b' },
      query: { limit: 7, offset: 0, at: '2026-01-01T00:00:00Z' },
      body: { list: [1] },
      source: 'rest',
      tenant: 'acme',
      requestId: 'echo-request',
    });
    const refused = await call('post', '/echo/x').send({ list: [1, 10, 1.5] });
    expect((refused.body as { details: unknown }).details).toEqual([
      { path: 'list[1]', message: 'must be at most 9' },
      { path: 'list[2]', message: 'must be a whole number' },
    ]);
    const empty = await call('post', '/echo/x').send({ list: [] });
    expect((empty.body as { message: string }).message).toBe(
      'The body is not valid: list must not be empty.',
    );
  });

  it('returns 404 with the code of the route for an invalid path parameter', async () => {
    const call = serve(
      nativeRoute({
        ...DESCRIPTION,
        method: 'GET',
        path: '/hooks/{id}',
        operationId: 'hook',
        params: z.object({ id: z.uuid() }),
        refusals: ['PRECONDITION_FAILED', declareRefusal('HOOK_NOT_FOUND', 'missing', 'None.')],
        handler: () => Promise.resolve({ status: 200 }),
      }),
    );
    const { status, body } = await call('get', '/hooks/7');
    expect([status, body]).toMatchObject([404, { error: 'HOOK_NOT_FOUND' }]);
  });

  it('accepts bodies of more than 1 MiB on routes that declare it', async () => {
    const text = 'x'.repeat(1_200_000);
    const sized = (path: string, bodyLimit?: number) =>
      nativeRoute({
        ...DESCRIPTION,
        method: 'POST',
        path,
        operationId: `size${path}`,
        body: z.strictObject({ text: z.string() }),
        ...(bodyLimit !== undefined && { bodyLimit }),
        handler: ({ body }) => Promise.resolve({ status: 200, body: body.text.length }),
      });
    const call = serve(sized('/usual'), sized('/large', 2 * 1024 * 1024));
    expect((await call('post', '/usual').send({ text })).status).toBe(413);
    expect((await call('post', '/large').send({ text })).body).toBe(1_200_000);
  });

  it('sends the headers of the handler, and no body if there is none', async () => {
    const answer = { status: 202, headers: { 'Idempotent-Replayed': 'true' } };
    const call = serve(route('/accepted', { handler: () => Promise.resolve(answer) }));
    const { status, text, headers } = await call('get', '/accepted');
    expect([status, text, headers['idempotent-replayed']]).toEqual([202, '', 'true']);
  });

  it('returns at most 100 details', async () => {
    const call = serve(
      nativeRoute({
        ...DESCRIPTION,
        method: 'POST',
        path: '/strict',
        operationId: 'strict',
        body: z.strictObject({}),
        handler: () => Promise.resolve({ status: 200 }),
      }),
    );
    const surprise = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, 0]));
    const { body } = await call('post', '/strict').send(surprise);
    expect((body as { details: unknown[] }).details).toHaveLength(100);
  });

  it('explains why a free name is invalid, and repeats only plain names', async () => {
    const name = z.string().regex(/^[a-z-]+$/, 'must be in lower case');
    const call = serve(
      nativeRoute({
        ...DESCRIPTION,
        method: 'POST',
        path: '/free',
        operationId: 'free',
        body: z.strictObject({ headers: z.record(name, z.string()) }),
        handler: () => Promise.resolve({ status: 200 }),
      }),
    );
    const detailsOf = async (headers: unknown) =>
      ((await call('post', '/free').send({ headers })).body as { details: unknown }).details;
    expect(await detailsOf({ Host: 'x' })).toEqual([
      { path: 'headers.Host', message: 'must be in lower case' },
    ]);
    expect(await detailsOf({ '+49 1512 3456789': 'x' })).toEqual([
      {
        path: 'headers',
        message: 'contains an invalid name: it must be in lower case',
      },
    ]);
    expect(await detailsOf([])).toEqual([{ path: 'headers', message: 'must be an object' }]);
  });

  it('serves operators and tenants separately', async () => {
    const fake = edge.with({
      extensions: {
        ...NO_EXTENSIONS,
        routes: [
          operatorRoute({
            ...DESCRIPTION,
            method: 'GET',
            path: '/runs',
            operationId: 'runs',
            handler: ({ caller }) => Promise.resolve({ status: 200, body: caller.actor }),
          }),
        ],
      },
    });
    const asOperator = await requestTo(fake.app)
      .get('/admin/v1/runs')
      .set('Authorization', 'Bearer admin-token-of-the-tests-0123456789');
    expect(asOperator.body).toEqual({ kind: 'operator', name: 'admin-token' });
    const asTenant = await requestTo(fake.app)
      .get('/v1/acme/runs')
      .set('Authorization', `Bearer ${fake.key}`);
    expect(asTenant.status).toBe(404);
  });
});
