import type { RequestHandler } from 'express';

/** The SCIM endpoints, which are also served at the tenant's root (decisions.md 1). */
const NAMES = '(?:Users|Groups|Bulk|Me|Schemas|ResourceTypes|ServiceProviderConfig|\\.search)';

const BELOW_TENANT = new RegExp(`^/${NAMES}(?:/|$)`);
const FULL_PATH = new RegExp(`^/v1/[^/]+/(?:scim/v2|${NAMES})(?:/|$)`);
/** The surplus slashes are between the two groups. */
const SURPLUS_SLASHES = new RegExp(
  `^(/v1/[^/?]+(?:/scim/v2)?)/+(/${NAMES}(?:[/?]|$)|/scim/v2(?:[/?]|$)|/(?:\\?|$))`,
);

/** Whether a path below `/v1/{tenantSlug}` belongs to SCIM. Case-sensitive: `/users` is native. */
export const isTenantScimPath = (path: string): boolean => BELOW_TENANT.test(path);

/** Whether a full path belongs to SCIM, at either mount. */
export const isScimPath = (path: string): boolean => FULL_PATH.test(path);

/**
 * Serves `…/scim/v2//Users` as `…/scim/v2/Users`: clients send it if their base URL was configured
 * with a trailing slash (decisions.md 3).
 */
export const collapseSlashes: RequestHandler = (request, _response, next) => {
  if (request.url.includes('//')) request.url = request.url.replace(SURPLUS_SLASHES, '$1$2');
  next();
};
