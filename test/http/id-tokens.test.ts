import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Secret } from '../../config/secret.js';
import { OpenIdFault, type OpenIdFlow, type OpenIdProvider } from '../../src/ports/operators.js';
import { openOpenIdProvider } from '../../src/start/openid-provider.js';
import {
  createSigningKey,
  type ForgeToken,
  openTestOpenIdProvider,
  signToken,
} from '../support/openid-provider.js';
import { Browser } from '../support/browser.js';

const peer = await openTestOpenIdProvider();
afterAll(peer.close);

const GATEWAY = 'http://127.0.0.1:8080';
const CALLBACK = '/admin/v1/oidc/callback';
const SILENT = { info: () => undefined, warn: () => undefined };
const MINUTE = 60_000;

const openProvider = async (): Promise<OpenIdProvider> => {
  const opened = await openOpenIdProvider(
    {
      name: 'Test',
      issuer: peer.issuer,
      clientId: peer.clientId,
      clientSecret: new Secret(peer.clientSecret),
      scopes: ['openid', 'profile', 'email', 'groups'],
      groupsClaim: 'groups',
      roles: [],
      stepUp: { maxAge: 5 * MINUTE },
    },
    SILENT,
  );
  if (!opened) throw new Error('not configured');
  return opened;
};

beforeAll(() => {
  peer.allow(GATEWAY + CALLBACK, `${GATEWAY}/dashboard/sign-in`);
  peer.isUsedBy({ sub: 'ada', name: 'Ada', email: 'ada@example.com', groups: ['owners'] });
});

afterEach(() => {
  peer.forge(undefined);
  vi.useRealTimers();
});

interface Landing {
  readonly returned: URL;
  readonly flow: OpenIdFlow;
}

/** Signs in at the provider, up to the address that it sends the browser back to. */
const land = async (
  provider: OpenIdProvider,
  { isStepUp = false, browser = new Browser() } = {},
): Promise<Landing> => {
  const { url, flow } = await provider.begin({ redirectUri: GATEWAY + CALLBACK, isStepUp });
  return { returned: new URL(await browser.follow(url, CALLBACK)), flow };
};

const signIn = async (provider: OpenIdProvider, isStepUp = false) => {
  const { returned, flow } = await land(provider, { isStepUp });
  return provider.finish(returned, flow);
};

const seconds = (): number => Math.floor(Date.now() / 1_000);

const faultOf = async (forge: ForgeToken, isStepUp = false): Promise<OpenIdFault> => {
  peer.forge(forge);
  return signIn(await openProvider(), isStepUp).then(
    () => expect.fail('the ID token was accepted'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(OpenIdFault);
      return error as OpenIdFault;
    },
  );
};

describe('an ID token', () => {
  it('of the provider is accepted', async () => {
    peer.forge((claims, key) => signToken(key, claims));
    expect(await signIn(await openProvider())).toMatchObject({
      subject: `${peer.issuer} ada`,
      groups: ['owners'],
    });
  });

  const [head, base64] = [
    (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url'),
    (text: string) => Buffer.from(text).toString('base64url'),
  ];
  /** The confusion of RFC 8725, 2.1: a MAC whose key is public, or shared. */
  const withMac =
    (secretOf: (publicKey: string) => string): ForgeToken =>
    (claims, { kid, publicKey }) => {
      const input = `${head({ alg: 'HS256', kid })}.${head(claims)}`;
      const secret = secretOf(publicKey.export({ format: 'pem', type: 'spki' }).toString());
      return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
    };

  it.each<[string, ForgeToken]>([
    [
      'signed by another key of the same id',
      (claims, { kid }) => signToken({ ...createSigningKey(), kid }, claims),
    ],
    ['signed by an unknown key', (claims) => signToken(createSigningKey(), claims)],
    [
      'changed after it was signed',
      (claims, key) => {
        const [header = '', , signature = ''] = signToken(key, claims).split('.');
        return [header, head({ ...claims, sub: 'mallory' }), signature].join('.');
      },
    ],
    ['without a signature', (claims, key) => signToken(key, claims).replace(/[^.]*$/, '')],
    ['with alg none', (claims) => `${head({ alg: 'none' })}.${head(claims)}.`],
    [
      'with alg None and a signature',
      (claims, key) => signToken(key, claims, { alg: 'None', kid: key.kid }),
    ],
    ['with a MAC of the public key', withMac((publicKey) => publicKey)],
    ['with a MAC of the secret of the client', withMac(() => peer.clientSecret)],
    ['that is none', () => base64('none')],
    ['of another issuer', (claims, key) => signToken(key, { ...claims, iss: 'https://evil.test' })],
    ['for another client', (claims, key) => signToken(key, { ...claims, aud: 'other' })],
    [
      'for several clients',
      (claims, key) => signToken(key, { ...claims, aud: [peer.clientId, 'other'] }),
    ],
    [
      'for several clients, authorized for another',
      (claims, key) => signToken(key, { ...claims, aud: [peer.clientId, 'other'], azp: 'other' }),
    ],
    ['authorized for another client', (claims, key) => signToken(key, { ...claims, azp: 'other' })],
    [
      'that has expired',
      (claims, key) =>
        signToken(key, { ...claims, iat: seconds() - 7_200, exp: seconds() - 3_600 }),
    ],
    ['that never expires', (claims, key) => signToken(key, { ...claims, exp: undefined })],
    [
      'that is not valid yet',
      (claims, key) => signToken(key, { ...claims, nbf: seconds() + 3_600 }),
    ],
    ['with another nonce', (claims, key) => signToken(key, { ...claims, nonce: 'another' })],
    ['without a nonce', (claims, key) => signToken(key, { ...claims, nonce: undefined })],
    ['with a text as auth_time', (claims, key) => signToken(key, { ...claims, auth_time: 'now' })],
    ['without a subject', (claims, key) => signToken(key, { ...claims, sub: undefined })],
  ])('%s is refused', async (_what, forge) => {
    expect(await faultOf(forge)).toMatchObject({ kind: 'failed' });
  });
});

describe('the keys of the provider', () => {
  it('are read again for a new key, but at most once a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const provider = await openProvider();
    await signIn(provider);
    const before = peer.keyReads();
    peer.rotateKey();
    await expect(signIn(provider)).rejects.toThrow(/no applicable keys/);
    expect(peer.keyReads()).toBe(before);
    vi.setSystemTime(Date.now() + MINUTE);
    expect(await signIn(provider)).toMatchObject({ subject: `${peer.issuer} ada` });
    expect(peer.keyReads()).toBe(before + 1);
    peer.forge((claims) => signToken(createSigningKey(), claims));
    for (let attempt = 0; attempt < 5; attempt += 1)
      await expect(signIn(provider)).rejects.toThrow(/no applicable keys/);
    expect(peer.keyReads()).toBe(before + 1);
  });

  it('that the provider has withdrawn are not accepted after five minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const provider = await openProvider();
    let old: Parameters<ForgeToken>[1] | undefined;
    peer.forge((claims, key) => signToken((old ??= key), claims));
    await signIn(provider);
    peer.rotateKey();
    vi.setSystemTime(Date.now() + 5 * MINUTE);
    await expect(signIn(provider)).rejects.toThrow(/no applicable keys/);
  });
});

describe('a code', () => {
  it('is accepted once', async () => {
    const provider = await openProvider();
    const { returned, flow } = await land(provider);
    await provider.finish(returned, flow);
    await expect(provider.finish(returned, flow)).rejects.toThrow(/invalid_grant/);
  });

  it.each<[string, (flow: OpenIdFlow, other: OpenIdFlow) => OpenIdFlow]>([
    ['state', (flow, { state }) => ({ ...flow, state })],
    ['nonce', (flow, { nonce }) => ({ ...flow, nonce })],
    ['code verifier', (flow, { codeVerifier }) => ({ ...flow, codeVerifier })],
  ])('is refused with the %s of another sign-in', async (_what, mix) => {
    const provider = await openProvider();
    const [one, other] = [await land(provider), await land(provider)];
    await expect(provider.finish(one.returned, mix(one.flow, other.flow))).rejects.toMatchObject({
      kind: 'failed',
    });
  });
});

describe('the time of authentication', () => {
  const authTime =
    (value: unknown): ForgeToken =>
    (claims, key) =>
      signToken(key, { ...claims, auth_time: value });

  it('is that of the ID token', async () => {
    const at = seconds() - 3_600;
    peer.forge(authTime(at));
    const { authenticatedAt } = await signIn(await openProvider());
    expect(authenticatedAt).toEqual(new Date(at * 1_000));
  });

  it.each<[string, () => unknown]>([
    ['is missing', () => undefined],
    ['is in the future', () => seconds() + 3_600],
    ['is in milliseconds', () => Date.now()],
    ['is no date', () => 1e300],
  ])('is unknown if it %s', async (_what, value) => {
    peer.forge(authTime(value()));
    const { authenticatedAt } = await signIn(await openProvider());
    expect(authenticatedAt).toBeNull();
  });

  it('that is recent is required for a step-up', async () => {
    const { authenticatedAt } = await signIn(await openProvider(), true);
    expect(authenticatedAt?.getTime()).toBeGreaterThan(Date.now() - 5 * MINUTE);
    for (const value of [undefined, seconds() - 3_600, Date.now()])
      expect(await faultOf(authTime(value), true)).toMatchObject({ kind: 'not-recent' });
  });

  it('is new for a step-up if the last one is too old', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const provider = await openProvider();
    const browser = new Browser();
    await land(provider, { browser });
    vi.setSystemTime(Date.now() + 10 * MINUTE);
    const { returned, flow } = await land(provider, { isStepUp: true, browser });
    const { authenticatedAt } = await provider.finish(returned, flow);
    expect(authenticatedAt?.getTime()).toBeGreaterThan(Date.now() - MINUTE);
  });
});
