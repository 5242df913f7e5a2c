import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Response } from 'express';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { NO_EXTENSIONS, type Site } from '../../src/routes/extensions.js';
import { nativeRoute, type RouteRequest, type ServerSentEvent } from '../../src/routes/route.js';
import { declareScope, SCOPES } from '../../src/domain/scopes.js';
import { sendStream } from '../../src/http/send-response.js';
import { requestTo } from '../support/ask.js';
import { ADMIN_TOKEN, type TestApp, openEdge } from '../support/edge.js';

const edge = await openEdge();

const FOLDER = new URL('../plugins/everything-site/', import.meta.url);

const SCRIPT = 'console.log(1);\n'.repeat(100);

/** A folder with a script in three forms. */
const compressedFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'rollgate-site-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'assets'));
  const path = join(folder, 'assets/main-Bf3kQ2xZ.js');
  writeFileSync(path, SCRIPT);
  writeFileSync(`${path}.br`, brotliCompressSync(SCRIPT));
  writeFileSync(`${path}.gz`, gzipSync(SCRIPT));
  return folder;
};

describe('a site', () => {
  const serve = (site: Partial<Site> = {}) =>
    edge.with({ extensions: { ...NO_EXTENSIONS, sites: [{ at: '/things', ...site }] } }).app;

  it('serves the files of its folder, with tags for conditional requests', async () => {
    const app = serve({ folder: FOLDER });
    const { status, text, headers } = await requestTo(app).get('/things/assets/style.css');
    expect([status, text]).toEqual([200, expect.stringContaining('color: black')]);
    expect(headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': expect.stringMatching(/^default-src 'self'; obj/) as string,
      'x-content-type-options': 'nosniff',
    });
    await requestTo(app)
      .get('/things/assets/style.css')
      .set('If-None-Match', headers.etag as string)
      .expect(304);
  });

  it('refuses another version of a file, and sends the whole of it for any range', async () => {
    const get = () => requestTo(serve({ folder: FOLDER })).get('/things/assets/style.css');
    const stale = await get().set('If-Match', '"another"');
    expect([stale.status, stale.body]).toMatchObject([412, { error: 'PRECONDITION_FAILED' }]);
    const beyond = await get().set('Range', 'bytes=1000000-');
    expect([beyond.status, beyond.text]).toEqual([200, expect.stringContaining('color: black')]);
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', undefined],
  ])('sends the compressed file to a client that accepts %s', async (accepted, encoding) => {
    const app = serve({ folder: compressedFolder() });
    const get = requestTo(app).get('/things/assets/main-Bf3kQ2xZ.js');
    const { status, text, headers } = await get.set('Accept-Encoding', accepted);
    expect([status, text, headers['content-encoding']]).toEqual([200, SCRIPT, encoding]);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
  });

  it('sends a file as it is if it is there in no other form', async () => {
    const get = requestTo(serve({ folder: FOLDER })).get('/things/assets/style.css');
    const { text, headers } = await get.set('Accept-Encoding', 'br, gzip');
    expect([text.includes('color: black'), headers['content-encoding']]).toEqual([true, undefined]);
  });

  it('answers its own address with a slash, behind which relative addresses hold', async () => {
    const app = serve({ folder: FOLDER });
    const { status, headers } = await requestTo(app).get('/things?tab=one');
    expect([status, headers.location]).toEqual([308, '/things/?tab=one']);
    expect((await requestTo(app).get('/things/')).text).toContain('Home');
  });

  it.each([
    '/things/none.css',
    '/things/.hidden',
    '/things/../everything-plugin.ts',
    '/things/%2e%2e/everything-plugin.ts',
    '/things/..%2feverything-plugin.ts',
    '/other',
  ])('has nothing at %s', async (path) => {
    const { status, body } = await requestTo(serve({ folder: FOLDER })).get(path);
    expect(status).toBe(404);
    expect(body).toMatchObject({ error: 'NOT_FOUND' });
  });

  it('answers every other address with its fallback, if it has one', async () => {
    const app = serve({ folder: FOLDER, fallback: 'index.html' });
    const { status, text, headers } = await requestTo(app).get('/things/tenants/acme');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('Home');
  });

  it.each(['/things/', '/things/tenants/acme'])(
    'sends its fallback at %s compressed, with the headers it asks for',
    async (path) => {
      const folder = compressedFolder();
      const page = '<p>Home</p>'.repeat(100);
      writeFileSync(join(folder, 'index.html'), page);
      writeFileSync(join(folder, 'index.html.br'), brotliCompressSync(page));
      const fallbackHeaders = () => ({ Link: '</main.js>; rel=modulepreload' });
      const app = serve({ folder, fallback: 'index.html', fallbackHeaders });
      const { text, headers } = await requestTo(app).get(path).set('Accept-Encoding', 'br');
      expect(text).toBe(page);
      expect(headers).toMatchObject({
        'content-encoding': 'br',
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        link: '</main.js>; rel=modulepreload',
      });
      const file = await requestTo(app).get('/things/assets/main-Bf3kQ2xZ.js');
      expect(file.headers).not.toHaveProperty('link');
    },
  );

  it('makes pages on request, under its own policy', async () => {
    const app = serve({
      policy: "default-src 'none'",
      pages: {
        '/hello': ({ query, requestId }) => ({ body: `<p>${query.who} ${requestId.length}</p>` }),
        '/data': () => Promise.resolve({ status: 203, type: 'text/plain', body: Buffer.from('x') }),
      },
    });
    const hello = await requestTo(app)
      .get('/things/hello?who=Zo%C3%AB')
      .set('X-Request-Id', 'request-1');
    expect([hello.status, hello.text]).toEqual([200, '<p>Zoë 9</p>']);
    expect(hello.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'",
      'cache-control': 'no-store',
    });
    const data = await requestTo(app).get('/things/data');
    expect([data.status, data.text]).toEqual([203, 'x']);
    const posted = await requestTo(app).post('/things/hello');
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('whose page fails answers 500 without the cause', async () => {
    const app = serve({
      pages: {
        '/': () => {
          throw new Error('the cause');
        },
      },
    });
    const { status, text } = await requestTo(app).get('/things/');
    expect(status).toBe(500);
    expect(text).not.toContain('the cause');
  });
});

describe('a stream', () => {
  let server: Server | undefined;
  let fake: TestApp;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
  });

  type Handler = (
    request: RouteRequest<unknown, unknown, unknown, unknown>,
  ) => AsyncIterable<ServerSentEvent>;

  const open = async (
    stream: Handler,
    headers: Record<string, string> = {},
  ): Promise<IncomingMessage> => {
    fake = edge.with({
      extensions: {
        ...NO_EXTENSIONS,
        routes: [
          nativeRoute({
            method: 'GET',
            path: '/live',
            scope: 'any key',
            operationId: 'live',
            tag: 'Test',
            summary: 'Test',
            responses: { 200: { description: 'Events.', isStream: true, body: z.unknown() } },
            handler: (request) => Promise.resolve({ status: 200, stream: stream(request) }),
          }),
        ],
      },
    });
    server = createServer((request, response) => void fake.app(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const authorization = `Bearer ${fake.key}`;
    const sent = get({ port, path: '/v1/acme/live', headers: { authorization, ...headers } });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response.setEncoding('utf8');
  };

  const read = async (response: IncomingMessage): Promise<string> => {
    let text = '';
    for await (const chunk of response) text += chunk as string;
    return text;
  };

  /** Events until the request's signal aborts. */
  const endless = (ended: () => void): Handler =>
    async function* ({ signal }) {
      try {
        yield { data: 'first' };
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve, { once: true });
        });
      } finally {
        ended();
      }
    };

  it('is sent as server-sent events, and ends with the last of them', async () => {
    const response = await open(
      async function* ({ lastEventId }) {
        yield { id: '7\n', event: 'user.created', data: { name: 'Zoë\nB' } };
        yield await Promise.resolve({ data: lastEventId });
      },
      { 'Last-Event-ID': '6' },
    );
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(await read(response)).toBe(
      'id: 7 \nevent: user.created\ndata: {"name":"Zoë\\nB"}\n\ndata: "6"\n\n',
    );
  });

  it('ends when the client is gone', async () => {
    let hasEnded = (): void => undefined;
    const ended = new Promise<void>((resolve) => (hasEnded = resolve));
    const response = await open(endless(hasEnded));
    await once(response, 'data');
    response.destroy();
    await ended;
  });

  it('ends when the gateway begins to stop, for each of its clients', async () => {
    let hasEnded = (): void => undefined;
    const ended = new Promise<void>((resolve) => (hasEnded = resolve));
    const response = await open(endless(hasEnded));
    await once(response, 'data');
    fake.state.drain();
    await ended;
    expect(await read(response)).toBe('');
  });

  it('that ignores the signal is ended all the same', async () => {
    const response = await open(async function* () {
      yield { data: 1 };
      await new Promise(() => undefined);
    });
    await once(response, 'data');
    fake.state.drain();
    expect(await read(response)).toBe('');
  });

  it('does not run ahead of a client that takes nothing', async () => {
    // Given a client whose buffer is full
    const client = new Writable({ highWaterMark: 1, write: () => undefined });
    const response = Object.assign(client, {
      req: { method: 'GET' },
      writeHead: () => response,
      flushHeaders: () => undefined,
      setTimeout: () => response,
    }) as unknown as Response;
    let made = 0;
    const stream = (async function* () {
      for (;;) yield await Promise.resolve({ data: (made += 1) });
    })();
    // When a stream without end is sent to it
    const gone = new AbortController();
    const sending = sendStream(response, { events: stream, signal: gone.signal });
    for (let turns = 0; turns < 100; turns += 1) await new Promise(setImmediate);
    // Then only what was written has been made
    expect(made).toBe(1);
    gone.abort();
    client.destroy();
    await sending;
  });
});

describe('scopes', () => {
  const AUDIT = declareScope('audit:read');
  const path = '/admin/v1/tenants/acme/api-keys';
  const make = (fake: TestApp, scopes: readonly string[]) =>
    requestTo(fake.app)
      .post(path)
      .set('Authorization', `Bearer ${ADMIN_TOKEN}`)
      .send({ description: 'Audit', scopes });

  it('of an extension can be given to a key, and are needed by its routes', async () => {
    const fake = edge.with({
      extensions: {
        ...NO_EXTENSIONS,
        scopes: [...SCOPES, AUDIT],
        routes: [
          nativeRoute({
            method: 'GET',
            path: '/audit',
            scope: AUDIT,
            operationId: 'audit',
            tag: 'Test',
            summary: 'Test',
            responses: { 200: { description: 'Entries.' } },
            handler: () => Promise.resolve({ status: 200, body: {} }),
          }),
        ],
      },
    });
    const { status, body } = await make(fake, ['audit:read']);
    expect([status, body]).toMatchObject([201, { scopes: ['audit:read'] }]);
    const { key } = body as { key: string };
    const read = (token: string) =>
      requestTo(fake.app).get('/v1/acme/audit').set('Authorization', `Bearer ${token}`);
    await read(key).expect(200);
    const refused = await read(fake.key);
    expect([refused.status, refused.body]).toMatchObject([403, { error: 'INSUFFICIENT_SCOPE' }]);
  });

  it('of a disabled extension are unknown, and hidden where a key still has them', async () => {
    const fake = edge.with();
    expect((await make(fake, ['audit:read'])).status).toBe(400);
    const { key } = await fake.addKey(fake.tenant, ['usage', AUDIT]);
    const me = await requestTo(fake.app).get('/v1/acme/me').set('Authorization', `Bearer ${key}`);
    expect(me.body).toMatchObject({ scopes: ['usage'] });
    const listed = await requestTo(fake.app)
      .get(path)
      .set('Authorization', `Bearer ${ADMIN_TOKEN}`);
    expect(JSON.stringify(listed.body)).not.toContain('audit:read');
  });
});
