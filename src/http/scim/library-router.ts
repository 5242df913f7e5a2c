import type { Request, Router } from 'express';
import SCIMMYRouters from 'scimmy-routers';
import type { ScimRequest } from '../../scim/scim-request.js';
import { declareUsers } from '../../scim/user-resource.js';

/** What of an express router is touched here: its steps, in order. */
interface Stack {
  readonly stack: { readonly handle: { readonly length: number } }[];
}

/** Parts of the library that our own routes replace: they parse client text (scimmy facts, 2). */
const REPLACED: ReadonlySet<string> = new Set([
  'Schemas',
  'ResourceTypes',
  'ServiceProviderConfig',
  'Search',
  'Bulk',
  'Me',
]);

const partName = ({ handle }: Stack['stack'][number]): string =>
  (Object.getPrototypeOf(handle) as { readonly constructor: { readonly name: string } }).constructor
    .name;

const requireKnown = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(`scimmy-routers has changed: ${what}. Read it before you go on.`);
};

/**
 * Takes away what must not run: its body parser (ours is stricter and comes first), its discovery,
 * search, bulk and Me, and its error step, which is last. What is left is the dispatch of verbs and
 * paths to our resources. Throws where the library is not built as expected.
 */
const reduceToDispatch = ({ stack }: Stack): void => {
  requireKnown(stack.at(-1)?.handle.length === 4, 'its last step handles no errors');
  requireKnown(
    (stack[0]?.handle as { name?: string } | undefined)?.name === 'jsonParser',
    'its first step parses no JSON',
  );
  requireKnown(
    stack.filter((step) => REPLACED.has(partName(step))).length === REPLACED.size,
    'it has other parts',
  );
  const left = stack.slice(1, -1).filter((step) => !REPLACED.has(partName(step)));
  stack.splice(0, stack.length, ...left);
};

/**
 * The library's router, for the verbs of `/Users`. One is enough for all tenants: what differs is
 * in the request that `requestOf` gives it. `handler` never throws, for that would be a 401
 * whatever the cause; authentication has been done before.
 */
export const makeLibraryRouter = (requestOf: (request: Request) => ScimRequest): Router => {
  declareUsers();
  const router = new SCIMMYRouters({
    type: 'bearer',
    handler: () => '',
    context: requestOf,
    baseUri: () => '',
  });
  reduceToDispatch(router);
  return router;
};
