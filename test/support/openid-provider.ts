import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

/** A person at the provider. */
export interface OpenIdAccount {
  readonly sub: string;
  readonly name: string;
  readonly email: string;
  readonly groups: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

/** An RSA key with which a provider signs. */
interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export const createSigningKey = (): SigningKey => ({
  kid: randomUUID(),
  ...generateKeyPairSync('rsa', { modulusLength: 2_048 }),
});

const encode = (part: Json): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** A JSON web token, signed with RS256 (RFC 7515). */
export const signToken = (
  { kid, privateKey }: SigningKey,
  claims: Json,
  header: Json = { alg: 'RS256', typ: 'JWT', kid },
): string => {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${sign('RSA-SHA256', Buffer.from(input), privateKey).toString('base64url')}`;
};

/** What is sent instead of an ID token with these claims, which is signed with this key. */
export type ForgeToken = (claims: Json, key: SigningKey) => string;

/** A real OpenID provider on loopback, which signs people in without a page. */
interface TestOpenIdProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where it may send browsers back to; call it before the first sign-in. */
  readonly allow: (redirectUri: string, signOutTo: string) => void;
  /** Who is at the keyboard from now on; null: they press "cancel". */
  readonly isUsedBy: (account: OpenIdAccount | null) => void;
  /** From now on, sends what this returns; undefined: its own ID tokens. */
  readonly forge: (token: ForgeToken | undefined) => void;
  /** From now on, signs with a new key. */
  readonly rotateKey: () => void;
  /** How often its keys were read. */
  readonly keyReads: () => number;
  readonly close: () => Promise<void>;
}

const CLIENT_ID = 'rollgate';
const CLIENT_SECRET = 'the-secret-of-the-gateway-at-the-provider';
const SCOPES = 'openid profile email groups';

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

interface Addresses {
  readonly redirectUri: string;
  readonly signOutTo: string;
}

const configurationFor = (
  client: Addresses,
  accounts: ReadonlyMap<string, OpenIdAccount>,
  { kid, privateKey }: SigningKey,
): Configuration => ({
  // Some providers also offer MACs, which a client must not confuse with signatures.
  enabledJWA: { idTokenSigningAlgValues: ['RS256', 'HS256'] },
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }] },
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [client.redirectUri],
      post_logout_redirect_uris: [client.signOutTo],
    },
  ],
  claims: { openid: ['sub'], profile: ['name'], email: ['email'], groups: ['groups'] },
  // Claims in the ID token as well, as most providers do.
  conformIdTokenClaims: false,
  cookies: { keys: ['a key of this test only'] },
  features: {
    devInteractions: { enabled: false },
    // Its own page loads a font from the internet.
    rpInitiatedLogout: {
      logoutSource: (context, form) => {
        context.body = `<!doctype html><html lang="en"><title>Sign out</title>
          <link rel="icon" href="data:,">${form}
          <button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button></html>`;
      },
    },
  },
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  findAccount: (_context, sub) => {
    const account = accounts.get(sub);
    return (
      account && { accountId: sub, claims: () => ({ ...account, groups: [...account.groups] }) }
    );
  },
  // Everybody has consented.
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({
      clientId: CLIENT_ID,
      ...(oidc.session?.accountId !== undefined && { accountId: oidc.session.accountId }),
    });
    grant.addOIDCScope(SCOPES);
    await grant.save();
    return grant;
  },
});

const claimsOf = (token: string): Json =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Json;

export const openTestOpenIdProvider = async (): Promise<TestOpenIdProvider> => {
  const accounts = new Map<string, OpenIdAccount>();
  let present: OpenIdAccount | null = null;
  let key = createSigningKey();
  let forge: ForgeToken | undefined;
  let keyReads = 0;
  let addresses: Addresses = {
    redirectUri: 'http://127.0.0.1/unused',
    signOutTo: 'http://127.0.0.1/unused',
  };
  let handle = (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(503).end();
  };
  const server = createServer((request, response) => handle(request, response));
  const issuer = `http://127.0.0.1:${await listen(server)}`;

  const finishWith = async (
    provider: Provider,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const result = present
      ? { login: { accountId: present.sub } }
      : { error: 'access_denied', error_description: 'They have cancelled.' };
    await provider.interactionFinished(request, response, result);
  };

  const start = (): void => {
    const provider = new Provider(issuer, configurationFor(addresses, accounts, key));
    provider.use(async (context, next) => {
      await next();
      const body = context.body as { id_token?: string } | undefined;
      if (forge && typeof body?.id_token === 'string')
        context.body = { ...body, id_token: forge(claimsOf(body.id_token), key) };
    });
    const serve = provider.callback();
    handle = (request, response) => {
      if (request.url === '/jwks') keyReads += 1;
      if (request.url?.startsWith('/interaction/')) void finishWith(provider, request, response);
      else void serve(request, response);
    };
  };
  start();

  return {
    issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    allow: (redirectUri, signOutTo) => {
      addresses = { redirectUri, signOutTo };
      start();
    },
    forge: (token) => {
      forge = token;
    },
    rotateKey: () => {
      key = createSigningKey();
      start();
    },
    keyReads: () => keyReads,
    isUsedBy: (account) => {
      present = account;
      if (account) accounts.set(account.sub, account);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
