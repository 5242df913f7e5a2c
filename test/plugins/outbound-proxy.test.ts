import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSourceHttp } from '../../src/plugin/connector-runtime/source-http.js';
import { createFakeSourceClock } from '../../src/plugin/testing/test-connector.js';
import type { Resolver } from '../../src/plugin/outbound/address-guard.js';
import { createAddressGuard } from '../../src/plugin/outbound/address-guard.js';
import { GuardedAgent } from '../../src/plugin/outbound/guarded-agent.js';
import { createHttpSender } from '../../src/plugin/outbound/https-sender.js';
import { OutboundError } from '../../src/plugin/outbound/outbound-fault.js';
import { readProxy } from '../../src/plugin/outbound/outbound-proxy.js';
import { openOpenIdProvider } from '../../src/start/openid-provider.js';
import { ConfigError } from '../../config/config-error.js';
import { ConfigSchema } from '../../config/schema.js';
import { createAuthority } from '../../tools/shared/authority.js';
import { type HttpsReceiver, openHttpsReceiver } from '../../tools/shared/https-receiver.js';
import { type ForwardProxy, openForwardProxy } from '../support/forward-proxy.js';

const authority = await createAuthority();
const identity = await authority.issue(['hook.test']);
const folder = mkdtempSync(join(tmpdir(), 'rollgate-proxy-'));
const ca = join(folder, 'ca.pem');
writeFileSync(ca, authority.certificate);
afterAll(() => rmSync(folder, { recursive: true }));

let receiver: HttpsReceiver;
let proxy: ForwardProxy;
const opened: { close: () => unknown }[] = [];
const keep = <T extends { close: () => unknown }>(part: T): T => {
  opened.push(part);
  return part;
};

beforeEach(async () => {
  receiver = keep(await openHttpsReceiver(identity));
  proxy = keep(await openForwardProxy());
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((part) => part.close()));
});

const toLoopback: Resolver = () => Promise.resolve(['127.0.0.1']);

interface Sending {
  readonly env?: NodeJS.ProcessEnv;
  readonly resolve?: Resolver;
  readonly host?: string;
}

/** Posts to the receiver, as `hook.test`, from a gateway with these variables. */
const openSender = ({
  env = { HTTPS_PROXY: proxy.url },
  resolve = toLoopback,
  host = 'hook.test',
}: Sending = {}) => {
  const sender = keep(
    createHttpSender({
      userAgent: 'Rollgate/test',
      allow: ['127.0.0.0/8'],
      ca,
      resolve,
      proxy: readProxy(env),
    }),
  );
  const url = `https://${host}:${receiver.port}/`;
  const request = { url, headers: {}, body: '{}', timeoutMs: 10_000, bodyLimit: 1_024 };
  return () => sender.post(request);
};

const openAgent = (): GuardedAgent =>
  new GuardedAgent({
    guard: createAddressGuard(['127.0.0.0/8']),
    resolve: toLoopback,
    proxy: readProxy({ HTTPS_PROXY: proxy.url }),
  });

describe('with HTTPS_PROXY, a request', () => {
  it('goes through the proxy, by the address that was checked', async () => {
    const post = openSender();
    expect(await post()).toMatchObject({ kind: 'responded', status: 200 });
    expect(await post()).toMatchObject({ kind: 'responded', status: 200 });
    expect(proxy.tunnels).toEqual([
      { target: `127.0.0.1:${receiver.port}`, authorization: undefined },
    ]);
    expect(receiver.requests[0]?.headers.host).toBe(`hook.test:${receiver.port}`);
  });

  it('authenticates', async () => {
    const { host } = new URL(proxy.url);
    await openSender({ env: { https_proxy: `http://ada:p%40ss@${host}` } })();
    const credentials = Buffer.from('ada:p@ss').toString('base64');
    expect(proxy.tunnels).toMatchObject([{ authorization: `Basic ${credentials}` }]);
  });

  it('is refused for a name with a non-public address, which the proxy does not see', async () => {
    const resolve: Resolver = () => Promise.resolve(['10.0.0.1']);
    expect(await openSender({ resolve })()).toMatchObject({ fault: 'blocked' });
    expect(await openSender({ host: '10.0.0.1' })()).toMatchObject({ fault: 'blocked' });
    expect(proxy.tunnels).toEqual([]);
  });

  it('is refused for a name that has no address here, whatever the proxy knows', async () => {
    const resolve: Resolver = () => Promise.resolve([]);
    expect(await openSender({ resolve })()).toMatchObject({ fault: 'dns' });
    expect(proxy.tunnels).toEqual([]);
  });

  it('verifies the certificate of the target', async () => {
    expect(await openSender({ host: 'other.test' })()).toMatchObject({
      fault: 'tls',
      message: 'The certificate is for another name (hook.test).',
    });
    expect(receiver.requests).toEqual([]);
  });

  it.each([
    [403, / refused a connection to the address of hook\.test:\d+ \(status 403\)\.$/],
    [407, / refused the credentials\.$/],
  ])('names the proxy that refuses it with %i', async (status, message) => {
    proxy.refuse(status);
    const { host } = new URL(proxy.url);
    const answer = await openSender({ env: { HTTPS_PROXY: `http://ada:hunter2@${host}` } })();
    expect(answer).toMatchObject({ fault: 'connect' });
    expect(answer).toHaveProperty('message', expect.stringMatching(message));
    expect(answer).toHaveProperty(
      'message',
      expect.stringContaining(`The proxy ${host} (HTTPS_PROXY)`),
    );
    expect(JSON.stringify(answer)).not.toContain('hunter2');
  });

  it('names the proxy that does not respond', async () => {
    await proxy.close();
    opened.pop();
    const answer = await openSender()();
    expect(answer).toMatchObject({
      fault: 'connect',
      message: `The proxy ${new URL(proxy.url).host} (HTTPS_PROXY) does not respond.`,
    });
  });

  it('names the proxy that stays silent, before the time for a delivery is over', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const asked = proxy.staySilent();
    const answer = openSender()();
    await asked;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await answer).toMatchObject({
      message: `The proxy ${new URL(proxy.url).host} (HTTPS_PROXY) does not respond.`,
    });
  });

  it('that waits for the proxy ends when the sender closes', async () => {
    const asked = proxy.staySilent();
    const agent = openAgent();
    const connect = () =>
      new Promise((settle) => agent.createConnection({ host: 'hook.test', port: 443 }, settle));
    const refused = connect();
    await asked;
    agent.destroy();
    expect(await refused).toBeInstanceOf(OutboundError);
    expect(await connect()).toBeInstanceOf(OutboundError);
  });

  it('that the proxy refuses leaves nothing behind', async () => {
    proxy.refuse(403);
    const agent = openAgent();
    const request = get('https://hook.test/', { agent });
    await expect(once(request, 'response')).rejects.toThrow(OutboundError);
    expect(agent.sockets).toEqual({});
  });

  it('of a connector goes through it, too', async () => {
    const http = keep(
      createSourceHttp({
        guard: createAddressGuard(['127.0.0.0/8']),
        resolve: toLoopback,
        ca,
        proxy: readProxy({ HTTPS_PROXY: proxy.url }),
        clock: createFakeSourceClock(new Date()),
        log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
        userAgent: 'Rollgate/test',
        signal: new AbortController().signal,
      }),
    );
    const url = `https://hook.test:${receiver.port}/`;
    expect(await http.get({ url })).toMatchObject({ status: 200, body: 'ok' });
    expect(proxy.tunnels).toMatchObject([{ target: `127.0.0.1:${receiver.port}` }]);
  });

  it('to the OpenID provider goes through it, by name', async () => {
    proxy.refuse(403);
    const { operators } = ConfigSchema.parse({
      operators: { oidc: { issuer: 'https://login.test', clientId: 'rollgate' } },
    });
    await new Promise<void>((resolve) => {
      void openOpenIdProvider(
        { ...operators.oidc, clientSecret: null },
        { info: ignore, warn: () => resolve() },
        readProxy({ HTTPS_PROXY: proxy.url }),
      );
    });
    expect(proxy.tunnels).toMatchObject([{ target: 'login.test:443' }]);
  });
});

const ignore = (): void => undefined;

describe('NO_PROXY', () => {
  const isProxied = (NO_PROXY: string, host: string, port = 443): boolean | undefined =>
    readProxy({ HTTPS_PROXY: 'http://proxy.test:3128', NO_PROXY })?.isFor(host, port);

  it.each([
    ['hook.test', 'hook.test'],
    ['other.test, hook.test', 'HOOK.TEST'],
    ['.hook.test', 'eu.hook.test'],
    ['*.hook.test', 'eu.hook.test'],
    ['hook.test', 'eu.hook.test'],
    ['hook.test:443', 'hook.test'],
    ['hook.test', 'hook.test.'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::5', '2001:db8::5'],
    ['[2001:DB8::5]', '2001:db8::5'],
    ['[2001:db8::5]:443', '2001:db8::5'],
    ['2001:db8::5', '[2001:db8::5]'],
    ['*', 'hook.test'],
    ['', 'localhost'],
    ['', '127.0.0.1'],
    ['', '::1'],
    ['', '[::1]'],
  ])('"%s" excepts %s', (exceptions, host) => {
    expect(isProxied(exceptions, host)).toBe(false);
  });

  it.each([
    ['', 'hook.test'],
    ['hook.test', 'webhook.test'],
    ['hook.test:8443', 'hook.test'],
    ['eu.hook.test', 'hook.test'],
    ['2001:db8::6', '2001:db8::5'],
    ['[2001:db8::5]:8443', '2001:db8::5'],
    ['2001:db8::5', '2001:db8:0:1::5'],
  ])('"%s" does not except %s', (exceptions, host) => {
    expect(isProxied(exceptions, host)).toBe(true);
  });
});

describe('HTTPS_PROXY', () => {
  it.each([
    'proxy.test:3128',
    'socks5://ada:hunter2@proxy.test',
    'http://ada:hunter2@',
    'http://ada:hunter2%@proxy.test:3128',
    'nonsense',
  ])('cannot be %s', (HTTPS_PROXY) => {
    const read = (): unknown => readProxy({ HTTPS_PROXY });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/expected the URL of an HTTP proxy, .*percent-encode the password$/);
    expect(read).not.toThrow('hunter2');
  });

  it('may be empty', () => {
    expect(readProxy({ HTTPS_PROXY: ' ' })).toBeUndefined();
  });
});
