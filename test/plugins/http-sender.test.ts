import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createSecureServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer, rootCertificates, type TLSSocket } from 'node:tls';
import { deflateSync, gzipSync } from 'node:zlib';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest';
import type { Resolver } from '../../src/plugin/outbound/address-guard.js';
import type { OutboundRequest } from '../../src/plugin/contract/http-sender.js';
import { trustedCertificates } from '../../src/plugin/outbound/trusted-certificates.js';
import {
  type ClosableSender,
  createHttpSender,
  type SenderOptions,
} from '../../src/plugin/outbound/https-sender.js';
import { createAuthority, createSelfSigned } from '../../tools/shared/authority.js';
import { type HttpsReceiver, openHttpsReceiver } from '../../tools/shared/https-receiver.js';

const authority = await createAuthority();
const NAMES = ['hook.test', 'localhost', '127.0.0.1'];
const identity = await authority.issue(NAMES);
const keyPair = { cert: identity.certificate, key: identity.key };
const folder = mkdtempSync(join(tmpdir(), 'rollgate-sender-'));
const ca = join(folder, 'ca.pem');

/** As far as tests go, the loopback is the public internet. */
const LOOPBACK = ['127.0.0.0/8'];
const HOURS = 3_600_000;

let receiver: HttpsReceiver;
const opened: { close: () => Promise<void> }[] = [];

const keep = <T extends { close: () => Promise<void> }>(part: T): T => {
  opened.push(part);
  return part;
};
const receiverFor = async (...names: string[]): Promise<HttpsReceiver> =>
  keep(await openHttpsReceiver(await authority.issue(names)));

const senderWith = (options: Partial<SenderOptions> = {}): ClosableSender =>
  keep(
    createHttpSender({
      userAgent: 'Rollgate/test',
      allow: LOOPBACK,
      ca,
      resolve: () => Promise.resolve(['127.0.0.1']),
      ...options,
    }),
  );

const requestTo = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  headers: { 'content-type': 'application/json' },
  body: '{}',
  timeoutMs: 5_000,
  bodyLimit: 1_024,
  ...more,
});

beforeAll(() => {
  writeFileSync(ca, authority.certificate);
});
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(async () => {
  receiver = await receiverFor(...NAMES);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((part) => part.close()));
});

describe('the sender', () => {
  it('posts the body unchanged and returns the response', async () => {
    receiver.setBehaviour({
      kind: 'answer',
      status: 202,
      body: 'grüß dich',
      headers: { 'X-Kind': 'Test', 'Retry-After': '7' },
    });
    const body = Buffer.from('{"name":"Zoë \u{1F600}"}\n');
    const answer = await senderWith().post(
      requestTo(`https://hook.test:${receiver.port}/a/b?c=d#e`, {
        body,
        headers: { 'X-Mine': '1' },
      }),
    );
    expect(answer).toMatchObject({ kind: 'responded', status: 202, body: 'grüß dich' });
    expect(answer).toHaveProperty('headers.x-kind', 'Test');
    expect(answer).toHaveProperty('headers.retry-after', '7');
    const [request] = await receiver.received(1);
    expect(request?.body.equals(body)).toBe(true);
    expect(request).toMatchObject({
      method: 'POST',
      path: '/a/b?c=d',
      headers: {
        'x-mine': '1',
        'user-agent': 'Rollgate/test',
        host: `hook.test:${receiver.port}`,
        'content-length': String(body.length),
      },
    });
  });

  it('returns any status', async () => {
    for (const status of [204, 400, 410, 500]) {
      receiver.setBehaviour({ kind: 'answer', status });
      expect(await senderWith().post(requestTo(receiver.url))).toMatchObject({ status });
    }
  });

  it('reuses a connection for the next request', async () => {
    const sender = senderWith();
    for (let turn = 0; turn < 3; turn += 1) await sender.post(requestTo(receiver.url));
    expect(receiver.connections()).toBe(1);
  });

  it('reuses a connection after a body longer than the limit', async () => {
    receiver.setBehaviour({ kind: 'answer', status: 200, body: 'x'.repeat(20_000) });
    const sender = senderWith();
    const request = requestTo(receiver.url, { bodyLimit: 10 });
    expect(await sender.post(request)).toMatchObject({ body: 'xxxxxxxxxx' });
    await sender.post(request);
    expect(receiver.connections()).toBe(1);
  });

  it('shares no connection between pools', async () => {
    const sender = senderWith();
    for (const pool of ['one tenant', 'another', 'one tenant'])
      await sender.post(requestTo(receiver.url, { pool }));
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 2, 1]);
  });

  it('sends many requests at once, without a warning of Node', async () => {
    const warn = vi.spyOn(process, 'emitWarning');
    onTestFinished(() => warn.mockRestore());
    const sender = senderWith();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => sender.post(requestTo(receiver.url))),
    );
    expect(answers.map((answer) => answer.kind)).toEqual(Array(30).fill('responded'));
    expect(receiver.requests).toHaveLength(30);
    expect(warn).not.toHaveBeenCalled();
  });
});

describe('a blocked target', () => {
  const blocked = { kind: 'unreachable', fault: 'blocked' };

  it('is refused as a literal address, which is never looked up', async () => {
    const sender = senderWith({ allow: [] });
    for (const host of ['127.0.0.1', '2130706433', '0177.1', '[::1]', '[::ffff:7f00:1]'])
      expect(await sender.post(requestTo(`https://${host}:${receiver.port}/`))).toMatchObject(
        blocked,
      );
    expect(receiver.connections()).toBe(0);
  });

  it.each([
    ['2130706433', '127.0.0.1 is a non-public address'],
    ['[fd00::1]', 'fd00::1 is a non-public address'],
    ['intranet.test', 'intranet.test has a non-public address'],
  ])('is named: %s', async (host, words) => {
    const resolve: Resolver = () => Promise.resolve(['10.11.12.13']);
    const answer = await senderWith({ allow: [], resolve }).post(requestTo(`https://${host}/`));
    expect(answer).toHaveProperty(
      'message',
      `This destination is not allowed: ${words}, and requests are sent to public addresses only.`,
    );
  });

  it('is refused by the address that its name resolves to', async () => {
    const sender = senderWith({ allow: [] });
    const answer = await sender.post(requestTo(`https://hook.test:${receiver.port}/`));
    expect(answer).toMatchObject(blocked);
    expect(receiver.connections()).toBe(0);
  });

  it('is refused if one of several addresses is blocked', async () => {
    const request = requestTo(`https://hook.test:${receiver.port}/`);
    for (const answers of [
      ['127.0.0.1', '10.0.0.1'],
      ['::1', '127.0.0.1'],
    ]) {
      const resolve: Resolver = () => Promise.resolve(answers);
      expect(await senderWith({ resolve }).post(request)).toMatchObject(blocked);
    }
    expect(receiver.connections()).toBe(0);
  });

  it('may be localhost if one of its addresses is allowed: that one is used', async () => {
    const resolve: Resolver = () => Promise.resolve(['::1', '127.0.0.1']);
    const answer = await senderWith({ resolve }).post(requestTo(receiver.url));
    expect(answer).toMatchObject({ kind: 'responded' });
    expect(await senderWith({ resolve, allow: [] }).post(requestTo(receiver.url))).toMatchObject(
      blocked,
    );
  });

  it('is refused if its name resolves differently after it was checked', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['169.254.169.254']];
    const resolve: Resolver = () => Promise.resolve(answers.shift() ?? []);
    const sender = senderWith({ allow: ['127.0.0.1'], resolve });
    const request = requestTo(`https://hook.test:${receiver.port}/`);
    receiver.setBehaviour({ kind: 'answer', status: 200, headers: { connection: 'close' } });
    expect(await sender.post(request)).toMatchObject({ kind: 'responded' });
    expect(await sender.post(request)).toMatchObject(blocked);
    expect(await sender.post(request)).toMatchObject(blocked);
    expect(receiver.connections()).toBe(1);
  });

  it('is refused without revealing the address of the name', async () => {
    const resolve: Resolver = () => Promise.resolve(['10.11.12.13']);
    const answer = await senderWith({ resolve }).post(requestTo('https://intranet.test/'));
    expect(JSON.stringify(answer)).not.toContain('10.11.12.13');
    expect(answer).toMatchObject(blocked);
  });

  it('is not reached by a redirect: that is a response', async () => {
    const inner = await receiverFor(...NAMES);
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.setBehaviour({ kind: 'answer', status, headers: { location: inner.url } });
      expect(await senderWith().post(requestTo(receiver.url))).toMatchObject({
        kind: 'responded',
        status,
      });
    }
    expect(inner.connections()).toBe(0);
  });

  it.each(['http://hook.test/', 'https://user:pass@hook.test/', 'nonsense', ''])(
    'is refused if "%s" is no valid URL',
    async (url) => {
      expect(await senderWith().post(requestTo(url))).toMatchObject({
        kind: 'unreachable',
        fault: 'url',
      });
    },
  );
});

describe('a body that is too long or does not end', () => {
  it('is cut at the limit, and the status stands', async () => {
    receiver.setBehaviour({ kind: 'endless', status: 200 });
    const answer = await senderWith().post(
      requestTo(receiver.url, { bodyLimit: 4_096, timeoutMs: 600_000 }),
    );
    // Had it not been cut, it would last longer than this test.
    expect(answer).toMatchObject({ kind: 'responded', status: 200, body: 'x'.repeat(4_096) });
  });

  it('is cut when the time is over, and the status stands', async () => {
    receiver.setBehaviour({ kind: 'drip', status: 201 });
    const answer = await senderWith().post(requestTo(receiver.url, { timeoutMs: 1_000 }));
    expect(answer).toMatchObject({ kind: 'responded', status: 201 });
    expect(answer).toHaveProperty('body', expect.stringMatching(/^\.+$/));
  });

  it('keeps its charset when the connection breaks in the middle of a character', async () => {
    const url = await openRawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n');
      socket.write(Buffer.from('grü').subarray(0, -1), () => socket.destroy());
    });
    expect(await senderWith().post(requestTo(url))).toMatchObject({ status: 200, body: 'gr' });
  });

  it('is never cut in the middle of a character', async () => {
    receiver.setBehaviour({ kind: 'answer', status: 200, body: 'aé€😀' });
    const bodies: unknown[] = [];
    for (const bodyLimit of [1, 2, 3, 4, 5, 6, 7, 9, 10, 11]) {
      const answer = await senderWith().post(requestTo(receiver.url, { bodyLimit }));
      bodies.push('body' in answer && answer.body);
    }
    expect(bodies).toEqual(['a', 'a', 'aé', 'aé', 'aé', 'aé€', 'aé€', 'aé€', 'aé€😀', 'aé€😀']);
  });
});

describe('a target that does not respond', () => {
  it('times out', async () => {
    receiver.setBehaviour({ kind: 'hang' });
    const answer = await senderWith().post(requestTo(receiver.url, { timeoutMs: 1_000 }));
    expect(answer).toMatchObject({
      kind: 'unreachable',
      fault: 'timeout',
      message: 'No complete response within the time limit.',
    });
    expect(receiver.requests).toHaveLength(1);
  });

  it('times out during name resolution and the TLS handshake', async () => {
    const neverResolves: Resolver = () => new Promise(() => undefined);
    const request = requestTo('https://hook.test/', { timeoutMs: 100 });
    expect(await senderWith({ resolve: neverResolves }).post(request)).toMatchObject({
      fault: 'timeout',
    });
    const mute = requestTo(await openPlainServer(), { timeoutMs: 200 });
    expect(await senderWith().post(mute)).toMatchObject({ fault: 'timeout' });
  });

  it('is distinguished from one that refuses connections', async () => {
    await receiver.close();
    opened.splice(0);
    expect(await senderWith().post(requestTo(receiver.url))).toMatchObject({
      fault: 'connect',
      message: `Connection to localhost:${receiver.port} refused or unreachable.`,
    });
  });

  it('is distinguished from one without an address', async () => {
    const none = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
    const broken = Object.assign(new Error('getaddrinfo'), { code: 'EAI_AGAIN' });
    const request = requestTo('https://hook.test/');
    const faults = await Promise.all(
      [() => Promise.reject(none), () => Promise.resolve([]), () => Promise.reject(broken)].map(
        (resolve: Resolver) => senderWith({ resolve }).post(request),
      ),
    );
    expect(faults).toMatchObject([
      { fault: 'dns', message: 'The name hook.test has no address.' },
      { fault: 'dns', message: 'The name hook.test has no address.' },
      { fault: 'dns', message: 'The name hook.test could not be resolved.' },
    ]);
  });

  it('is distinguished from one that closes the connection or speaks no HTTP', async () => {
    receiver.queueBehaviours({ kind: 'reset' }, { kind: 'gibberish' });
    const sender = senderWith();
    expect(await sender.post(requestTo(receiver.url))).toMatchObject({
      fault: 'broken',
      message: 'The connection closed before the response was complete.',
    });
    expect(await sender.post(requestTo(receiver.url))).toMatchObject({
      fault: 'broken',
      message: 'The response is not valid HTTP.',
    });
    expect(await sender.post(requestTo(receiver.url))).toMatchObject({ kind: 'responded' });
  });

  it('ends when the caller aborts', async () => {
    receiver.setBehaviour({ kind: 'hang' });
    const controller = new AbortController();
    const answer = senderWith().post(requestTo(receiver.url), controller.signal);
    await receiver.received(1);
    controller.abort();
    expect(await answer).toMatchObject({ kind: 'unreachable', fault: 'broken' });
    expect(await senderWith().post(requestTo(receiver.url), controller.signal)).toMatchObject({
      fault: 'broken',
      message: 'The gateway aborted the request.',
    });
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('TLS', () => {
  it('refuses a certificate for another name before a byte of the request', async () => {
    const other = await receiverFor('other.test', '*.example.test');
    expect(await senderWith().post(requestTo(other.url))).toMatchObject({
      kind: 'unreachable',
      fault: 'tls',
      message: 'The certificate is for another name (other.test, *.example.test).',
    });
    expect(other.requests).toHaveLength(0);
  });

  it('refuses a certificate of an unknown authority before a byte of the request', async () => {
    const answer = await keep(
      createHttpSender({
        userAgent: 'test',
        allow: LOOPBACK,
        resolve: () => Promise.resolve(['127.0.0.1']),
      }),
    ).post(requestTo(receiver.url));
    expect(answer).toMatchObject({
      fault: 'tls',
      message: 'The certificate is from an authority not trusted here, or its chain is incomplete.',
    });
    expect(receiver.requests).toHaveLength(0);
  });

  it('refuses a self-signed, an expired and a coming certificate', async () => {
    const now = Date.now();
    const identities = [
      await createSelfSigned('localhost'),
      await authority.issue(NAMES, {
        from: new Date(now - 9 * HOURS),
        until: new Date(now - HOURS),
      }),
      await authority.issue(NAMES, {
        from: new Date(now + HOURS),
        until: new Date(now + 9 * HOURS),
      }),
    ];
    const messages: unknown[] = [];
    for (const identity of identities) {
      const server = keep(await openHttpsReceiver(identity));
      const answer = await senderWith().post(requestTo(server.url));
      messages.push('message' in answer && answer.message);
      expect(server.requests).toHaveLength(0);
    }
    expect(messages).toEqual([
      'The certificate is self-signed and not trusted here.',
      'The certificate has expired.',
      'The certificate is not valid yet.',
    ]);
  });

  it('trusts the system’s CAs and the operator’s', () => {
    // Reaching a public server is not for a test; that the roots stay is what can be seen.
    expect(trustedCertificates(ca)).toEqual(expect.arrayContaining([...rootCertificates]));
    expect(trustedCertificates(ca).length).toBeGreaterThan(rootCertificates.length);
    expect(trustedCertificates(ca)).toContain(authority.certificate.trim());
  });

  it('names the problem of the CA file', () => {
    const empty = join(folder, 'empty.pem');
    const spoilt = join(folder, 'spoilt.pem');
    writeFileSync(empty, 'nothing here');
    writeFileSync(spoilt, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----');
    expect(() => senderWith({ ca: join(folder, 'none.pem') })).toThrow('Cannot read CA file');
    expect(() => senderWith({ ca: empty })).toThrow('contains no certificate');
    expect(() => senderWith({ ca: spoilt })).toThrow('a certificate that cannot be read');
  });
});

describe('a response with unusual parts', () => {
  const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

  it.each([
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 102 Processing\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
  ])('may follow informational ones: %j', async (before) => {
    const url = await openRawServer((socket) => socket.write(before + OK));
    const answer = await senderWith().post(requestTo(url));
    expect(answer).toMatchObject({ kind: 'responded', status: 200, body: 'ok' });
  });

  it('may have 20 KB of headers', async () => {
    const headers = { 'x-policy': 'p'.repeat(12_000), 'x-report': 'r'.repeat(8_000) };
    receiver.setBehaviour({ kind: 'answer', status: 200, headers });
    expect(await senderWith().post(requestTo(receiver.url))).toMatchObject({ headers });
  });

  it('is decompressed, though it was not requested so', async () => {
    const text = 'grüß dich '.repeat(20);
    const encodings = { gzip: gzipSync, deflate: deflateSync };
    for (const [encoding, compress] of Object.entries(encodings)) {
      const url = await openRawServer((socket) =>
        sendBytes(socket, compress(text), `Content-Encoding: ${encoding}`),
      );
      expect(await senderWith().post(requestTo(url))).toMatchObject({ status: 500, body: text });
    }
  });

  it('is decompressed up to the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(16 * 1_024 * 1_024, 'x'));
    const url = await openRawServer((socket) => sendBytes(socket, bomb, 'Content-Encoding: gzip'));
    expect(await senderWith().post(requestTo(url))).toMatchObject({ body: 'x'.repeat(1_024) });
  });

  it('is shown as it is if it is not what its Content-Encoding says', async () => {
    const url = await openRawServer((socket) =>
      sendBytes(socket, Buffer.from('plain'), 'Content-Encoding: gzip'),
    );
    expect(await senderWith().post(requestTo(url))).toMatchObject({ body: 'plain' });
  });

  it.each([
    ['text/html; charset=ISO-8859-1', 'M\xfcller', 'Müller'],
    ['text/plain', 'M\xfcller', 'Müller'],
    ['text/plain; charset=windows-1251', '\xcf', 'П'],
    ['text/plain; charset=unheard-of', 'M\xfcller', 'Müller'],
    ['text/plain; charset=utf-8', 'M\xfcller', 'M\uFFFDller'],
  ])('is decoded: %s, %j', async (type, bytes, body) => {
    const url = await openRawServer((socket) =>
      sendBytes(socket, Buffer.from(bytes, 'latin1'), `Content-Type: ${type}`),
    );
    expect(await senderWith().post(requestTo(url))).toMatchObject({ body });
  });
});

describe('a receiver that closes the connection which it kept', () => {
  const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

  it('gets the request once more at once, over a new connection', async () => {
    const requests: number[] = [];
    const url = await openRawServer((socket, connection) => {
      const isFirst = !requests.includes(connection);
      requests.push(connection);
      if (isFirst) socket.write(OK);
      else socket.destroy();
    });
    const sender = senderWith();
    for (let turn = 0; turn < 6; turn += 1)
      expect(await sender.post(requestTo(url))).toMatchObject({ kind: 'responded', status: 200 });
    expect(requests).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]);
  });

  it('gets it once more also if it kept several', async () => {
    const seen = new Set<number>();
    let requests = 0;
    const url = await openRawServer((socket, connection) => {
      requests += 1;
      const isFirst = !seen.has(connection);
      seen.add(connection);
      if (isFirst) socket.write(OK);
      else socket.destroy();
    });
    const sender = senderWith();
    await Promise.all([1, 2, 3].map(() => sender.post(requestTo(url))));
    expect(await sender.post(requestTo(url))).toMatchObject({ kind: 'responded' });
    expect(requests).toBe(5);
  });

  it('does not get it once more if it had begun to respond, or the connection was new', async () => {
    let requests = 0;
    const url = await openRawServer((socket) => {
      requests += 1;
      if (requests === 1) socket.write(OK);
      else if (requests === 2) socket.write('HTTP/1.1 2', () => socket.destroy());
      else socket.destroy();
    });
    const sender = senderWith();
    await sender.post(requestTo(url));
    for (const total of [2, 3]) {
      expect(await sender.post(requestTo(url))).toMatchObject({ fault: 'broken' });
      expect(requests).toBe(total);
    }
  });
});

describe('a server that speaks otherwise', () => {
  const HTTP2_ONLY = 'The server speaks HTTP/2 only; it must accept HTTP/1.1 as well.';
  const CONFLICT =
    'The response has conflicting lengths: more than one Content-Length, or Transfer-Encoding as well.';
  const SWITCHED = 'The server switched protocols (status 101) instead of responding.';
  const messageFrom = async (url: string): Promise<unknown> => {
    const answer = await senderWith().post(requestTo(url));
    return answer.kind === 'unreachable' ? answer.message : answer;
  };

  it.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok', CONFLICT],
    [
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      CONFLICT,
    ],
    [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      CONFLICT,
    ],
    [
      'HTTP/1.1 200 OK\nContent-Length: 2\n\nok',
      'The lines of the response end in LF alone; HTTP requires CR LF.',
    ],
    ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', SWITCHED],
    ['HTTP/1.1 101 Switching Protocols\r\n\r\n', SWITCHED],
    ['\0\0\x06\x04\0\0\0\0\0\0\x04\0\x10\0\0', HTTP2_ONLY],
    [
      `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(70_000)}\r\n\r\n`,
      'The response headers are too large; 64 KiB are accepted.',
    ],
    ['SSH-2.0-OpenSSH_9.2\r\n', 'The response is not valid HTTP.'],
  ])('is named by its response: %j', async (response, message) => {
    const url = await openRawServer((socket) => socket.write(response, 'latin1'));
    expect(await messageFrom(url)).toBe(message);
  });

  it('is named if it speaks HTTP/2 only', async () => {
    const server = createHttp2Server({ ...keyPair });
    expect(await messageFrom(await listen(server))).toBe(HTTP2_ONLY);
  });

  it('is named if it requires a client certificate', async () => {
    const server = createTlsServer({
      ...keyPair,
      requestCert: true,
      rejectUnauthorized: true,
      ca: authority.certificate,
    });
    expect(await messageFrom(await listen(server))).toBe(
      'The server requires a client certificate (mutual TLS), which is not supported.',
    );
  });

  it('is named if it refuses the handshake', async () => {
    const server = createTlsServer({
      ...keyPair,
      maxVersion: 'TLSv1.2',
      ciphers: 'AES128-SHA',
    });
    expect(await messageFrom(await listen(server))).toBe(
      'The server refused the TLS handshake: it may require a client certificate (mutual TLS), which is not supported, or other ciphers.',
    );
  });

  it('is named if its TLS is too old', async () => {
    const server = createTlsServer({
      ...keyPair,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    expect(await messageFrom(await listen(server))).toBe(
      'The server supports old versions of TLS only; it must support TLS 1.2 or later.',
    );
  });

  it('is named if it does not use TLS', async () => {
    const server = createHttpServer((_request, response) => response.end('ok'));
    const url = await listen(server);
    expect(await messageFrom(url)).toBe(
      `The server does not use TLS at ${new URL(url).host}; is it an address for http://?`,
    );
  });
});

describe('closing', () => {
  it('aborts requests in flight and sends nothing afterwards', async () => {
    receiver.setBehaviour({ kind: 'hang' });
    const sender = senderWith();
    const answer = sender.post(requestTo(receiver.url));
    await receiver.received(1);
    await sender.close();
    expect(await answer).toMatchObject({ kind: 'unreachable', fault: 'broken' });
    expect(await sender.post(requestTo(receiver.url))).toMatchObject({ fault: 'broken' });
    expect(receiver.requests).toHaveLength(1);
  });
});

/** Listens until the end of the test; its URL, with https. */
const listen = async (server: Server): Promise<string> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  keep({
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return `https://localhost:${(server.address() as AddressInfo).port}/`;
};

/** Accepts connections and never responds, not even with TLS. */
const openPlainServer = (): Promise<string> => listen(createServer());

/** Responds to requests, each of which arrives as one piece, with bytes. */
const openRawServer = (
  respond: (socket: TLSSocket, connection: number) => void,
): Promise<string> => {
  let connections = 0;
  const server = createTlsServer({ ...keyPair }, (socket) => {
    const connection = (connections += 1);
    socket.on('error', () => undefined);
    let request = '';
    socket.on('data', (chunk: Buffer) => {
      request += chunk.toString();
      if (!request.endsWith('{}')) return;
      request = '';
      respond(socket, connection);
    });
  });
  return listen(server);
};

const sendBytes = (socket: TLSSocket, bytes: Buffer, header: string): void => {
  socket.write(
    `HTTP/1.1 500 Internal Server Error\r\n${header}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
  );
  socket.write(bytes);
};
