import type * as OpenIdClient from 'openid-client';
import type { RequestInit as ProxiedInit } from 'undici';
import type { OidcConfig } from '../../config/load-config.js';
import type { Log } from '../ports/telemetry.js';
import {
  OpenIdFault,
  type OpenIdFlow,
  type OpenIdPerson,
  type OpenIdProvider,
} from '../ports/operators.js';
import { isEmailAddress } from '../domain/user/user.js';
import type { OutboundProxy } from '../plugin/outbound/outbound-proxy.js';

type Library = typeof OpenIdClient;
type Claims = Readonly<Record<string, unknown>>;

const TIMEOUT_SECONDS = 10;
/** How long the provider's metadata is used. */
const METADATA_MS = 3_600_000;
const MAX_BODY = 1024 * 1024;
const MAX_NAME = 256;
const MAX_GROUPS = 1_000;
/** Between the clocks of the provider and of this gateway. */
const CLOCK_SKEW_MS = 60_000;

interface Provider {
  readonly library: Library;
  readonly client: OpenIdClient.Configuration;
}

/** Through the proxy by name, because the operator has chosen the provider. */
const openProxy = async ({
  url,
  authorization: token,
}: OutboundProxy): Promise<OpenIdClient.CustomFetch> => {
  // The default export is there in the bundle as well.
  const { default: undici } = await import('undici');
  const dispatcher = new undici.ProxyAgent({
    uri: url.href,
    ...(token !== undefined && { token }),
  });
  return async (address, options) => {
    const init = { ...options, dispatcher } as ProxiedInit;
    // The same as those of Node, but for their types.
    const response: unknown = await undici.fetch(address, init);
    return response as Response;
  };
};

/** For every request of the library: what a provider sends is parsed in the gateway. */
const createBoundedFetch = (proxy: OutboundProxy | undefined): OpenIdClient.CustomFetch => {
  let opened: ReturnType<typeof openProxy> | undefined;
  return async (url, options) => {
    const { protocol, hostname, port } = new URL(url);
    let send = fetch as OpenIdClient.CustomFetch;
    if (protocol === 'https:' && proxy?.isFor(hostname, Number(port || 443)))
      send = await (opened ??= openProxy(proxy));
    const response = await send(url, options);
    if (response.body === null) return response;
    let size = 0;
    const limit = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        size += chunk.length;
        if (size > MAX_BODY) controller.error(new Error('The provider sent more than 1 MiB.'));
        else controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(limit), response);
  };
};

/** Installed only where operators sign in with OpenID; `check-config.ts` says so otherwise. */
const loadLibrary = (): Promise<Library> => import('openid-client');

/** RFC 6749, 2.3.1: the default of providers is Basic. */
const authenticationOf = (
  library: Library,
  secret: string | undefined,
): ((supported: readonly string[]) => OpenIdClient.ClientAuth) => {
  if (secret === undefined) return () => library.None();
  return (supported) =>
    supported.includes('client_secret_post') && !supported.includes('client_secret_basic')
      ? library.ClientSecretPost(secret)
      : library.ClientSecretBasic(secret);
};

/** What went wrong, without codes, tokens or bodies. */
const reasonOf = (error: unknown): string => {
  const {
    code,
    error: oauthError,
    message,
  } = error as {
    readonly code?: unknown;
    readonly error?: unknown;
    readonly message?: unknown;
  };
  return [code, oauthError, message].filter((part) => typeof part === 'string').join(': ');
};

const faultOf = (error: unknown): OpenIdFault => {
  if (error instanceof OpenIdFault) return error;
  const isRefused = (error as { readonly error?: unknown }).error === 'access_denied';
  return new OpenIdFault(isRefused ? 'refused' : 'failed', reasonOf(error));
};

const textIn = (claims: Claims, name: string): string | undefined => {
  const value = claims[name];
  if (typeof value !== 'string') return undefined;
  // Names come from outside: one line, without invisible characters.
  const line = value
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, MAX_NAME);
  return line === '' ? undefined : line;
};

const isRecord = (value: unknown): value is Claims => typeof value === 'object' && value !== null;

/** `groups`, `https://example.com/groups`, or nested: `realm_access.roles`. */
const claimAt = (claims: Claims, path: string): unknown => {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .split('.')
    .reduce<unknown>(
      (value, step) => (isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined),
      claims,
    );
};

const groupsIn = (claims: Claims, path: string): readonly string[] | undefined => {
  const value = claimAt(claims, path);
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, MAX_GROUPS).filter((one): one is string => typeof one === 'string');
};

const emailIn = (claims: Claims): string | null => {
  const email = textIn(claims, 'email');
  const isUsable = email !== undefined && isEmailAddress(email);
  return isUsable && claims['email_verified'] !== false ? email : null;
};

/** A time in the future proves nothing, nor does one in milliseconds, which is thousands of years ahead. */
const authenticatedAtIn = ({ auth_time: seconds }: Claims): Date | null => {
  if (typeof seconds !== 'number' || seconds * 1_000 > Date.now() + CLOCK_SKEW_MS) return null;
  return new Date(seconds * 1_000);
};

/**
 * OpenID Connect Core, 3.1.2.1: a provider that was sent `max_age` must send `auth_time`. It is also
 * compared here, because some providers ignore `max_age`.
 */
const requireRecent = ({ authenticatedAt }: OpenIdPerson, maxAge: number): void => {
  if (authenticatedAt === null)
    throw new OpenIdFault(
      'not-recent',
      'The ID token has no valid auth_time, although max_age was requested: configure the provider ' +
        'to send it.',
    );
  if (Date.now() - authenticatedAt.getTime() > maxAge * 1_000 + CLOCK_SKEW_MS)
    throw new OpenIdFault(
      'not-recent',
      `The auth_time of the ID token is more than ${maxAge} s ago: the provider ignores max_age.`,
    );
};

/** OpenID Connect Core, 3.1.3.7: the library checks it only if there are several audiences. */
const requireAuthorizedParty = ({ azp }: Claims, clientId: string): void => {
  if (azp !== undefined && azp !== clientId)
    throw new OpenIdFault('failed', 'The ID token is for another client (azp).');
};

const personOf = (claims: Claims, groups: readonly string[]): OpenIdPerson => {
  const email = emailIn(claims);
  const { iss, sub } = claims;
  return {
    subject: `${String(iss)} ${String(sub)}`,
    name: textIn(claims, 'name') ?? textIn(claims, 'preferred_username') ?? email ?? 'Operator',
    email,
    groups,
    authenticatedAt: authenticatedAtIn(claims),
  };
};

/** From the claim at this path of the ID token, or from the provider's page about the person. */
const findGroups = async (
  { library, client }: Provider,
  path: string,
  claims: Claims,
  accessToken: string,
): Promise<readonly string[]> => {
  const own = groupsIn(claims, path);
  if (own || client.serverMetadata().userinfo_endpoint === undefined) return own ?? [];
  const info = await library.fetchUserInfo(client, accessToken, String(claims['sub']));
  return groupsIn(info, path) ?? [];
};

interface Client {
  readonly issuer: string;
  readonly id: string;
  readonly secret: string | undefined;
  readonly proxy: OutboundProxy | undefined;
}

/** Finds the provider by its metadata, which is read once an hour, and again after a failure. */
const createDiscovery = (library: Library, { issuer, id, secret, proxy }: Client) => {
  const boundedFetch = createBoundedFetch(proxy);
  const authentication = authenticationOf(library, secret);
  let latest: Provider | undefined;
  let discovering: { readonly at: number; readonly provider: Promise<Provider> } | undefined;

  const discover = async (): Promise<Provider> => {
    const client = await library.discovery(
      new URL(issuer),
      id,
      undefined,
      // The methods that the provider supports are known only after the discovery.
      (server, ...rest) =>
        authentication(server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'])(
          server,
          ...rest,
        ),
      {
        timeout: TIMEOUT_SECONDS,
        [library.customFetch]: boundedFetch,
        execute: [
          // Signatures of ID tokens are verified although they arrive over TLS. The library reads
          // the provider's keys again for an unknown one, but at most once a minute.
          library.enableNonRepudiationChecks,
          // The settings accept http:// on loopback only, for development and tests.
          // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that it is noticed
          ...(issuer.startsWith('http:') ? [library.allowInsecureRequests] : []),
        ],
      },
    );
    latest = { library, client };
    return latest;
  };

  const provider = (): Promise<Provider> => {
    const now = performance.now();
    if (discovering && now - discovering.at < METADATA_MS) return discovering.provider;
    const next = { at: now, provider: discover() };
    discovering = next;
    next.provider.catch(() => {
      if (discovering === next) discovering = undefined;
    });
    return next.provider;
  };

  return { provider, latest: () => latest };
};

/**
 * The provider in the settings; undefined if there is none. Authorization code with PKCE, state and
 * nonce (RFC 9700). A provider that cannot be reached does not stop the gateway: it is asked again
 * with the next sign-in.
 */
export const openOpenIdProvider = async (
  config: OidcConfig,
  log: Pick<Log, 'info' | 'warn'>,
  proxy?: OutboundProxy,
): Promise<OpenIdProvider | undefined> => {
  const { issuer, clientId, clientSecret, scopes, groupsClaim, stepUp } = config;
  if (issuer === null || clientId === null) return undefined;
  const library = await loadLibrary();
  const { provider, latest } = createDiscovery(library, {
    issuer,
    id: clientId,
    secret: clientSecret?.reveal(),
    proxy,
  });

  provider().then(
    () => log.info({ issuer }, 'the OpenID provider of operators answers'),
    (error: unknown) =>
      log.warn(
        { issuer, reason: reasonOf(error) },
        'the OpenID provider of operators does not answer; will try again at the next sign-in',
      ),
  );

  return {
    name: config.name,
    begin: async ({ redirectUri, isStepUp }) => {
      try {
        const { client } = await provider();
        const flow: OpenIdFlow = {
          state: library.randomState(),
          nonce: library.randomNonce(),
          codeVerifier: library.randomPKCECodeVerifier(),
          ...(isStepUp && { maxAge: Math.floor(stepUp.maxAge / 1_000) }),
        };
        const url = library.buildAuthorizationUrl(client, {
          redirect_uri: redirectUri,
          scope: scopes.join(' '),
          state: flow.state,
          nonce: flow.nonce,
          code_challenge: await library.calculatePKCECodeChallenge(flow.codeVerifier),
          code_challenge_method: 'S256',
          ...(flow.maxAge !== undefined && { max_age: String(flow.maxAge) }),
        });
        return { url: url.href, flow };
      } catch (error) {
        throw faultOf(error);
      }
    },
    finish: async (returned, { state, nonce, codeVerifier, maxAge }) => {
      try {
        const found = await provider();
        const tokens = await library.authorizationCodeGrant(found.client, returned, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new OpenIdFault('failed', 'The provider sent no ID token.');
        requireAuthorizedParty(claims, clientId);
        const groups = await findGroups(found, groupsClaim, claims, tokens.access_token);
        const person = personOf(claims, groups);
        if (maxAge !== undefined) requireRecent(person, maxAge);
        return person;
      } catch (error) {
        throw faultOf(error);
      }
    },
    signOutUrl: (returnTo) => {
      const client = latest()?.client;
      if (client?.serverMetadata().end_session_endpoint === undefined) return null;
      return library.buildEndSessionUrl(client, { post_logout_redirect_uri: returnTo }).href;
    },
  };
};
