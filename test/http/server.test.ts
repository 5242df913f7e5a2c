import { once } from 'node:events';
import { Agent, get, type IncomingMessage, request, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../src/http/server.js';
import { makeServiceState, type ServiceState } from '../../src/http/service-state.js';
import { makeFakeApp } from '../support/fake-app.js';

const LOOPBACK = { host: '127.0.0.1', port: 0 };
const running: RunningServer[] = [];

const start = async (listener: RequestListener, state: ServiceState): Promise<RunningServer> => {
  const server = await startServer(listener, { ...LOOPBACK, state });
  running.push(server);
  return server;
};

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop({ graceMs: 0 })));
});

/** Sends bytes as they are and answers with all that comes back until the connection closes. */
const exchange = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (received += chunk));
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
    socket.write(bytes);
  });

const answerTo = (url: string, agent?: Agent): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { ...(agent && { agent }) }, resolve).on('error', reject);
  });

describe('a malformed request', () => {
  it.each([
    ['is no HTTP', 'HELLO\r\n\r\n', 400],
    [
      'names two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    [
      'smuggles a second one',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'has a header of 20,000 characters',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    [
      'has an address of 20,000 characters',
      `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      431,
    ],
    ['has a broken header', 'GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n', 400],
  ])(
    'that %s gets an answer in our form, and the connection ends',
    async (_kind, bytes, status) => {
      const { app, state } = makeFakeApp();
      const { port } = await start(app, state);
      const answer = await exchange(port, bytes);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(head).toContain('Connection: close');
      expect(head).toMatch(/X-Request-Id: [0-9a-f-]{36}/);
      expect(JSON.parse(body)).toMatchObject({ error: 'INVALID_REQUEST' });
    },
  );

  it('without a Host is refused by the protocol', async () => {
    const { app, state } = makeFakeApp();
    const { port } = await start(app, state);
    expect(await exchange(port, 'GET /healthz HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  });
});

describe('a slow client', () => {
  it('that drips its header is told 408 after 10 s', async () => {
    const { app, state } = makeFakeApp();
    const { port } = await start(app, state);
    const began = performance.now();
    const answer = await exchange(port, 'GET /healthz HTTP/1.1\r\nHost: a\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(performance.now() - began).toBeLessThan(13_000);
  }, 20_000);

  it('that stops in the middle of a body harms nobody and is no fault of ours', async () => {
    const { app, state, key, lines } = makeFakeApp();
    const { port, url } = await start(app, state);
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const head = [
      'POST /v1/acme/users HTTP/1.1',
      'Host: a',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      'Content-Length: 50',
      'X-Request-Id: half-body-1',
      'Expect: 100-continue',
    ];
    const isTaken = once(socket, 'data');
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    expect(String(await isTaken)).toMatch(/^HTTP\/1.1 100 /);
    socket.write('{"email"');
    socket.resetAndDestroy();
    await expect.poll(() => lines.length, { interval: 5 }).toBe(1);
    expect(lines).toMatchObject([{ level: 'info', request_id: 'half-body-1', aborted: true }]);
    expect((await answerTo(`${url}/healthz`)).statusCode).toBe(200);
  });
});

describe('startServer', () => {
  it('tells its address, and says what to do where it cannot listen', async () => {
    const { app, state } = makeFakeApp();
    const { port, url } = await start(app, state);
    expect(url).toBe(`http://127.0.0.1:${port}`);
    await expect(startServer(app, { host: '127.0.0.1', port, state })).rejects.toThrow(
      `Cannot listen on 127.0.0.1, port ${port}: something else listens there.`,
    );
  });

  it('answers a body that is far too large without breaking the connection', async () => {
    const { app, state, key } = makeFakeApp();
    const { port } = await start(app, state);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(
        {
          port,
          host: '127.0.0.1',
          method: 'POST',
          path: '/v1/acme/users',
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      );
      sent.on('error', reject);
      sent.end(Buffer.alloc(20 * 1024 * 1024, 0x61));
    });
    expect(status).toBe(413);
  });
});

/** A listener whose answers the test ends by hand. */
const heldListener = () => {
  const held: (() => void)[] = [];
  const listener: RequestListener = (_request, response) => {
    held.push(() => response.end('done'));
  };
  return { held, listener };
};

describe('a graceful stop', () => {
  it('lets requests under way finish, and closes their connections after them', async () => {
    const state = makeServiceState();
    const { held, listener } = heldListener();
    const { url, stop } = await start(listener, state);
    const agent = new Agent({ keepAlive: true });
    const answers = [answerTo(url, agent), answerTo(url, agent)];
    await expect.poll(() => held.length, { interval: 5 }).toBe(2);

    const stopped = stop({ graceMs: 20_000 });
    expect(state.phase()).toBe('stopping');
    for (const finish of held) finish();
    for (const answer of await Promise.all(answers)) {
      expect(answer.headers.connection).toBe('close');
      expect(await text(answer)).toBe('done');
    }
    await stopped;
    await expect(answerTo(url)).rejects.toThrow('ECONNREFUSED');
    agent.destroy();
  });

  it('waits for no idle connection', async () => {
    const { app, state } = makeFakeApp();
    const { url, stop } = await start(app, state);
    const agent = new Agent({ keepAlive: true });
    (await answerTo(`${url}/healthz`, agent)).resume();
    const began = performance.now();
    await stop({ graceMs: 20_000 });
    expect(performance.now() - began).toBeLessThan(2_000);
    agent.destroy();
  });

  it('ends what is still under way when the grace is over', async () => {
    const { held, listener } = heldListener();
    const { url, stop } = await start(listener, makeServiceState());
    const answer = answerTo(url);
    const ended = expect(answer).rejects.toThrow('socket hang up');
    await expect.poll(() => held.length, { interval: 5 }).toBe(1);
    await stop({ graceMs: 20 });
    await ended;
  });

  it('refuses a new request on a connection that is still open: 503, come back elsewhere', async () => {
    const { app, state, key } = makeFakeApp();
    const { port } = await start(app, state);
    state.stop();
    for (const path of ['/v1/acme/me', '/admin/v1/tenants']) {
      const head = [`GET ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${key}`];
      const answer = await exchange(port, `${head.join('\r\n')}\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 503 /);
      expect(answer).toMatch(/Retry-After: 1\r\n/);
      expect(answer).toMatch(/Connection: close\r\n/i);
      expect(answer).toContain('"error":"UNAVAILABLE"');
    }
  });
});
