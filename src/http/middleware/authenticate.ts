import type { Request, RequestHandler } from 'express';
import type { TenantCaller } from '../../api/caller.js';
import type { ApiKeyId } from '../../domain/kernel/ids.js';
import { RefusalError } from '../../domain/kernel/refusals.js';
import { isApiKey } from '../keys/api-key-format.js';
import { hashSecret } from '../keys/secret-hash.js';
import type { RecordedRequest } from '../keys/last-used.js';
import { bearerTokenOf, hasBearerToken } from '../keys/bearer-token.js';
import type { FoundKey, KeyCache } from '../keys/key-cache.js';
import { contextOf } from '../request-context.js';
import { API_KEY_INVALID, API_KEY_REQUIRED, type RefuseCredentials } from './refuse-credentials.js';

interface TenantKeyParts {
  readonly keys: Pick<KeyCache, 'find'>;
  readonly refuseCredentials: RefuseCredentials;
  /** Called for every use of a valid key; must not throw. */
  readonly recordUse: (id: ApiKeyId, request: RecordedRequest) => void;
}

const callerWith = ({ key, tenant }: FoundKey): TenantCaller => ({
  tenant,
  key,
  actor: { kind: 'api-key', id: key.id, scopes: key.scopes, name: key.description },
});

/** How identity providers test a connection: SCIM `GET /Users?filter=…`. */
const isUserLookup = ({ method, path, originalUrl }: Request): boolean =>
  method === 'GET' && path === '/Users' && originalUrl.includes('filter=');

/** Whether the key belongs to the tenant in the path. */
const belongsTo = ({ tenant }: FoundKey, request: Request): boolean =>
  tenant.slug === request.params['tenantSlug'];

/**
 * Authenticates by API key; for a mount with `:tenantSlug` in its path. An unknown key, another
 * tenant's key and an unknown tenant all get the same 401 (decisions.md 1).
 * The key is looked up by its SHA-256, so the duration does not depend on how similar a guess is.
 */
export const authenticateTenantKey = ({
  keys,
  refuseCredentials,
  recordUse,
}: TenantKeyParts): RequestHandler => {
  const find = async (token: string | undefined): Promise<FoundKey | undefined> =>
    token !== undefined && isApiKey(token) ? keys.find(hashSecret(token)) : undefined;

  return async (request, _response, next) => {
    const token = bearerTokenOf(request);
    const found = await find(token);
    if (!found || !belongsTo(found, request))
      throw refuseCredentials(
        request,
        hasBearerToken(request) ? API_KEY_INVALID : API_KEY_REQUIRED,
      );
    const context = contextOf(request);
    context.caller = callerWith(found);
    context.confirmCaller = async () => {
      if (!(await find(token))) throw new RefusalError(API_KEY_INVALID);
    };
    recordUse(found.key.id, {
      userAgent: request.headers['user-agent'],
      isLookup: isUserLookup(request),
    });
    next();
  };
};
