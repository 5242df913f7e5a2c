import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../src/http/server.js';
import { ADMIN_TOKEN, openEdge } from '../support/edge.js';

const MEBIBYTE = 1024 * 1024;
/** The headers of two keys, which `headOf` fills in: with every scope, and with those to read users. */
const bearer = 'Authorization: Bearer {key}';
const READER = 'Authorization: Bearer {reader}';
const JSON_TYPE = 'Content-Type: application/json';
const CONTINUE = 'Expect: 100-continue';

let server: RunningServer;
let keys = { all: '', reader: '' };
beforeAll(async () => {
  const fake = await openEdge({ bodyLimits: { perKey: 4 * MEBIBYTE, overall: 8 * MEBIBYTE } });
  const { key } = await fake.addKey(fake.tenant, ['scim:read', 'api:users:read']);
  keys = { all: fake.key, reader: key };
  server = await startServer(fake.app, { host: '127.0.0.1', port: 0, state: fake.state });
});
afterAll(() => server.stop({ graceMs: 0 }));

const headOf = (line: string, ...headers: readonly string[]): string =>
  `${[`${line} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`
    .replace('{key}', keys.all)
    .replace('{reader}', keys.reader);

const open = async (): Promise<Socket> => {
  const socket = connect(server.port, '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
  return socket;
};

/** All data until the connection closes. */
const untilClosed = async (socket: Socket): Promise<string> => {
  let received = '';
  socket.on('data', (chunk: string) => (received += chunk));
  await once(socket, 'close');
  return received;
};

const exchange = async (bytes: string): Promise<string> => {
  const socket = await open();
  socket.write(bytes);
  return untilClosed(socket);
};

interface Parts {
  readonly status: number;
  readonly head: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const partsOf = (answer: string): Parts => {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: JSON.parse(body) as Parts['body'] };
};

const header = (head: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();

/** The format of native errors (decisions.md 2). */
const expectError = ({ head, body }: Parts, error: string): void => {
  expect(header(head, 'Content-Type')).toMatch(/^application\/(scim\+)?json/);
  expect(header(head, 'X-Request-Id')).toBe(body['request_id']);
  expect(body['error']).toBe(error);
};

const ask = async (line: string, ...headers: readonly string[]): Promise<Parts> =>
  partsOf(await exchange(headOf(line, ...headers, 'Connection: close')));

describe('an ambiguous header', () => {
  it.each([
    ['two Authorization headers', ['Host: a', bearer, bearer]],
    ['two Authorization headers, one of them empty', ['Host: a', 'authorization:', bearer]],
    ['two Host headers', ['Host: a', 'host: b', bearer]],
    ['two Host headers alike', ['Host: a', 'Host: a', bearer]],
    ['no Host', [bearer]],
  ])('is refused: %s', async (_kind, headers) => {
    for (const path of ['/v1/acme/users', '/admin/v1/tenants', '/healthz', '/nowhere']) {
      const answer = await ask(`GET ${path}`, ...headers);
      expect(answer.status).toBe(400);
      expectError(answer, 'INVALID_REQUEST');
    }
  });

  it('is refused in the SCIM format on SCIM paths', async () => {
    for (const path of ['/v1/acme/scim/v2/Users', '/v1/acme/Users']) {
      const answer = await ask(`GET ${path}`, 'Host: a', 'Host: b', bearer);
      expect(answer.status).toBe(400);
      expectError(answer, 'INVALID_REQUEST');
      expect(answer.body).toMatchObject({
        status: '400',
        schemas: [expect.stringMatching(/Error$/)],
      });
    }
  });

  it('is not one that is sent once, nor a missing Host in HTTP/1.0', async () => {
    expect((await ask('GET /v1/acme/users', 'Host: a', bearer)).status).toBe(200);
    expect(partsOf(await exchange('GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200);
  });
});

describe('requests to which Node itself would respond', () => {
  it.each([
    ['another expectation', 'Expect: 200-ok'],
    ['100-continue and another one', 'Expect: 100-continue, 200-ok'],
  ])('get 417 in the native format: %s', async (_kind, expectation) => {
    const answer = await ask('GET /v1/acme/users', 'Host: a', bearer, expectation);
    expect(answer.status).toBe(417);
    expectError(answer, 'EXPECTATION_FAILED');
    const scim = await ask('GET /v1/acme/Users', 'Host: a', bearer, expectation);
    expect([scim.status, scim.body]).toMatchObject([417, { status: '417' }]);
  });

  it('get no 417 in HTTP/1.0, which has no expectations', async () => {
    const answer = await exchange('GET /healthz HTTP/1.0\r\nExpect: 200-ok\r\n\r\n');
    expect(partsOf(answer).status).toBe(200);
  });

  it('get 501 in the native format: CONNECT', async () => {
    const answer = partsOf(
      await exchange(headOf('CONNECT example.com:443', 'Host: example.com:443')),
    );
    expect([answer.status, header(answer.head, 'Connection')]).toEqual([501, 'close']);
    expectError(answer, 'NOT_IMPLEMENTED');
  });

  it('are served without upgrade (RFC 9110, 7.8)', async () => {
    const upgrade = ['Connection: Upgrade, close', 'Upgrade: websocket'];
    const answer = partsOf(
      await exchange(headOf('GET /v1/acme/users', 'Host: a', bearer, ...upgrade)),
    );
    expect(answer.status).toBe(200);
    const refused = partsOf(await exchange(headOf('GET /v1/acme/users', 'Host: a', ...upgrade)));
    expect(refused.status).toBe(401);
    expectError(refused, 'UNAUTHENTICATED');
  });
});

/** The response to a client that waits for 100 Continue. */
const expectContinue = (line: string, ...headers: readonly string[]): Promise<string> =>
  exchange(headOf(line, 'Host: a', CONTINUE, ...headers));

const length = (bytes: number): string => `Content-Length: ${bytes}`;

describe('a client that waits for 100 Continue', () => {
  it.each([
    ['413, too long', 413, ['POST /v1/acme/users', bearer, JSON_TYPE, length(MEBIBYTE + 1)]],
    [
      '413, too long for SCIM',
      413,
      ['POST /v1/acme/Users', bearer, JSON_TYPE, length(2 * MEBIBYTE)],
    ],
    [
      '413, too long for Bulk',
      413,
      ['POST /v1/acme/scim/v2/Bulk', bearer, JSON_TYPE, length(9 * MEBIBYTE)],
    ],
    ['401', 401, ['POST /v1/acme/users', 'Authorization: Bearer x', JSON_TYPE, length(20)]],
    ['401 of operators', 401, ['POST /admin/v1/tenants', JSON_TYPE, length(20)]],
    ['403', 403, ['POST /v1/acme/users', READER, JSON_TYPE, length(20)]],
    ['403 of SCIM', 403, ['POST /v1/acme/Users', READER, JSON_TYPE, length(20)]],
    ['404', 404, ['POST /v1/acme/nothing', bearer, JSON_TYPE, length(20)]],
    ['404 of SCIM', 404, ['POST /v1/acme/scim/v2/Nothing', bearer, JSON_TYPE, length(20)]],
    ['405', 405, ['PUT /v1/acme/users', bearer, JSON_TYPE, length(20)]],
    ['415', 415, ['POST /v1/acme/users', bearer, 'Content-Type: text/plain', length(20)]],
    ['415 of SCIM', 415, ['POST /v1/acme/Users', bearer, 'Content-Type: text/plain', length(20)]],
    [
      '415 of a coding',
      415,
      ['POST /v1/acme/users', bearer, JSON_TYPE, 'Content-Encoding: gzip', length(20)],
    ],
    ['400, no such query', 400, ['POST /v1/acme/users?x=1', bearer, JSON_TYPE, length(20)]],
    ['503, no room', 503, ['POST /v1/acme/scim/v2/Bulk', bearer, JSON_TYPE, length(5 * MEBIBYTE)]],
  ] as const)('gets %s instead, and the connection is closed', async (_kind, status, request) => {
    const [line, ...headers] = request;
    const answer = partsOf(await expectContinue(line, ...headers));
    expect(answer.status).toBe(status);
    expect(header(answer.head, 'Connection')).toBe('close');
    expect(header(answer.head, 'X-Request-Id')).toBe(answer.body['request_id']);
  });

  it('gets 100 Continue if the headers are accepted, and keeps its connection', async () => {
    const body = '{"email":"patient@example.com"}';
    const socket = await open();
    const answers = untilClosed(socket);
    const interim = once(socket, 'data');
    socket.write(
      headOf('POST /v1/acme/users', 'Host: a', CONTINUE, bearer, JSON_TYPE, length(body.length)),
    );
    expect(String(await interim)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body + headOf('GET /healthz', 'Host: a', 'Connection: close'));
    const all = await answers;
    expect(all.match(/HTTP\/1\.1 \d{3}/g)).toEqual([
      'HTTP/1.1 100',
      'HTTP/1.1 201',
      'HTTP/1.1 200',
    ]);
    expect(all.match(/^connection: close/gim)).toHaveLength(1);
  });

  it("gets it for SCIM and operators' requests, and for chunked bodies", async () => {
    for (const [line, credentials, body] of [
      ['POST /v1/acme/scim/v2/Users', bearer, '{"userName":"chunks@example.com"}'],
      [
        'POST /admin/v1/tenants',
        `Authorization: Bearer ${ADMIN_TOKEN}`,
        '{"slug":"chunks","name":"Chunks"}',
      ],
    ] as const) {
      const socket = await open();
      const answers = untilClosed(socket);
      const interim = once(socket, 'data');
      const chunked = ['Transfer-Encoding: chunked', 'Connection: close'];
      socket.write(headOf(line, 'Host: a', CONTINUE, credentials, JSON_TYPE, ...chunked));
      expect(String(await interim)).toMatch(/^HTTP\/1\.1 100 /);
      socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
      expect(await answers).toMatch(/\r\n\r\nHTTP\/1\.1 201 /);
    }
  });

  it('gets a final response if it has no body', async () => {
    expect(await exchange(headOf('GET /healthz', 'Host: a', CONTINUE))).toMatch(/^HTTP\/1\.1 200 /);
  });
});
