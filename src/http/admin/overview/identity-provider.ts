import type { ApiKeyWithUse } from '../../../api/tenants.js';

const SCIM_SCOPES: ReadonlySet<string> = new Set(['scim:read', 'scim:write']);

/** Of the keys for identity providers, the one that was used last, or else the newest. */
export const identityProviderIn = (keys: readonly ApiKeyWithUse[]): ApiKeyWithUse | undefined =>
  keys
    .filter(({ key }) => key.scopes.some((scope) => SCIM_SCOPES.has(scope)))
    .sort((one, other) => orderOf(other) - orderOf(one))[0];

/** Any use counts more than a creation. */
const orderOf = ({ key, lastUsedAt }: ApiKeyWithUse): number =>
  lastUsedAt ? lastUsedAt.getTime() + Number.MAX_SAFE_INTEGER / 2 : key.createdAt.getTime();
