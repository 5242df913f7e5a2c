import type { Request, RequestHandler } from 'express';
import type { TenantCaller } from '../../api/caller.js';
import type { ApiKeyId } from '../../domain/ids.js';
import { RefusalError } from '../../domain/refusals.js';
import { hashApiKey, isApiKey } from '../keys/api-key-format.js';
import { bearerTokenOf } from '../keys/bearer-token.js';
import type { FoundKey, KeyCache } from '../keys/key-cache.js';
import { contextOf } from '../request-context.js';
import { type RefuseCredentials, UNAUTHENTICATED } from './refuse-credentials.js';

interface TenantKeyParts {
  readonly keys: Pick<KeyCache, 'find'>;
  readonly refuseCredentials: RefuseCredentials;
  /** Told of every use of a valid key; must not throw. */
  readonly noteUse: (id: ApiKeyId) => void;
}

const callerWith = ({ key, tenant }: FoundKey): TenantCaller => ({
  tenant,
  key,
  actor: { kind: 'api-key', id: key.id, scopes: key.scopes, name: key.description },
});

/** Whether the key is one of the tenant whose slug stands in the path. */
const belongsTo = ({ tenant }: FoundKey, request: Request): boolean =>
  tenant.slug === request.params['tenantSlug'];

/**
 * Finds out whose key the request carries, for a mount with `:tenantSlug` in its path, and leaves
 * the caller in the context. No header, no such key, another tenant's key, no such tenant: one and
 * the same 401 (decisions.md 1). The key itself is never compared: it is looked up by its SHA-256,
 * so the time of a look-up tells nothing of how close a guess was.
 */
export const authenticateTenantKey = ({
  keys,
  refuseCredentials,
  noteUse,
}: TenantKeyParts): RequestHandler => {
  const find = async (token: string | undefined): Promise<FoundKey | undefined> =>
    token !== undefined && isApiKey(token) ? keys.find(hashApiKey(token)) : undefined;

  return async (request, _response, next) => {
    const token = bearerTokenOf(request);
    const found = await find(token);
    if (!found || !belongsTo(found, request)) throw refuseCredentials(request, UNAUTHENTICATED);
    const context = contextOf(request);
    context.caller = callerWith(found);
    context.confirmCaller = async () => {
      if (!(await find(token))) throw new RefusalError(UNAUTHENTICATED);
    };
    noteUse(found.key.id);
    next();
  };
};
