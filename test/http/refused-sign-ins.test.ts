import { beforeEach, describe, expect, it } from 'vitest';
import type { OperatorId, PasskeyId } from '../../src/domain/kernel/ids.js';
import type { Operator } from '../../src/domain/operator/operator.js';
import {
  OpenIdFault,
  type OpenIdPerson,
  type OpenIdProvider,
  type SignInStores,
} from '../../src/ports/operators.js';
import { hashSecret, newSecret } from '../../src/http/access/credentials.js';
import { newId } from '../../src/pipeline/submit.js';
import { requestTo } from '../support/ask.js';
import { Authenticator } from '../support/authenticator.js';
import { ADMIN_TOKEN, openEdge, type TestApp } from '../support/edge.js';

const PUBLIC = 'http://127.0.0.1:8080';
const ORIGIN = 'http://localhost:8080';
const MINUTE = 60_000;

const ADA: OpenIdPerson = {
  subject: 'https://login.test ada',
  name: 'Ada',
  email: null,
  groups: ['owners'],
  authenticatedAt: null,
};

let clock: Date;
let signIn: SignInStores;
let fake: TestApp;
let person: OpenIdPerson | OpenIdFault;

/** Signs `person` in, or refuses to. */
const provider: OpenIdProvider = {
  name: 'Acme login',
  begin: () =>
    Promise.resolve({
      url: 'https://login.test/',
      flow: { state: 's', nonce: 'n', codeVerifier: 'v' },
    }),
  finish: () => (person instanceof OpenIdFault ? Promise.reject(person) : Promise.resolve(person)),
  signOutUrl: () => null,
};

beforeEach(async () => {
  clock = new Date();
  person = ADA;
  fake = await openEdge({
    publicUrl: () => PUBLIC,
    now: () => clock,
    operatorSignIn: { provider, roles: [{ group: 'owners', role: 'owner', tenants: null }] },
  });
  ({ signIn } = fake.store);
});

const post = async (path: string, body: object, cookie = '') => {
  const answer = await requestTo(fake.app)
    .post(`/admin/v1${path}`)
    .set('Origin', ORIGIN)
    .set('Cookie', cookie)
    .send(body);
  const { error, message } = answer.body as { readonly error?: string; readonly message?: string };
  return { status: answer.status, error, message, cookie: cookieIn(answer.headers) };
};

const get = async (path: string, cookie = '') => {
  const { status, headers } = await requestTo(fake.app)
    .get(`/admin/v1${path}`)
    .set('Cookie', cookie);
  return { status, to: headers['location'], cookie: cookieIn(headers) };
};

const cookieIn = (headers: Record<string, string>): string =>
  [headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

const addOperator = async (changes: Partial<Operator> = {}): Promise<OperatorId> => {
  const operator: Operator = {
    id: newId<OperatorId>(),
    name: 'Grace',
    email: null,
    role: 'admin',
    tenants: null,
    source: 'link',
    subject: null,
    createdAt: clock,
    disabledAt: null,
    lastSignInAt: null,
    ...changes,
  };
  await signIn.operators.create(operator);
  return operator.id;
};

const addLink = async (operatorId: OperatorId): Promise<string> => {
  const secret = newSecret();
  const expiresAt = new Date(clock.getTime() + MINUTE);
  await signIn.links.create({ kind: 'operator', operatorId, hash: hashSecret(secret), expiresAt });
  return secret;
};

/** Through the provider and back. */
const finish = async (cookie?: string) =>
  get('/oidc/callback?code=c&state=s', cookie ?? (await get('/oidc/start')).cookie);

const passkey = () => new Authenticator(ORIGIN).get({ challenge: 'AAAA' });

const ATTEMPTS = {
  'a sign-in link': () => post('/session', { link: 'guess' }),
  'a setup link': () => post('/setup-session', { link: 'guess' }),
  'the admin token': () => post('/session', { admin_token: 'guess' }),
  'a passkey': () => post('/session', { passkey: passkey() }),
  'the OpenID provider': () => finish(''),
} as const;
const WAYS = Object.keys(ATTEMPTS) as readonly (keyof typeof ATTEMPTS)[];

const entries = () => fake.store.operatorLog.page({ limit: 50 });

describe('a refused sign-in', () => {
  it.each(WAYS)("with %s is in the operators' log and the gateway's", async (way) => {
    await ATTEMPTS[way]();
    const isProvider = way === 'the OpenID provider';
    const code = isProvider ? 'SIGN_IN_EXPIRED' : 'UNAUTHENTICATED';
    expect(await entries()).toMatchObject([
      {
        actor: { id: null, name: 'Unknown' },
        text: `could not sign in with ${way}`,
        refusal: code,
      },
    ]);
    expect(fake.lines).toContainEqual(expect.objectContaining({ level: 'warn', code }));
  });

  it.each(WAYS)('with %s counts as a failed authentication of its address', async (way) => {
    fake = fake.with({ failedAuthenticationsPerMinute: 1 });
    await ATTEMPTS[way]();
    expect((await ATTEMPTS[way]()).status).toBe(429);
    expect((await post('/session', { admin_token: 'guess' })).error).toBe('RATE_LIMITED');
  });

  it('of a disabled operator says so, once they have proved who they are', async () => {
    const id = await addOperator({ disabledAt: clock });
    const { status, message } = await post('/session', { link: await addLink(id) });
    expect([status, message]).toEqual([
      401,
      'Your account is disabled. Ask an owner to enable it.',
    ]);
    const [entry] = await entries();
    expect(entry?.refusal).toBe('OPERATOR_DISABLED');
    // Nothing else of the operator is kept.
    expect(entry?.actor).toEqual({ id, name: 'Grace' });
  });

  it('of a person who has proved nothing is in the log up to 30 times a minute', async () => {
    const operatorId = await addOperator();
    const device = new Authenticator(ORIGIN);
    const { publicKey } = device;
    const answer = device.get({ challenge: 'AAAA' });
    await signIn.passkeys.create({
      ...{ id: newId<PasskeyId>(), credentialId: answer.id, operatorId, publicKey },
      ...{ name: 'Phone', counter: 0, createdAt: clock, lastUsedAt: null },
    });
    for (let attempt = 0; attempt < 35; attempt += 1) await post('/session', { passkey: answer });
    expect(await entries()).toHaveLength(30);
  });

  it.each([
    ['PROVIDER_REFUSED', () => new OpenIdFault('refused', 'access_denied'), 'Unknown'],
    ['PROVIDER_FAILED', () => new OpenIdFault('failed', 'no answer'), 'Unknown'],
    ['NO_RECENT_SIGN_IN', () => new OpenIdFault('not-recent', 'no auth_time'), 'Unknown'],
    ['NO_ROLE', () => ({ ...ADA, groups: [] }), 'Ada'],
  ] as const)('by the provider leads to the page that explains %s', async (code, found, name) => {
    person = found();
    const { status, to, cookie } = await finish();
    expect([status, to, cookie]).toEqual([303, `/dashboard/sign-in?error=${code}`, 'rg_oidc=']);
    expect(await entries()).toMatchObject([{ actor: { name }, refusal: code }]);
  });
});

describe('what a browser carries through a sign-in', () => {
  it('is accepted for ten minutes', async () => {
    const { cookie } = await get('/oidc/start');
    clock = new Date(clock.getTime() + 10 * MINUTE);
    expect((await finish(cookie)).to).toContain('SIGN_IN_EXPIRED');
  });

  it('is of one way only', async () => {
    const { cookie } = await post('/session/passkey-challenge', {});
    const asOidc = cookie.replace('rg_passkey', 'rg_oidc');
    expect(asOidc).not.toBe(cookie);
    expect((await finish(asOidc)).to).toContain('SIGN_IN_EXPIRED');
    expect((await finish()).to).toBe('/dashboard/');
  });
});

describe('the link of the first owner', () => {
  it('is not used up by a name or an address that is not valid', async () => {
    const secret = newSecret();
    const expiresAt = new Date(clock.getTime() + MINUTE);
    await signIn.links.create({ kind: 'first-owner', hash: hashSecret(secret), expiresAt });
    for (const owner of [{}, { name: 'Grace', email: 'grace' }])
      expect((await post('/session', { link: secret, ...owner })).error).toBe('INVALID_REQUEST');
    const owner = { name: 'Grace', email: 'grace@example.com' };
    expect((await post('/session', { link: secret, ...owner })).status).toBe(201);
  });
});

describe('the admin token', () => {
  it('confirms the identity of an owner who is signed in, and of no other operator', async () => {
    const stepUp = (cookie?: string) =>
      post('/session', { admin_token: ADMIN_TOKEN, step_up: true }, cookie);
    expect((await stepUp()).error).toBe('INSUFFICIENT_ROLE');
    for (const [role, status] of [
      ['admin', 403],
      ['owner', 201],
    ] as const) {
      const link = await addLink(await addOperator({ role }));
      const { cookie } = await post('/session', { link });
      expect([role, (await stepUp(cookie)).status]).toEqual([role, status]);
    }
  });
});
