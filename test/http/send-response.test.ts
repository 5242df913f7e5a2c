import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { NO_EXTENSIONS } from '../../src/routes/extensions.js';
import { nativeRoute, type RouteResponse } from '../../src/routes/route.js';
import { raise } from '../../src/domain/kernel/refusals.js';
import { requestTo } from '../support/ask.js';
import { openEdge } from '../support/edge.js';

const edge = await openEdge();

const rest = (count: number) => ({ total: count });

/** Numbered items of about 100 characters each. Shows how far they were read. */
class Items {
  read = 0;
  hasEnded = false;
  /** Called before each item. */
  beforeItem: (index: number) => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly count: number,
    private readonly failAt = Infinity,
  ) {}

  async *[Symbol.asyncIterator]() {
    try {
      for (; this.read < this.count; this.read += 1) {
        if (this.read === this.failAt) raise('UNAVAILABLE', 'The database does not answer.');
        await this.beforeItem(this.read);
        yield { number: this.read, text: 'x'.repeat(80) };
      }
    } finally {
      this.hasEnded = true;
    }
  }
}

const serve = (items: AsyncIterable<unknown> | readonly unknown[]) => {
  const response: Omit<RouteResponse, 'status'> =
    'at' in items
      ? { body: { before: 'b', things: items, none: undefined, after: { a: 1 } } }
      : { list: { name: 'things', items, rest } };
  return edge.with({
    extensions: {
      ...NO_EXTENSIONS,
      routes: [
        nativeRoute({
          method: 'GET',
          path: '/things',
          scope: 'any key',
          operationId: 'things',
          tag: 'Test',
          summary: 'Test',
          responses: { 200: { description: 'Things.' } },
          handler: () => Promise.resolve({ status: 200, ...response }),
        }),
      ],
    },
  });
};

const read = (items: AsyncIterable<unknown>, method: 'get' | 'head' = 'get') => {
  const { app, key } = serve(items);
  return requestTo(app)[method]('/v1/acme/things').set('Authorization', `Bearer ${key}`);
};

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Sends a request over its own connection. */
const send = async (items: AsyncIterable<unknown>) => {
  const { app, key } = serve(items);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const headers = { authorization: `Bearer ${key}` };
  return { server, request: get({ port, host: '127.0.0.1', path: '/v1/acme/things', headers }) };
};

/** The response to such a request, before any of its body is read. */
const open = async (items: AsyncIterable<unknown>): Promise<IncomingMessage> => {
  const { request } = await send(items);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
};

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
};

describe('a long list in a body', () => {
  it('is written in slices, as the same text', async () => {
    const things = Array.from({ length: 501 }, (_, at) => (at === 7 ? { text: 'é"' } : at));
    const { app, key } = serve(things);
    const answer = await requestTo(app)
      .get('/v1/acme/things')
      .set('Authorization', `Bearer ${key}`);
    expect(answer.text).toBe(JSON.stringify({ before: 'b', things, after: { a: 1 } }));
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)));
  });
});

describe('long responses', () => {
  it('of one key are limited to eight: 429 with Retry-After until one ends', async () => {
    // given eight clients of one key that do not read on
    const items = () => new Items(50_000);
    const { app, key } = serve({ [Symbol.asyncIterator]: () => items()[Symbol.asyncIterator]() });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const start = async (): Promise<IncomingMessage> => {
      const headers = { authorization: `Bearer ${key}` };
      const request = get({
        port,
        host: '127.0.0.1',
        path: '/v1/acme/things',
        headers,
        agent: false,
      });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return response;
    };
    const open = await Promise.all(Array.from({ length: 8 }, start));
    expect(open.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));

    // when the key asks for another one
    const refused = await start();

    // then it is refused until one of them ends
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
    open[0]!.destroy();
    await expect.poll(async () => (await start()).statusCode).toBe(200);
  });
});

describe('a streamed list', () => {
  it.each([
    [0, '{"things":[],"total":0}'],
    [1, `{"things":[{"number":0,"text":"${'x'.repeat(80)}"}],"total":1}`],
  ])('of %i items is sent with its length', async (count, text) => {
    const answer = await read(new Items(count));
    expect(answer.text).toBe(text);
    expect(answer.headers['content-length']).toBe(String(text.length));
  });

  it.each([600, 5_000])('of %i items is well-formed, regardless of chunks', async (count) => {
    const { status, body } = await read(new Items(count));
    const { things, total } = body as { things: { number: number }[]; total: number };
    expect([status, total, things.length, things.at(-1)?.number]).toEqual([
      200,
      count,
      count,
      count - 1,
    ]);
  });

  it('that is long is sent in chunks', async () => {
    const { headers } = await read(new Items(5_000));
    expect([headers['content-length'], headers['transfer-encoding']]).toEqual([
      undefined,
      'chunked',
    ]);
  });

  it('is not read completely for HEAD', async () => {
    const things = new Items(100_000);
    const { status, body } = await read(things, 'head');
    expect([status, body]).toEqual([200, {}]);
    expect(things.hasEnded).toBe(true);
    expect(things.read).toBeLessThan(5_000);
  });

  it('that fails before anything is sent becomes an error response', async () => {
    const { status, body } = await read(new Items(10, 5));
    expect([status, body]).toMatchObject([503, { error: 'UNAVAILABLE' }]);
  });

  it('that fails later closes the connection', async () => {
    const response = await open(new Items(50_000, 40_000));
    expect(response.statusCode).toBe(200);
    response.resume();
    await expect(once(response, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(response.complete).toBe(false);
  });

  it('is read no faster than the client reads it, and ended when the client disconnects', async () => {
    const things = new Items(2_000_000);
    const response = await open(things);
    let before = -1;
    // Reading stops when the buffers on the way are full.
    for (let still = 0; still < 200; before = things.read) {
      await new Promise((resolve) => setImmediate(resolve));
      still = things.read === before ? still + 1 : 0;
    }
    expect(things.read).toBeLessThan(300_000);
    expect(things.hasEnded).toBe(false);
    response.destroy();
    await until(() => things.hasEnded);
  });

  it('is ended if the client disconnects before any of it is sent', async () => {
    const things = new Items(5_000);
    let paused: () => void = () => undefined;
    let resume: () => void = () => undefined;
    const pause = new Promise<void>((resolve) => (paused = resolve));
    const resumed = new Promise<void>((resolve) => (resume = resolve));
    things.beforeItem = async (index) => {
      if (index !== 200) return;
      paused();
      await resumed;
    };
    const { server, request } = await send(things);
    request.on('error', () => undefined);
    const closed = once(server, 'connection').then(([socket]) => once(socket as Socket, 'close'));
    await pause;
    request.destroy();
    await closed;
    resume();
    await until(() => things.hasEnded);
    expect(things.read).toBeLessThan(5_000);
  });
});
