import type { RequestHandler } from 'express';

/** The names under which SCIM is served at the tenant's root as well (decisions.md 1). */
const NAMES = '(?:Users|Groups|Bulk|Me|Schemas|ResourceTypes|ServiceProviderConfig|\\.search)';

const NAME = new RegExp(`^/${NAMES}(?:/|$)`);
const ADDRESS = new RegExp(`^/v1/[^/]+/(?:scim/v2|${NAMES})(?:/|$)`);
/** The slashes that are too many are between the two groups. */
const PASTED = new RegExp(
  `^(/v1/[^/?]+(?:/scim/v2)?)/+(/${NAMES}(?:[/?]|$)|/scim/v2(?:[/?]|$)|/(?:\\?|$))`,
);

/** Whether a path below the tenant's root is SCIM's. */
export const isScimName = (path: string): boolean => NAME.test(path);

/** Whether a path is SCIM's, at either mount. */
export const isScimAddress = (path: string): boolean => ADDRESS.test(path);

/**
 * Takes `…/scim/v2//Users` for `…/scim/v2/Users`: that is what a client asks for whose base address
 * was pasted with a slash at its end (decisions.md 3).
 */
export const foldSlashes: RequestHandler = (request, _response, next) => {
  if (request.url.includes('//')) request.url = request.url.replace(PASTED, '$1$2');
  next();
};
