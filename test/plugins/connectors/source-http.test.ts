import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  SourceError,
  type SourceRequest,
} from '../../../src/plugin/contract/connector-contract.js';
import {
  createSourceHttp,
  type ClosableHttp,
} from '../../../src/plugin/connector-runtime/source-http.js';
import { createSourceNetwork } from '../../../src/plugin/connector-runtime/source-network.js';
import { createAddressGuard } from '../../../src/plugin/outbound/address-guard.js';
import {
  createFakeSourceClock,
  type FakeSourceClock,
} from '../../../src/plugin/testing/test-connector.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const START = new Date('2026-11-22T10:00:00.000Z');
let handlers: Handler[] = [];
let received: IncomingMessage[] = [];
let clock: FakeSourceClock;
let lines: string[];
let stopping: AbortController;
let url: string;
let http: ClosableHttp;

const server = createServer((request, response) => {
  received.push(request);
  const handle = handlers.length > 1 ? handlers.shift() : handlers[0];
  handle?.(request, response);
});

const open = (more: { readonly allow?: readonly string[] } = {}): ClosableHttp => {
  const note = (fields: object, message: string) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  return createSourceHttp({
    guard: createAddressGuard(more.allow ?? ['127.0.0.0/8']),
    resolve: () => Promise.resolve(['127.0.0.1']),
    clock,
    log: { debug: note, info: note, warn: note, error: note },
    userAgent: 'Rollgate/test',
    signal: stopping.signal,
    random: () => 0.5,
  });
};

beforeEach(async () => {
  handlers = [(_request, response) => response.end('{"fine":true}')];
  received = [];
  lines = [];
  clock = createFakeSourceClock(START);
  stopping = new AbortController();
  http = open();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://localhost:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  http.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}, body = ''): Handler =>
  (_request, response) =>
    response.writeHead(code, headers).end(body);
const fine = status(200, {}, 'fine');

const failureOf = async (work: Promise<unknown>): Promise<SourceError> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SourceError);
  return error as SourceError;
};

describe('a request', () => {
  it('has query, headers and credentials, and logs none of their values', async () => {
    const response = await http.get({
      url: `${url}/people`,
      query: { id: ['1', '2'], key: 'hidden-in-query' },
      headers: { 'X-Tenant': 'acme' },
      auth: { user: 'ada', password: 'hunter2' },
    });
    expect(response).toMatchObject({ status: 200, body: '{"fine":true}' });
    expect(received[0]?.url).toBe('/people?id=1&id=2&key=hidden-in-query');
    expect(received[0]?.headers).toMatchObject({
      'x-tenant': 'acme',
      authorization: `Basic ${Buffer.from('ada:hunter2').toString('base64')}`,
    });
    expect(lines.join()).toContain('/people');
    expect(lines.join()).not.toMatch(/hidden-in-query|hunter2|acme|Basic/);
  });

  it.each<[string, Partial<SourceRequest>, string]>([
    ['JSON', { json: { page: 1 } }, 'application/json {"page":1}'],
    ['a form', { form: { grant: 'x y' } }, 'application/x-www-form-urlencoded grant=x+y'],
  ])('posts %s', async (_what, more, expected) => {
    handlers = [
      (request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () =>
          response.end(`${request.headers['content-type']} ${Buffer.concat(chunks).toString()}`),
        );
      },
    ];
    expect((await http.post({ url, ...more })).body).toBe(expected);
  });

  it.each([401, 403, 404, 500])('gets status %i once, as it is', async (code) => {
    handlers = [status(code)];
    expect((await http.get({ url })).status).toBe(code);
    expect(received).toHaveLength(1);
  });
});

describe('what may succeed later is repeated', () => {
  it.each<[string, Handler, number]>([
    ['after seconds', status(429, { 'retry-after': '7' }), 7_000],
    ['after a date', status(429, { 'retry-after': 'Sun, 22 Nov 2026 10:00:09 GMT' }), 9_000],
    [
      'at the end of a window, in seconds since 1970',
      status(429, { 'x-ratelimit-reset': String(START.getTime() / 1_000 + 11) }),
      11_000,
    ],
    ['at the end of a window, in seconds', status(429, { 'ratelimit-reset': '12' }), 12_000],
    ['503 after seconds', status(503, { 'retry-after': '3' }), 3_000],
    ['after a second', status(429), 1_000],
    ['a gateway time-out', status(504), 1_000],
    ['a broken connection', (request) => request.socket.destroy(), 1_000],
    [
      'a body that is cut',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => response.destroy());
      },
      1_000,
    ],
  ])('%s', async (_what, first, pause) => {
    handlers = [first, fine];
    expect((await http.get({ url })).body).toBe('fine');
    expect(clock.pauses).toEqual([pause]);
  });

  it('with growing pauses, and not for ever', async () => {
    handlers = [status(503)];
    const error = await failureOf(http.get({ url }));
    expect(error).toMatchObject({ kind: 'network' });
    expect(received).toHaveLength(6);
    expect(clock.pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
  });

  it('but not after hours: then the run ends, and says when to try again', async () => {
    handlers = [status(429, { 'retry-after': '7200' })];
    const error = await failureOf(http.get({ url }));
    expect(error).toMatchObject({ kind: 'rate-limit', options: { retryAfterMs: 7_200_000 } });
    expect([received.length, clock.pauses]).toEqual([1, []]);
  });

  it.each([
    ['seconds', { 'retry-after': '1000000000' }],
    ['a date', { 'retry-after': 'Mon, 22 Nov 2027 10:00:00 GMT' }],
    ['the end of a window', { 'x-ratelimit-reset': String(START.getTime() / 1_000 + 10_000_000) }],
  ])('and a pause of years, as %s, is one of a day', async (_what, headers) => {
    handlers = [status(429, headers)];
    const error = await failureOf(http.get({ url }));
    expect(error).toMatchObject({ kind: 'rate-limit', options: { retryAfterMs: 86_400_000 } });
    expect([received.length, clock.pauses]).toEqual([1, []]);
  });

  it('and a source that requests a long pause gets no request before it ends', async () => {
    handlers = [status(429, { 'retry-after': '7200' }), fine];
    await failureOf(http.get({ url }));
    clock.advance(3_600_000);
    expect(await failureOf(http.get({ url }))).toMatchObject({
      kind: 'rate-limit',
      options: { retryAfterMs: 3_600_000 },
    });
    expect(received).toHaveLength(1);
    clock.advance(3_600_000);
    expect((await http.get({ url })).body).toBe('fine');
  });

  it.each(['0', 'Sun, 22 Nov 2026 09:59:00 GMT', 'soon', '1e3', '-7'])(
    'and Retry-After "%s" is no reason to ask without a pause',
    async (header) => {
      handlers = [status(503, { 'retry-after': header }), fine];
      expect((await http.get({ url })).body).toBe('fine');
      expect(clock.pauses).toEqual([1_000]);
    },
  );

  it('and all requests to the host wait', async () => {
    handlers = [status(429, { 'retry-after': '5' }), fine];
    await Promise.all([http.get({ url }), http.get({ url: `${url}/other` })]);
    expect(clock.now().getTime()).toBeGreaterThanOrEqual(START.getTime() + 5_000);
  });

  it('and the last request of a window is followed by a pause', async () => {
    handlers = [status(200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4' }), fine];
    await http.get({ url });
    expect(clock.pauses).toEqual([]);
    await http.get({ url });
    expect(clock.pauses).toEqual([4_000]);
  });
});

describe('limits', () => {
  it('keep to 20 requests at once and 20 per second', async () => {
    for (let index = 0; index < 41; index += 1) await http.get({ url });
    expect(clock.now().getTime() - START.getTime()).toBeGreaterThanOrEqual(1_000);
  });

  it('end a response that is too long', async () => {
    handlers = [status(200, {}, 'x'.repeat(2_000))];
    expect(await failureOf(http.get({ url, bodyLimit: 1_000 }))).toMatchObject({ kind: 'schema' });
    expect(received).toHaveLength(1);
  });

  it('end a request that takes too long, after attempts', async () => {
    handlers = [() => undefined];
    const error = await failureOf(http.get({ url, timeoutMs: 20 }));
    expect([error.kind, received.length]).toEqual(['network', 6]);
  });

  it('end a request at once if it is aborted', async () => {
    handlers = [() => undefined];
    const abort = new AbortController();
    const reading = http.get({ url, signal: abort.signal });
    await expect.poll(() => received.length).toBe(1);
    abort.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });
});

describe('a stream', () => {
  it('gives the body as it comes', async () => {
    handlers = [status(200, {}, 'x'.repeat(300_000))];
    const { body, status: code } = await http.stream({ url });
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) size += chunk.length;
    expect([code, size]).toEqual([200, 300_000]);
  });

  it('that is cut ends with a SourceError', async () => {
    handlers = [
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => setTimeout(() => response.destroy(), 5));
      },
    ];
    const { body } = await http.stream({ url });
    const reading = (async () => {
      await text(body);
    })();
    expect(await failureOf(reading)).toMatchObject({ kind: 'network' });
  });

  it('that is aborted ends', async () => {
    handlers = [
      (_request, response) => {
        response.writeHead(200);
        response.write('half');
      },
    ];
    const abort = new AbortController();
    const { body } = await http.stream({ url, signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(
      (async () => {
        await text(body);
      })(),
    ).rejects.toThrow('enough');
  });
});

describe('the address guard', () => {
  it.each(['http://localhost', 'http://127.0.0.1', 'http://[::1]'])('refuses %s', async (host) => {
    const guarded = open({ allow: [] });
    const error = await failureOf(guarded.get({ url: `${host}:1` }));
    expect(error.kind).toBe('config');
    expect(error.message).toContain('"allow"');
    guarded.close();
  });

  it('checks what a redirect leads to, which must be the same host', async () => {
    handlers = [status(302, { location: 'http://169.254.169.254/latest' }), fine];
    expect((await http.get({ url })).status).toBe(302);
    expect(received).toHaveLength(1);
  });

  it('follows a redirect within the host', async () => {
    handlers = [status(302, { location: '/other' }), fine];
    expect((await http.get({ url, auth: { bearer: 'abcd' } })).body).toBe('fine');
    expect(received.map(({ url: path, headers }) => [path, headers.authorization])).toEqual([
      ['/', 'Bearer abcd'],
      ['/other', 'Bearer abcd'],
    ]);
  });

  it.each(['ftp://localhost', 'http://ada:hunter2@localhost', 'http://localhost:0', 'nonsense'])(
    'refuses the URL %s',
    async (text) => {
      const error = await failureOf(http.get({ url: text }));
      expect(error.kind).toBe('config');
      expect(error.message).not.toContain('hunter2');
    },
  );
});

describe('other connections', () => {
  const network = (allow: readonly string[]) =>
    createSourceNetwork({
      guard: createAddressGuard(allow),
      resolve: () => Promise.resolve(['127.0.0.1']),
      signal: stopping.signal,
    });
  const port = () => (server.address() as AddressInfo).port;

  it('are opened, and end when the connector stops', async () => {
    const socket = await network(['127.0.0.0/8']).connect({ host: 'localhost', port: port() });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    stopping.abort(new Error('stop'));
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  it.each(['localhost', '127.0.0.1'])('to %s pass the address guard', async (host) => {
    expect(await failureOf(network([]).connect({ host, port: port() }))).toMatchObject({
      kind: 'config',
    });
  });

  it('that fail are SourceErrors', async () => {
    const connecting = network(['127.0.0.0/8']).connect({ host: 'localhost', port: 1 });
    expect(await failureOf(connecting)).toMatchObject({ kind: 'network' });
  });
});
