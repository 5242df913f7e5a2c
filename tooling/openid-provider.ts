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

/** A real OpenID provider on loopback, which signs people in without a page. */
export interface TestOpenIdProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where it may send browsers back to; call it before the first sign-in. */
  readonly allow: (redirectUri: string, signOutTo: string) => void;
  /** Who is at the keyboard from now on; null: they press "cancel". */
  readonly isUsedBy: (account: OpenIdAccount | null) => void;
  readonly close: () => Promise<void>;
}

const CLIENT_ID = 'rollgate';
const CLIENT_SECRET = 'the-secret-of-the-gateway-at-the-provider';
const SCOPES = 'openid profile email groups';

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

const configurationFor = (
  client: { readonly redirectUri: string; readonly signOutTo: string },
  accounts: ReadonlyMap<string, OpenIdAccount>,
): Configuration => ({
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

export const openTestOpenIdProvider = async (): Promise<TestOpenIdProvider> => {
  const accounts = new Map<string, OpenIdAccount>();
  let present: OpenIdAccount | null = null;
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

  const allow: TestOpenIdProvider['allow'] = (redirectUri, signOutTo) => {
    const provider = new Provider(issuer, configurationFor({ redirectUri, signOutTo }, accounts));
    const serve = provider.callback();
    handle = (request, response) => {
      if (request.url?.startsWith('/interaction/')) void finishWith(provider, request, response);
      else void serve(request, response);
    };
  };
  allow('http://127.0.0.1/unused', 'http://127.0.0.1/unused');

  return {
    issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    allow,
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
