import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAuthority, type Authority, type Validity } from '../../../tools/shared/authority.js';
import { openHttpsReceiver } from '../../../tools/shared/https-receiver.js';
import { validateConfig } from '../../../config/load-config.js';
import { webhooks } from '../../../plugins/webhooks/index.js';
import { extensionChecks } from '../../../src/doctor/extension-checks.js';
import type { Check } from '../../../src/doctor/check.js';
import { createAddressGuard } from '../../../src/plugin/outbound/address-guard.js';
import { runCheck, temporaryFolder } from '../../support/doctor.js';

/** The check as the doctor runs it, with the settings of the context. */
const checkNamed =
  (name: string): Check =>
  (context) => {
    const settings = validateConfig(context, [webhooks]).sections.get('webhooks');
    const checks = extensionChecks([
      {
        name: 'webhooks',
        checks: webhooks.doctor ?? [],
        ...(settings !== undefined && {
          configured: { settings, outbound: webhooks.outbound?.(settings) ?? {} },
        }),
      },
    ]);
    return checks[name]!(context);
  };

const checkWebhookNames = checkNamed('webhook-dns');
const checkWebhookConnection = checkNamed('webhook-connection');
const checkWebhookAuthorities = checkNamed('webhook-ca');
const checkWebhookRanges = checkNamed('webhook-allowlist');

const DAY = 86_400_000;
const failing = (code: string) => () =>
  Promise.reject(Object.assign(new Error('lookup failed'), { code }));

describe('the check "webhook-dns"', () => {
  it('passes if the name of the receiver is resolved', async () => {
    const resolve = () => Promise.resolve(['192.0.2.1']);
    const given = { resolve, egress: { host: 'hooks.test', port: 443 } };
    expect(await runCheck(checkWebhookNames, given)).toMatchObject({
      status: 'OK',
      details: { name: 'hooks.test', addresses: ['192.0.2.1'] },
    });
  });

  it('warns, as advice, if no receiver is given and public names cannot be resolved', async () => {
    expect(await runCheck(checkWebhookNames, { resolve: failing('EAI_AGAIN') })).toMatchObject({
      status: 'WARN',
      message: 'Cannot resolve example.com (EAI_AGAIN).',
      remedy: expect.stringContaining('--egress-host') as string,
      isAdvice: true,
    });
  });

  it('warns after 5 s if the network drops all queries', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const checked = runCheck(checkWebhookNames, { resolve: () => new Promise(() => undefined) });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await checked).toMatchObject({ status: 'WARN', isAdvice: true });
  });

  it('fails if the name of the given receiver cannot be resolved', async () => {
    const given = { resolve: failing('ENOTFOUND'), egress: { host: 'hooks.test', port: 443 } };
    expect(await runCheck(checkWebhookNames, given)).toMatchObject({ status: 'FAIL' });
  });

  it.each(['192.0.2.1', '2001:db8::1'])('is skipped for the address %s', async (host) => {
    const given = { resolve: failing('EFAULT'), egress: { host, port: 443 } };
    expect(await runCheck(checkWebhookNames, given)).toMatchObject({ status: 'SKIP' });
  });
});

describe('the check "webhook-connection"', () => {
  let authority: Authority;
  let ca: string;
  beforeEach(async () => {
    authority = await createAuthority();
    ca = join(await temporaryFolder(), 'ca.pem');
    await writeFile(ca, authority.certificate);
  });

  const listen = async (validity?: Validity) => {
    const names = ['localhost', '127.0.0.1'];
    const receiver = await openHttpsReceiver(await authority.issue(names, validity));
    onTestFinished(receiver.close);
    return receiver;
  };
  const check = (port: number, env: Record<string, string>, host = 'localhost') =>
    runCheck(checkWebhookConnection, {
      env,
      egress: { host, port },
      resolve: () => Promise.resolve(['127.0.0.1']),
    });
  const open = () => ({ ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.1', ROLLGATE_WEBHOOKS_CA: ca });

  it('is skipped without a receiver', async () => {
    expect(await runCheck(checkWebhookConnection)).toMatchObject({
      status: 'SKIP',
      remedy: expect.stringContaining('--egress-host') as string,
    });
  });

  it.each(['localhost', '127.0.0.1'])('connects to %s and sends nothing', async (host) => {
    const receiver = await listen();
    expect(await check(receiver.port, open(), host)).toMatchObject({
      status: 'OK',
      message: expect.stringContaining(`TLS connection to ${host}:${receiver.port} in`) as string,
      details: { certificate_days_left: 29 },
    });
    expect(receiver.connections()).toBe(1);
    expect(receiver.requests).toEqual([]);
  });

  it('warns if the certificate expires soon', async () => {
    const validity = { from: new Date(Date.now() - DAY), until: new Date(Date.now() + 3.2 * DAY) };
    const { port } = await listen(validity);
    expect(await check(port, open())).toMatchObject({
      status: 'WARN',
      message: expect.stringContaining('its certificate expires in 3 days') as string,
      details: { certificate_days_left: 3 },
    });
  });

  it('fails if the address guard blocks the receiver', async () => {
    const receiver = await listen();
    expect(await check(receiver.port, { ROLLGATE_WEBHOOKS_CA: ca })).toMatchObject({
      status: 'FAIL',
      details: { fault: 'blocked' },
      remedy: expect.stringContaining('plugins.webhooks.allow') as string,
    });
    expect(receiver.connections()).toBe(0);
  });

  it('fails if the CA is not trusted', async () => {
    const { port } = await listen();
    expect(await check(port, { ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.1' })).toMatchObject({
      status: 'FAIL',
      details: { fault: 'tls' },
      remedy: expect.stringContaining('ROLLGATE_WEBHOOKS_CA') as string,
    });
  });

  it('fails if the connection is refused', async () => {
    const { port, close } = await openHttpsReceiver(await authority.issue(['localhost']));
    await close();
    expect(await check(port, open())).toMatchObject({
      status: 'FAIL',
      details: { fault: 'connect' },
    });
  });

  it('fails after 10 s, and keeps no connection, if the receiver stays silent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const silent = createServer((socket) => socket.on('error', () => {}).resume());
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const accepted = once(silent, 'connection');
    const checked = check((silent.address() as AddressInfo).port, open());
    await accepted;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await checked).toMatchObject({ status: 'FAIL', details: { fault: 'timeout' } });
    // Comes once all connections have ended.
    const closed = once(silent, 'close');
    silent.close();
    await closed;
  });

  it('fails if the receiver does not use TLS', async () => {
    const plain = createServer((socket) =>
      socket.on('error', () => {}).end('This is not TLS.\r\n'),
    );
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    onTestFinished(() => void plain.close());
    const { port } = plain.address() as AddressInfo;
    expect(await check(port, open())).toMatchObject({ status: 'FAIL' });
  });

  it('refers to the check "webhook-ca" if the CA file is unusable', async () => {
    const env = { ...open(), ROLLGATE_WEBHOOKS_CA: `${ca}.mistyped` };
    expect(await check(1, env)).toMatchObject({
      status: 'SKIP',
      message: expect.stringContaining('see webhook-ca') as string,
    });
  });
});

describe('the check "webhook-ca"', () => {
  const look = (cwd: string, ca: string, more = {}) =>
    runCheck(checkWebhookAuthorities, { cwd, env: { ROLLGATE_WEBHOOKS_CA: ca }, ...more });

  it('passes without a CA file', async () => {
    expect(await runCheck(checkWebhookAuthorities)).toMatchObject({ status: 'OK' });
  });

  it('resolves the path from the working directory', async () => {
    const cwd = await temporaryFolder();
    const both =
      (await createAuthority('One')).certificate + (await createAuthority('Other')).certificate;
    await writeFile(join(cwd, 'ca.pem'), both);
    expect(await look(cwd, 'ca.pem')).toMatchObject({ status: 'OK', details: { certificates: 2 } });
  });

  it.each([
    ['is missing', undefined],
    ['contains something else', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
    ['is damaged', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'],
  ])('fails if the file %s', async (_what, text) => {
    const cwd = await temporaryFolder();
    if (text !== undefined) await writeFile(join(cwd, 'ca.pem'), text);
    expect(await look(cwd, 'ca.pem')).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining(join(cwd, 'ca.pem')) as string,
    });
  });

  it('warns if a certificate has expired', async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, 'ca.pem'), (await createAuthority('Old authority')).certificate);
    const clocks = { now: () => Date.now() + 60 * DAY, elapsed: () => performance.now() };
    expect(await look(cwd, 'ca.pem', { clocks })).toMatchObject({
      status: 'WARN',
      message: expect.stringContaining('CN=Old authority') as string,
    });
  });
});

describe('the check "webhook-allowlist"', () => {
  const look = (...allow: readonly string[]) =>
    runCheck(checkWebhookRanges, { env: { ROLLGATE_WEBHOOKS_ALLOW: allow.join(',') } });

  it.each([[], ['93.184.216.0/24'], ['8.8.8.8', '2606:4700::/32']])(
    'passes with %j',
    async (...allow) => {
      expect(await look(...allow)).toMatchObject({ status: 'OK' });
    },
  );

  it.each([
    '10.1.0.0/16',
    '127.0.0.1',
    '192.168.7.0/24',
    '0.0.0.0/0',
    '8.0.0.0/5',
    '100.64.0.0/10',
    '169.254.169.254',
    'fd12::/16',
    '::1',
    '::/0',
    'fe80::/10',
  ])('warns about %s', async (range) => {
    expect(await look('8.8.8.8', range)).toMatchObject({
      status: 'WARN',
      details: { opening: [range] },
    });
  });

  it('warns whenever the address guard allows a private address', async () => {
    const privates = fc.constantFrom(
      ...[[10], [172, 20], [192, 168], [127], [100, 100], [169, 254], [198, 19], [240]],
    );
    const byte = fc.nat(255);
    const address = fc
      .tuple(privates, fc.tuple(byte, byte, byte))
      .map(([head, tail]) => [...head, ...tail].slice(0, 4).join('.'));
    const first = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join('.'));
    await fc.assert(
      fc.asyncProperty(address, first, fc.nat(32), async (inside, base, bits) => {
        const range = `${base}/${bits}`;
        fc.pre(createAddressGuard([range]).allows(inside));
        expect((await look(range)).status).toBe('WARN');
      }),
      { numRuns: 60, maxSkipsPerRun: 1_000 },
    );
  });
});
