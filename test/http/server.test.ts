import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../src/http/server.js';
import { createServiceState, type ServiceState } from '../../src/http/service-state.js';
import { openEdge } from '../support/edge.js';

const edge = await openEdge();

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

/** Sends raw bytes and returns all data until the connection closes. */
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

const headOfPost = (key: string, header: string): string =>
  [
    'POST /v1/acme/users HTTP/1.1',
    'Host: a',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    header,
  ].join('\r\n');

const answerTo = (url: string, agent?: Agent): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { ...(agent && { agent }) }, resolve).on('error', reject);
  });

/** A stop that waited for the whole grace period would outlast the test. */
const LONGER_THAN_THE_TEST_MS = 600_000;

describe('a malformed request', () => {
  it.each([
    ['is no HTTP', 'HELLO\r\n\r\n', 400],
    [
      'has two Content-Length headers',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    [
      'smuggles a second request',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'has a header of 20,000 characters',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    [
      'has a URL of 20,000 characters',
      `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      431,
    ],
    ['has a broken header', 'GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n', 400],
  ])(
    'that %s gets a response in the native format, and the connection is closed',
    async (_kind, bytes, status) => {
      const { app, state } = edge.with();
      const { port } = await start(app, state);
      const answer = await exchange(port, bytes);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(head).toContain('Connection: close');
      expect(head).toMatch(/X-Request-Id: [0-9a-f-]{36}/);
      expect(JSON.parse(body)).toMatchObject({ error: 'INVALID_REQUEST' });
    },
  );

  it('without a Host is refused in the native format', async () => {
    const { app, state } = edge.with();
    const { port } = await start(app, state);
    expect(await exchange(port, 'GET /healthz HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  });
});

/** In its own thread: clients in the server's event loop never write while it closes. */
const SENDERS = `
  const { Agent, request } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  const body = Buffer.alloc(8 * 1024 * 1024, 'x');
  const ask = () => new Promise((resolve) => {
    const options = { method: 'POST', agent, headers: { 'content-length': body.length } };
    const sent = request(workerData, options);
    sent.on('response', (response) => resolve(response.resume().statusCode));
    sent.on('error', (error) => resolve(error.code));
    sent.end(body);
  });
  Promise.all(Array.from({ length: 60 }, ask)).then((all) => parentPort.postMessage(all));
`;

describe('a refused client that is still sending a large body and requested to close the connection', () => {
  it('gets the response, not a reset connection', async () => {
    // Given a listener that responds without reading the body
    const refuse: RequestListener = (_request, response) => {
      setImmediate(() => response.writeHead(413, { 'Content-Length': 2 }).end('no'));
    };
    const { url } = await start(refuse, createServiceState());

    // When 60 clients at once send their whole bodies
    const clients = new Worker(SENDERS, { eval: true, workerData: url });
    const [statuses] = (await once(clients, 'message')) as [unknown[]];
    await clients.terminate();

    // Then all of them get the response
    expect(new Set(statuses)).toEqual(new Set([413]));
  });
});

describe('a slow client', () => {
  it('that stops in the middle of a body is not logged as an error', async () => {
    const { app, state, key, lines } = edge.with();
    const { port, url } = await start(app, state);
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const isTaken = once(socket, 'data');
    const headers = 'Content-Length: 50\r\nX-Request-Id: half-body-1\r\nExpect: 100-continue';
    socket.write(`${headOfPost(key, headers)}\r\n\r\n`);
    expect(String(await isTaken)).toMatch(/^HTTP\/1.1 100 /);
    socket.write('{"email"');
    socket.resetAndDestroy();
    await expect.poll(() => lines.length, { interval: 5 }).toBe(1);
    expect(lines).toMatchObject([{ level: 'info', request_id: 'half-body-1', aborted: true }]);
    expect((await answerTo(`${url}/healthz`)).statusCode).toBe(200);
  });
});

describe('connections', () => {
  /** How many of three connections are still open after a request on each. */
  const countServed = async (trustedProxies: readonly string[]): Promise<number> => {
    const { app, state } = edge.with();
    const server = await startServer(app, {
      ...{ ...LOOPBACK, state, trustedProxies },
      maxConnections: 4,
    });
    running.push(server);
    const request = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
    const sockets = [1, 2, 3].map(() => connect(server.port, '127.0.0.1'));
    const answers = await Promise.all(
      sockets.map(
        (socket) =>
          new Promise<boolean>((resolve) => {
            socket.on('data', () => resolve(true)).on('error', () => undefined);
            socket.on('close', () => resolve(false)).write(request);
          }),
      ),
    );
    for (const socket of sockets) socket.destroy();
    return answers.filter(Boolean).length;
  };

  it('of one address are at most half of all', async () => {
    expect(await countServed([])).toBe(2);
  });

  it('of a trusted proxy may be all: they are of many clients', async () => {
    expect(await countServed(['127.0.0.1'])).toBe(3);
  });
});

describe('startServer', () => {
  it('returns its URL, and rejects with a clear error if it cannot listen', async () => {
    const { app, state } = edge.with();
    const { port, url } = await start(app, state);
    expect(url).toBe(`http://127.0.0.1:${port}`);
    await expect(startServer(app, { host: '127.0.0.1', port, state })).rejects.toThrow(
      `Cannot listen on 127.0.0.1 port ${port}: the port is already in use. Stop the other process`,
    );
  });

  it('refuses a body by its Content-Length before any of it is received', async () => {
    const { app, state, key } = edge.with();
    const { port } = await start(app, state);
    const socket = connect(port, '127.0.0.1');
    const answer = once(socket, 'data');
    socket.write(`${headOfPost(key, 'Content-Length: 2000000')}\r\n\r\n`);
    expect(String(await answer)).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
  });

  it.each([
    ['announced', 'Content-Length: 3000000', 'a'.repeat(3_000_000)],
    [
      'sent in chunks',
      'Transfer-Encoding: chunked',
      `${'20000\r\n'.concat('a'.repeat(0x20000), '\r\n').repeat(24)}0\r\n\r\n`,
    ],
  ])('discards a body %s as too large, and keeps the connection', async (_how, header, body) => {
    const { app, state, key } = edge.with();
    const { port } = await start(app, state);
    const next = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const answers = await exchange(port, `${headOfPost(key, header)}\r\n\r\n${body}${next}`);
    expect(answers).toMatch(/^HTTP\/1.1 413 [^]*HTTP\/1.1 200 /);
  });
});

/** A listener whose responses the test ends. */
const heldListener = () => {
  const held: (() => void)[] = [];
  const listener: RequestListener = (_request, response) => {
    held.push(() => response.end('done'));
  };
  return { held, listener };
};

describe('a graceful stop', () => {
  it('completes requests in progress, then closes their connections', async () => {
    const state = createServiceState();
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

  it('closes a connection whose response had started when it was stopped', async () => {
    let finish = (): void => undefined;
    const listener: RequestListener = (_request, response) => {
      response.writeHead(200);
      response.write('be');
      finish = () => void response.end('gun');
    };
    const { url, stop } = await start(listener, createServiceState());
    const agent = new Agent({ keepAlive: true });
    const answer = await answerTo(url, agent);
    const stopped = stop({ graceMs: LONGER_THAN_THE_TEST_MS });
    finish();
    expect(await text(answer)).toBe('begun');
    await stopped;
    agent.destroy();
  });

  it('does not wait for idle connections', async () => {
    const { app, state } = edge.with();
    const { url, stop } = await start(app, state);
    const agent = new Agent({ keepAlive: true });
    (await answerTo(`${url}/healthz`, agent)).resume();
    await stop({ graceMs: LONGER_THAN_THE_TEST_MS });
    agent.destroy();
  });

  it('does not wait for connections that have sent no request', async () => {
    const { app, state } = edge.with();
    const { port, url, stop } = await start(app, state);
    const socket = connect(port, '127.0.0.1');
    // The server accepts connections in their order.
    (await answerTo(`${url}/healthz`)).resume();
    await stop({ graceMs: LONGER_THAN_THE_TEST_MS });
    socket.destroy();
  });

  it('ends requests in progress when the grace period is over', async () => {
    const { held, listener } = heldListener();
    const { url, stop } = await start(listener, createServiceState());
    const answer = answerTo(url);
    const ended = expect(answer).rejects.toThrow('socket hang up');
    await expect.poll(() => held.length, { interval: 5 }).toBe(1);
    await stop({ graceMs: 20 });
    await ended;
  });

  it('refuses a new request on an open connection with 503 and Connection: close', async () => {
    const { app, state, key } = edge.with();
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
