import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../src/http/server.js';
import { CANONICAL, openEdge, type TestApp } from '../support/edge.js';
import { ScimClient } from '../scim/scim-client.js';

const MEBIBYTE = 1024 * 1024;
const ID = '00000000-0000-4000-8000-000000000001';

/** JSON of exactly this many bytes. */
const sized = (bytes: number): object => ({ filter: 'x'.repeat(bytes - '{"filter":""}'.length) });

const repeated = <Value>(count: number, value: Value): readonly Value[] =>
  Array.from({ length: count }, () => value);

describe('SCIM', () => {
  let scim: ScimClient;
  beforeAll(async () => {
    scim = new ScimClient(await openEdge(), CANONICAL);
  });

  it.each([
    ['post', '/Users'],
    ['put', `/Users/${ID}`],
    ['patch', `/Users/${ID}`],
    ['post', '/.search'],
    ['post', '/Users/.search'],
    ['post', '/Groups/.search'],
  ] as const)('accepts bodies of 1 MiB at %s %s', async (verb, path) => {
    const fits = await scim.send(verb, path, sized(MEBIBYTE));
    expect(fits.status).not.toBe(413);
    const more = await scim.send(verb, path, sized(MEBIBYTE + 1));
    expect([more.status, more.body]).toMatchObject([
      413,
      { error: 'PAYLOAD_TOO_LARGE', status: '413' },
    ]);
  });

  it.each([
    ['post', '/Groups'],
    ['put', `/Groups/${ID}`],
    ['patch', `/Groups/${ID}`],
    ['post', '/Bulk'],
  ] as const)('accepts bodies of 8 MiB at %s %s', async (verb, path) => {
    const fits = await scim.send(verb, path, sized(8 * MEBIBYTE));
    expect(fits.status).not.toBe(413);
    const more = await scim.send(verb, path, sized(8 * MEBIBYTE + 1));
    expect([more.status, more.body]).toMatchObject([413, { error: 'PAYLOAD_TOO_LARGE' }]);
  });

  it.each([
    ['names', Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`n${at}`, 1])), 400],
    ['values', { Operations: repeated(330_000, {}) }, 413],
    ['values of members', { members: repeated(330_000, '') }, 413],
  ])('refuses too many %s before it checks them', async (_kind, body, status) => {
    for (const [verb, path] of [
      ['post', '/Groups'],
      ['post', '/Bulk'],
    ] as const)
      expect((await scim.send(verb, path, body)).status).toBe(status);
  });

  it('refuses a PATCH with more attributes than the maximum number of operations', async () => {
    const { id } = await scim.create();
    const value = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`n${at}`, 1]));
    const answer = await scim.patch(`/Users/${id}`, ...repeated(50, { op: 'add', value }));
    expect([answer.status, answer.body]).toMatchObject([413, { scimType: 'tooMany' }]);
  });
});

describe('native arrays', () => {
  it('that are too long are refused before their items are checked', async () => {
    const fake = await openEdge();
    const { port } = await listen(fake);
    const body = JSON.stringify({ phone_numbers: repeated(200_000, 7) });
    const answer = await fetch(`http://127.0.0.1:${port}/v1/acme/sms-lists/${ID}/members/remove`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fake.key}`, 'content-type': 'application/json' },
      body,
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { details: [{ path: 'phone_numbers', message: 'must have at most 1000 items' }] },
    ]);
  });
});

// ── Bodies in flight ─────────────────────────────────────────────────────────────────────────────

const running: RunningServer[] = [];
const sockets: Socket[] = [];

const listen = async ({ app, state }: TestApp): Promise<RunningServer> => {
  const server = await startServer(app, { host: '127.0.0.1', port: 0, state });
  running.push(server);
  return server;
};

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((server) => server.stop({ graceMs: 0 })));
});

const LIMITS = { perKey: 4 * MEBIBYTE, overall: 8 * MEBIBYTE };

/** Starts a request and sends a part of its body. */
const begin = (port: number, key: string, header: string, part = '{'): Socket => {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  const head = [
    `POST ${CANONICAL}/Bulk HTTP/1.1`,
    'Host: a',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/scim+json',
    header,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${part}`);
  return socket;
};

const ALMOST_THREE = 'x'.repeat(3 * MEBIBYTE - 1);
const announced = (bytes: number): string => `Content-Length: ${bytes}`;

/** The first data of the response. */
const responseTo = async (socket: Socket): Promise<string> => {
  const [first] = (await once(socket, 'data')) as [Buffer];
  return String(first);
};

const takenBy = async (port: number): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^rollgate_http_body_bytes (\d+)$/m.exec(text)?.[1]);
};

describe('bodies in progress', () => {
  const open = async () => {
    const fake = await openEdge({ bodyLimits: LIMITS });
    const { port } = await listen(fake);
    const { key: otherKey } = await fake.addKey(fake.tenant);
    return { fake, port, otherKey };
  };

  it("are counted in their key's budget as they arrive, and refused by what they announce", async () => {
    const { fake, port, otherKey } = await open();
    begin(port, fake.key, announced(3 * MEBIBYTE), ALMOST_THREE);
    await expect.poll(() => takenBy(port)).toBe(3 * MEBIBYTE);
    const refused = await responseTo(begin(port, fake.key, announced(MEBIBYTE), ''));
    expect(refused).toMatch(/^HTTP\/1.1 503 /);
    expect(refused).toContain('Retry-After: 1\r\n');
    expect(refused).toContain('"error":"UNAVAILABLE"');
    expect(refused).toContain('urn:ietf:params:scim:api:messages:2.0:Error');
    // Small bodies of this key and large ones of another are accepted.
    await new ScimClient(fake, CANONICAL).create();
    begin(port, otherKey, announced(3 * MEBIBYTE), ALMOST_THREE);
    await expect.poll(() => takenBy(port)).toBe(6 * MEBIBYTE);
  });

  it('that never come take nothing from others, and get 408 after two seconds', async () => {
    // given more announced bodies of one key than its budget, and of anyone
    const { fake, port } = await open();
    const sockets = Array.from({ length: 10 }, () =>
      begin(port, fake.key, announced(300 * 1024), ''),
    );
    const ofStrangers = Array.from({ length: 10 }, () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      const head = ['POST /admin/v1/session HTTP/1.1', 'Host: a', 'Content-Type: application/json'];
      socket.write(`${[...head, announced(4_096)].join('\r\n')}\r\n\r\n`);
      return socket;
    });
    const answers = [...sockets, ...ofStrangers].map(responseTo);

    // when the same key sends a whole one
    const scim = new ScimClient(fake, CANONICAL);
    expect((await scim.post('/Bulk', sized(MEBIBYTE))).status).toBe(400);

    // then nothing of theirs was counted, and each is closed with a clear error
    expect(await takenBy(port)).toBe(0);
    for (const answer of await Promise.all(answers)) {
      expect(answer).toMatch(/^HTTP\/1.1 408 /);
      expect(answer).toContain('Connection: close\r\n');
      expect(answer).toContain('"error":"REQUEST_TIMEOUT"');
    }
  });

  it('without credentials have a budget of their own', async () => {
    const { fake, port } = await open();
    const form = (part: string): Socket => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      const head = [
        ...['POST /v1/acme/oauth2/token HTTP/1.1', 'Host: a', announced(8_192)],
        'Content-Type: application/x-www-form-urlencoded',
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n${part}`);
      return socket;
    };
    // given as many bytes of one address as it may have
    for (let count = 0; count < 512; count += 1) form('a'.repeat(8_191));
    await expect.poll(() => takenBy(port), { timeout: 10_000 }).toBe(512 * 8_191);
    expect(await responseTo(form('a'.repeat(8_191)))).toMatch(/^HTTP\/1.1 503 /);
    // then those with credentials from the same address are accepted
    await new ScimClient(fake, CANONICAL).create();
  });

  it('are limited over all keys', async () => {
    const { fake, port, otherKey } = await open();
    for (const key of [fake.key, otherKey]) begin(port, key, announced(3 * MEBIBYTE), ALMOST_THREE);
    await expect.poll(() => takenBy(port)).toBe(6 * MEBIBYTE);
    const { key: third } = await fake.addKey(fake.tenant);
    expect(await responseTo(begin(port, third, announced(MEBIBYTE), ''))).toContain(
      'The gateway has',
    );
    await new ScimClient(fake, CANONICAL, third).create();
  });

  it('in chunks only reserve what was received', async () => {
    const { fake, port } = await open();
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const socket = begin(port, fake.key, 'Transfer-Encoding: chunked', chunk.repeat(20));
    await expect.poll(() => takenBy(port)).toBeGreaterThanOrEqual(20 * 0x10000);
    const answer = responseTo(socket);
    for (let sent = 20; sent < 70; sent += 1) socket.write(chunk);
    expect(await answer).toMatch(/^HTTP\/1.1 503 /);
  });

  it('are released when the response is sent or the client disconnects', async () => {
    const { fake, port } = await open();
    const socket = begin(port, fake.key, announced(3 * MEBIBYTE), ALMOST_THREE);
    await expect.poll(() => takenBy(port)).toBe(3 * MEBIBYTE);
    socket.resetAndDestroy();
    await expect.poll(() => takenBy(port)).toBe(0);
    const scim = new ScimClient(fake, CANONICAL);
    for (let time = 0; time < 5; time += 1)
      expect((await scim.post('/Bulk', sized(2 * MEBIBYTE))).status).toBe(400);
    await expect.poll(() => takenBy(port)).toBe(0);
  });
});
