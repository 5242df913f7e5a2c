import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Resolver } from '../../src/plugin/outbound/address-guard.js';
import type { OutboundRequest } from '../../src/plugin/contract/http-sender.js';
import { trustedCertificates } from '../../src/plugin/outbound/trusted-certificates.js';
import {
  type ClosableSender,
  createHttpSender,
  type SenderOptions,
} from '../../src/plugin/outbound/undici-sender.js';
import { createAuthority, createSelfSigned } from '../../tools/shared/authority.js';
import { type HttpsReceiver, openHttpsReceiver } from '../../tools/shared/https-receiver.js';

const authority = await createAuthority();
const NAMES = ['hook.test', 'localhost', '127.0.0.1'];
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

  it('sends many requests at once', async () => {
    const sender = senderWith();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => sender.post(requestTo(receiver.url))),
    );
    expect(answers.map((answer) => answer.kind)).toEqual(Array(30).fill('responded'));
    expect(receiver.requests).toHaveLength(30);
  });
});

describe('a blocked target', () => {
  const blocked = {
    kind: 'unreachable',
    fault: 'blocked',
    message: 'This destination is not allowed: requests are sent to public addresses only.',
  };

  it('is refused as a literal address, which is never looked up', async () => {
    const sender = senderWith({ allow: [] });
    for (const host of ['127.0.0.1', '2130706433', '0177.1', '[::1]', '[::ffff:7f00:1]'])
      expect(await sender.post(requestTo(`https://${host}:${receiver.port}/`))).toMatchObject(
        blocked,
      );
    expect(receiver.connections()).toBe(0);
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

  it('reports a server without TLS', async () => {
    const url = await openPlainServer('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect(await senderWith().post(requestTo(url))).toMatchObject({
      fault: 'tls',
      message: expect.stringMatching(/^The TLS connection failed \(/) as string,
    });
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

/** Accepts connections and says this, without TLS; nothing where there is nothing to say. */
const openPlainServer = async (greeting?: string): Promise<string> => {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<{ destroy: () => void }>();
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => undefined));
    if (greeting !== undefined) socket.write(greeting);
  });
  keep({
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return `https://localhost:${(server.address() as { port: number }).port}/`;
};
