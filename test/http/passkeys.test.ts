import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { SignInStores } from '../../src/ports/operators.js';
import type { OperatorId } from '../../src/domain/kernel/ids.js';
import { isNextCount } from '../../src/domain/operator/passkey.js';
import { hashSecret, newSecret } from '../../src/http/access/credentials.js';
import { relyingPartyOf } from '../../src/http/access/webauthn.js';
import { newId } from '../../src/pipeline/submit.js';
import { requestTo } from '../support/ask.js';
import { Authenticator } from '../support/authenticator.js';
import { openEdge, type TestApp } from '../support/edge.js';

const PUBLIC = 'http://127.0.0.1:8080';
/** Browsers have no passkeys for addresses. */
const ORIGIN = 'http://localhost:8080';
const MINUTE = 60_000;

let clock: Date;
let fake: TestApp;
let signIn: SignInStores;

beforeAll(async () => {
  clock = new Date();
  fake = await openEdge({ publicUrl: () => PUBLIC, now: () => clock });
  ({ signIn } = fake.store);
});

const pass = (minutes: number): void => {
  clock = new Date(clock.getTime() + minutes * MINUTE);
};

/** A browser's cookies. */
type Jar = Map<string, string>;

const keep = (jar: Jar, headers: Record<string, unknown>): void => {
  for (const header of [headers['set-cookie'] ?? []].flat() as unknown as readonly string[]) {
    const [name = '', value = ''] = header.split(';')[0]?.split('=') ?? [];
    jar.set(name, value);
  }
};

const cookies = (jar: Jar): string => [...jar].map((pair) => pair.join('=')).join('; ');

interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

const post = async <Body = { readonly error?: string }>(
  jar: Jar,
  path: string,
  body: object = {},
  csrf = '',
): Promise<Answer<Body>> => {
  const {
    status,
    body: answer,
    headers,
  } = await requestTo(fake.app)
    .post(`/admin/v1${path}`)
    .set('Origin', ORIGIN)
    .set('Cookie', cookies(jar))
    .set('X-CSRF-Token', csrf)
    .send(body);
  keep(jar, headers);
  return { status, body: answer as Body };
};

interface Session {
  readonly csrf_token: string;
  readonly operator: { readonly id: string; readonly name: string };
}

interface Person {
  readonly id: OperatorId;
  readonly jar: Jar;
  readonly csrf: string;
}

/** An operator who has just signed in by a link. */
const person = async (name = 'Ada Lovelace', source: 'link' | 'oidc' = 'link'): Promise<Person> => {
  const id = newId<OperatorId>();
  await signIn.operators.create({
    id,
    name,
    email: null,
    role: 'auditor',
    tenants: ['acme'],
    source,
    subject: null,
    createdAt: clock,
    disabledAt: null,
    lastSignInAt: null,
  });
  const secret = newSecret();
  const expiresAt = new Date(clock.getTime() + MINUTE);
  await signIn.links.create({
    kind: 'operator',
    operatorId: id,
    hash: hashSecret(secret),
    expiresAt,
  });
  const jar: Jar = new Map();
  const { body } = await post<Session>(jar, '/session', { link: secret });
  return { id, jar, csrf: body.csrf_token };
};

interface Challenge {
  readonly challenge: string;
  readonly rp_id: string;
}

const challengeFor = async ({ id, jar, csrf }: Person): Promise<string> =>
  (await post<Challenge>(jar, `/operators/${id}/passkeys/challenge`, {}, csrf)).body.challenge;

const add = ({ id, jar, csrf }: Person, credential: object, name = 'Laptop') =>
  post<{ readonly id: string; readonly error?: string; readonly message?: string }>(
    jar,
    `/operators/${id}/passkeys`,
    { name, credential },
    csrf,
  );

/** An operator with a passkey. */
const withPasskey = async (name?: string, key = new Authenticator(ORIGIN)) => {
  const owner = await person(name);
  const { status, body } = await add(owner, key.create({ challenge: await challengeFor(owner) }));
  expect(status).toBe(201);
  return { ...owner, key, passkeyId: body.id };
};

const begin = async (jar: Jar): Promise<string> =>
  (await post<Challenge>(jar, '/session/passkey-challenge')).body.challenge;

type Forged = Partial<Parameters<Authenticator['get']>[0]>;

/** Signs in with the passkey in a new browser. */
const signInWith = async (key: Authenticator, forged: Forged = {}, jar: Jar = new Map()) => {
  const challenge = await begin(jar);
  return post<Session & { readonly error?: string }>(jar, '/session', {
    passkey: key.get({ challenge, ...forged }),
  });
};

describe('a passkey', () => {
  it.each(['ES256', 'RS256', 'EdDSA'] as const)(
    'with %s signs its operator in',
    async (algorithm) => {
      const { id, key } = await withPasskey(
        undefined,
        new Authenticator(ORIGIN, 'localhost', algorithm),
      );
      const { status, body } = await signInWith(key, {
        userHandle: Buffer.from(id).toString('base64url'),
      });
      expect([status, body]).toMatchObject([
        201,
        { operator: { id, name: 'Ada Lovelace' }, by: 'passkey', has_passkey: true },
      ]);
    },
  );

  it('is listed with its name and last use, without its key', async () => {
    const { id, jar, key, passkeyId } = await withPasskey();
    const created_at = clock.toISOString();
    pass(3);
    await signInWith(key);
    const { body } = await requestTo(fake.app)
      .get(`/admin/v1/operators/${id}/passkeys`)
      .set('Cookie', cookies(jar));
    expect(body).toEqual({
      passkeys: [
        {
          id: passkeyId,
          name: 'Laptop',
          created_at,
          last_used_at: clock.toISOString(),
        },
      ],
    });
  });

  it.each<[string, Forged]>([
    ['of another origin', { origin: 'https://evil.test' }],
    ['of the same host without its port', { origin: 'http://localhost' }],
    ['for another relying party', { rpId: 'evil.test' }],
    ['for another challenge', { challenge: 'AAAA' }],
    ['made as a registration', { type: 'webauthn.create' }],
    ['made in a frame of another site', { crossOrigin: true }],
    ['without verification of the person', { flags: 0x01 }],
    ['without presence', { flags: 0x04 }],
    ['for another operator', { userHandle: 'b3RoZXI' }],
  ])('does not sign in %s', async (_case, forged) => {
    const { key } = await withPasskey();
    const { status, body } = await signInWith(key, forged);
    expect([status, body]).toMatchObject([401, { error: 'UNAUTHENTICATED' }]);
    expect((await signInWith(key)).status).toBe(201);
  });

  it('does not sign in with the signature of another key', async () => {
    const { key } = await withPasskey();
    const jar: Jar = new Map();
    const challenge = await begin(jar);
    const { signature } = new Authenticator(ORIGIN).get({ challenge });
    for (const forged of [signature, 'AAAA', signature.slice(4)]) {
      const passkey = { ...key.get({ challenge }), signature: forged };
      expect((await post(jar, '/session', { passkey })).status).toBe(401);
    }
  });

  it('that is not known does not sign in', async () => {
    await withPasskey();
    expect((await signInWith(new Authenticator(ORIGIN))).status).toBe(401);
  });

  it('answers a challenge once, in the browser that began, within 5 minutes', async () => {
    const { key } = await withPasskey();
    const jar: Jar = new Map();
    const challenge = await begin(jar);
    const passkey = key.get({ challenge });
    const thief: Jar = new Map();
    expect((await post(thief, '/session', { passkey })).status).toBe(401);
    await begin(thief);
    expect((await post(thief, '/session', { passkey })).status).toBe(401);
    const copied: Jar = new Map(jar);
    expect((await post(jar, '/session', { passkey })).status).toBe(201);
    expect((await post(copied, '/session', { passkey })).status).toBe(401);

    const slow: Jar = new Map();
    const late = key.get({ challenge: await begin(slow) });
    pass(5);
    expect((await post(slow, '/session', { passkey: late })).status).toBe(401);
  });

  it('of a disabled or deleted operator does not sign in, and says why', async () => {
    const { id, key } = await withPasskey();
    await signIn.operators.update(id, { disabledAt: clock });
    expect((await signInWith(key)).body).toMatchObject({
      error: 'UNAUTHENTICATED',
      message: 'Your account is disabled. Ask an owner to enable it.',
    });
    await signIn.operators.delete(id);
    expect((await signInWith(key)).status).toBe(401);
  });

  it('that was copied does not sign in: its signature count does not grow', async () => {
    const { key } = await withPasskey();
    expect((await signInWith(key, { counter: 7 })).status).toBe(201);
    for (const counter of [0, 6, 7])
      expect([counter, (await signInWith(key, { counter })).status]).toEqual([counter, 401]);
    expect((await signInWith(key, { counter: 8 })).status).toBe(201);
    expect(fake.lines.map(({ reason }) => reason)).toContain(
      'its signature count did not grow: there may be a copy of the key',
    );
  });

  it('confirms the identity of its own operator only, in a session of theirs', async () => {
    const ada = await withPasskey();
    const mallory = await withPasskey('Mallory');
    pass(16);
    const challengePath = `/operators/${ada.id}/passkeys/challenge`;
    expect((await post(ada.jar, challengePath, {}, ada.csrf)).body.error).toBe('STEP_UP_REQUIRED');
    const stepUp = async (key: Authenticator) => {
      const challenge = await begin(ada.jar);
      return post<Session & { error?: string }>(ada.jar, '/session', {
        passkey: key.get({ challenge }),
        step_up: true,
      });
    };
    expect((await stepUp(mallory.key)).body.error).toBe('INSUFFICIENT_ROLE');
    const { status, body } = await stepUp(ada.key);
    expect([status, body.operator.id]).toEqual([201, ada.id]);
    expect((await post(ada.jar, challengePath, {}, body.csrf_token)).status).toBe(200);
  });

  it('counts as a failed authentication of the address if it is not accepted', async () => {
    const usual = fake;
    onTestFinished(() => void (fake = usual));
    fake = fake.with({ failedAuthenticationsPerMinute: 2 });
    const key = new Authenticator(ORIGIN);
    const codes: (string | undefined)[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) codes.push((await signInWith(key)).body.error);
    expect(codes).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED', 'RATE_LIMITED']);
  });

  it('ends its sessions when it is removed, by its operator or an owner only', async () => {
    const { id, jar, csrf, key, passkeyId } = await withPasskey();
    const mallory = await person('Mallory');
    const other: Jar = new Map();
    await signInWith(key, {}, other);
    const remove = async (by: Jar, token: string) =>
      (
        await requestTo(fake.app)
          .delete(`/admin/v1/operators/${id}/passkeys/${passkeyId}`)
          .set('Origin', ORIGIN)
          .set('Cookie', cookies(by))
          .set('X-CSRF-Token', token)
      ).status;
    expect(await remove(mallory.jar, mallory.csrf)).toBe(403);
    expect(await remove(jar, csrf)).toBe(204);
    expect(await remove(jar, csrf)).toBe(404);
    const read = (of: Jar) =>
      requestTo(fake.app).get('/admin/v1/session').set('Cookie', cookies(of));
    expect([(await read(jar)).status, (await read(other)).status]).toEqual([200, 401]);
    expect((await signInWith(key)).status).toBe(401);
  });
});

describe('a new passkey', () => {
  it.each<[string, Forged]>([
    ['of another origin', { origin: 'https://evil.test' }],
    ['for another relying party', { rpId: 'evil.test' }],
    ['for another challenge', { challenge: 'AAAA' }],
    ['made as a sign-in', { type: 'webauthn.get' }],
    ['without verification of the person', { flags: 0x01 }],
  ])('is not accepted %s', async (_case, forged) => {
    const ada = await person();
    const challenge = await challengeFor(ada);
    const { status, body } = await add(
      ada,
      new Authenticator(ORIGIN).create({ challenge, ...forged }),
    );
    expect([status, body.error]).toEqual([400, 'PASSKEY_NOT_ACCEPTED']);
  });

  it('is not accepted with another id, or a key that is not supported', async () => {
    const ada = await person();
    const key = new Authenticator(ORIGIN);
    const given = key.create({ challenge: await challengeFor(ada) });
    const weak = new Authenticator(ORIGIN, 'localhost', 'ES384');
    const tries = [
      { ...given, id: 'AAAA' },
      { ...given, public_key: 'AAAA' },
      { ...given, public_key: weak.publicKey },
      { ...given, authenticator_data: given.authenticator_data.slice(0, 40) },
    ];
    for (const credential of tries)
      expect((await add(ada, credential)).body.error).toBe('PASSKEY_NOT_ACCEPTED');
    expect((await add(ada, given)).status).toBe(201);
  });

  it('is added once, and to an account of its own', async () => {
    const ada = await withPasskey();
    const again = ada.key.create({ challenge: await challengeFor(ada) });
    expect((await add(ada, again)).body.message).toContain('it exists already');
    const mallory = await person('Mallory');
    const challenge = await challengeFor(mallory);
    const credential = new Authenticator(ORIGIN).create({ challenge });
    expect((await add({ ...mallory, id: ada.id }, credential)).status).toBe(403);
    // The challenge of another account, in the same browser.
    expect(
      (await add({ ...ada, jar: new Map([...mallory.jar, ...ada.jar]) }, credential)).status,
    ).toBe(400);
  });

  it('is refused beyond ten, and to operators of the provider', async () => {
    const ada = await person();
    for (let at = 0; at < 10; at += 1) {
      const credential = new Authenticator(ORIGIN).create({ challenge: await challengeFor(ada) });
      expect((await add(ada, credential, `Key ${at}`)).status).toBe(201);
    }
    const credential = new Authenticator(ORIGIN).create({ challenge: await challengeFor(ada) });
    expect((await add(ada, credential)).body.message).toContain('at most 10');
    const grace = await person('Grace', 'oidc');
    expect(
      (await post(grace.jar, `/operators/${grace.id}/passkeys/challenge`, {}, grace.csrf)).body
        .error,
    ).toBe('OPERATOR_FROM_PROVIDER');
  });
});

describe('the relying party', () => {
  it.each([
    [
      'https://gateway.example.com',
      { id: 'gateway.example.com', origin: 'https://gateway.example.com' },
    ],
    ['https://g.example.com:8443', { id: 'g.example.com', origin: 'https://g.example.com:8443' }],
    ['http://127.0.0.1:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
    ['http://[::1]:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
    ['https://192.0.2.7', undefined],
    ['https://[2001:db8::7]', undefined],
    ['http://gateway.example.com', undefined],
  ])('of %s is %o', (url, party) => {
    expect(relyingPartyOf(url)).toEqual(party);
  });
});

describe('a signature count', () => {
  it.each([
    [0, 0, true],
    [0, 1, true],
    [5, 6, true],
    [5, 5, false],
    [5, 4, false],
    [5, 0, false],
  ])('of %i is followed by %i: %o', (before, count, isNext) => {
    expect(isNextCount(before, count)).toBe(isNext);
  });
});
