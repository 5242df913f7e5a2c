import type { FailureReason } from '../../ports/connections.js';
import type { ApiKeyReader, ApiKeyUse } from '../../ports/tenants.js';
import { type ApiKey, hasExpired, type Tenant } from '../../domain/tenant/tenant.js';
import type { ApiKeyId, TenantId } from '../../domain/kernel/ids.js';
import type { Log } from '../../ports/telemetry.js';
import type { Request, RequestHandler } from 'express';
import type { TenantCaller } from '../../routes/caller.js';
import { RefusalError } from '../../domain/kernel/refusals.js';
import { bearerTokenOf, hashSecret, hasBearerToken, isApiKey, keyPrefixIn } from './credentials.js';
import { type AccessTokens, isAccessToken } from './access-tokens.js';
import { contextOf } from '../request-context.js';
import { createBoundedCache } from './bounded-cache.js';
import { createRecentReads } from './recent-reads.js';
import {
  addressKeyOf,
  API_KEY_INVALID,
  API_KEY_REQUIRED,
  type ClientAddress,
  type RefuseCredentials,
} from './refuse-credentials.js';
import type { ConnectionTracker } from './track-connections.js';

export interface FoundKey {
  readonly key: ApiKey;
  readonly tenant: Tenant;
}

/** Caches valid keys for less than a second. */
export interface KeyCache {
  /**
   * Finds the key with this hash and its tenant. `from`: the address of the client. Rejects like
   * ApiKeyReader.findByHash.
   */
  readonly find: (hash: string, from?: string) => Promise<FoundKey | undefined>;
  /** Call it after deleting a key, so that it stops working immediately. */
  readonly invalidateKey: (id: ApiKeyId) => void;
  /** Call it after deleting or changing a tenant. */
  readonly invalidateTenant: (id: TenantId) => void;
}

interface KeyCacheParts {
  readonly findByHash: ApiKeyReader['findByHash'];
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly capacity?: number;
}

export const createKeyCache = ({ findByHash, now, capacity }: KeyCacheParts): KeyCache => {
  const { find, invalidate } = createRecentReads<FoundKey>({ read: findByHash, now, capacity });
  return {
    find,
    invalidateKey: (id) => invalidate(({ key }) => key.id === id),
    invalidateTenant: (id) => invalidate(({ tenant }) => tenant.id === id),
  };
};

/** What is recorded of a request. */
interface RecordedRequest {
  readonly userAgent?: string | undefined;
  /** Whether it searches for a user, as identity providers test the connection. */
  readonly isLookup?: boolean;
}

/** Records when API keys were last used and stores it periodically. */
interface LastUsedTracker {
  readonly record: (id: ApiKeyId, request?: RecordedRequest) => void;
  /** Stores what is pending. Never rejects. */
  readonly stop: () => Promise<void>;
}

interface LastUsedParts {
  readonly noteUse: ApiKeyReader['recordUse'];
  readonly now: () => Date;
  readonly log: Log;
}

/**
 * Keeps `last_used_at` accurate to within a minute (decisions.md 3) without a write per request.
 */
const INTERVAL_MS = 30_000;
/** The first use of a key since the start is stored sooner. */
const SOON_MS = 250;
/** Maximum number of keys between two writes; the times of others are lost. */
const MAX_PENDING = 50_000;
/** Characters of a `User-Agent` that are stored. */
const MAX_AGENT = 256;

export const startLastUsedTracker = ({ noteUse, now, log }: LastUsedParts): LastUsedTracker => {
  let pending = new Map<ApiKeyId, ApiKeyUse>();

  const store = async (): Promise<void> => {
    if (pending.size === 0) return;
    const written = pending;
    pending = new Map();
    await noteUse(written).catch((error: unknown) => {
      log.warn({ err: error }, 'could not store when API keys were last used');
    });
  };

  let stored = Promise.resolve();
  /** One after another: `stop` waits for a write that has begun. */
  const flush = (): Promise<void> => (stored = stored.then(store));

  /** Keys whose first use here was stored, and whose first search for a user was. */
  const known = createBoundedCache<ApiKeyId, true>(MAX_PENDING);
  const lookedUp = createBoundedCache<ApiKeyId, true>(MAX_PENDING);
  let soon: NodeJS.Timeout | undefined;
  /** The person who connects an identity provider waits for its first request. */
  const flushSoon = (): void => {
    soon ??= setTimeout(() => {
      soon = undefined;
      void flush();
    }, SOON_MS);
    soon.unref();
  };

  const timer = setInterval(() => void flush(), INTERVAL_MS);
  timer.unref();

  return {
    record: (id, { userAgent, isLookup = false } = {}) => {
      const before = pending.get(id);
      if (pending.size >= MAX_PENDING && !before) return;
      const at = now();
      const shown = userAgent?.slice(0, MAX_AGENT);
      const isNews = isLookup ? !lookedUp.has(id) : !known.has(id);
      const lookedUpAt = isLookup && !lookedUp.has(id) ? at : before?.lookedUpAt;
      pending.set(id, {
        at,
        ...(shown && { userAgent: shown }),
        ...(lookedUpAt && { lookedUpAt }),
      });
      known.set(id, true);
      if (isLookup) lookedUp.set(id, true);
      if (isNews) flushSoon();
    },
    stop: async () => {
      clearInterval(timer);
      clearTimeout(soon);
      await flush();
    },
  };
};

interface TenantKeyParts {
  readonly keys: Pick<KeyCache, 'find'>;
  readonly tokens: Pick<AccessTokens, 'read'>;
  readonly refuseKey: RefuseKey;
  /** The key under which the client's address is counted. */
  readonly addressKey: (request: Request) => string;
  /** Called for every use of a valid key; must not throw. */
  readonly recordUse: (id: ApiKeyId, request: RecordedRequest) => void;
}

export const callerWith = ({ key, tenant }: FoundKey): TenantCaller => ({
  tenant,
  key,
  actor: { kind: 'api-key', id: key.id, scopes: key.scopes, name: key.description },
});

/** How identity providers test a connection: SCIM `GET /Users?filter=…`. */
const isUserLookup = ({ method, path, originalUrl }: Request): boolean =>
  method === 'GET' && path === '/Users' && originalUrl.includes('filter=');

/** A key, or an access token made of it. */
interface Presented extends FoundKey {
  readonly isToken: boolean;
}

/** Why an existing key does not authenticate a request for this tenant; undefined: it does. */
export const reasonAgainstKey = (
  { key, tenant, isToken }: Presented,
  slug: unknown,
): FailureReason | undefined => {
  if (tenant.slug !== slug) return 'other_tenant';
  if (isToken && !tenant.scim.accessTokens) return 'tokens_off';
  return hasExpired(key, Date.now()) ? 'expired_key' : undefined;
};

/** Why a request is not authenticated; undefined: it is. */
const reasonAgainst = (
  request: Request,
  token: string | undefined,
  found: Presented | undefined,
): FailureReason | undefined => {
  if (found) return reasonAgainstKey(found, request.params['tenantSlug']);
  if (!hasBearerToken(request)) return 'no_key';
  if (token !== undefined && isApiKey(token)) return 'unknown_key';
  return token !== undefined && isAccessToken(token) ? 'ended_token' : 'malformed_key';
};

interface FailureRecorderParts {
  readonly refuseCredentials: RefuseCredentials;
  /** Called for every failed authentication that is not over the limit of its address. */
  readonly recordFailure: ConnectionTracker['authenticationFailed'];
  readonly addressOf: ClientAddress;
}

/** Refuses a request with this key, if any, and records why. */
export type RefuseKey = (
  request: Request,
  refused: { readonly key?: string | undefined; readonly reason: FailureReason },
) => RefusalError;

export const createRefuseKey =
  ({ refuseCredentials, recordFailure, addressOf }: FailureRecorderParts): RefuseKey =>
  (request, { key = '', reason }) => {
    const error = refuseCredentials(
      request,
      reason === 'no_key' ? API_KEY_REQUIRED : API_KEY_INVALID,
    );
    if (error.refusal.code !== 'RATE_LIMITED')
      recordFailure({
        slug: String(request.params['tenantSlug']),
        address: addressKeyOf(addressOf(request)),
        keyPrefix: keyPrefixIn(key),
        reason,
        ...(reason === 'unknown_key' && { keyHash: hashSecret(key) }),
      });
    return error;
  };

/**
 * Authenticates by API key; for a mount with `:tenantSlug` in its path. An unknown key, another
 * tenant's key and an unknown tenant all get the same 401 (decisions.md 1).
 * The key is looked up by its SHA-256, so the duration does not depend on how similar a guess is.
 */
export const authenticateTenantKey = ({
  keys,
  tokens,
  refuseKey,
  addressKey,
  recordUse,
}: TenantKeyParts): RequestHandler => {
  const find = async (
    request: Request,
    token: string | undefined,
  ): Promise<Presented | undefined> => {
    if (token === undefined) return undefined;
    const granted = tokens.read(token);
    if (!granted && !isApiKey(token)) return undefined;
    const found = await keys.find(granted?.hash ?? hashSecret(token), addressKey(request));
    if (!found) return undefined;
    const { key, tenant } = found;
    return granted
      ? { tenant, key: { ...key, scopes: granted.scopesOf(key) }, isToken: true }
      : { tenant, key, isToken: false };
  };

  return async (request, _response, next) => {
    const token = bearerTokenOf(request);
    const found = await find(request, token);
    const reason = reasonAgainst(request, token, found);
    if (!found || reason !== undefined)
      throw refuseKey(request, { key: token, reason: reason ?? 'unknown_key' });
    const context = contextOf(request);
    context.caller = callerWith(found);
    context.confirmCaller = async () => {
      const again = await find(request, token);
      if (reasonAgainst(request, token, again) !== undefined)
        throw new RefusalError(API_KEY_INVALID);
    };
    recordUse(found.key.id, {
      userAgent: request.headers['user-agent'],
      isLookup: isUserLookup(request),
    });
    next();
  };
};
