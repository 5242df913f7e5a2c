import type { NextFunction, Request, Response } from 'express';
import SCIMMYRouters from 'scimmy-routers';
import { GROUP_OPERATIONS } from '../../scim/group-operations.js';
import type { ResourceOperations, ScimOperation } from '../../scim/scim-request.js';
import { declareResource, LibraryResource, librarySchema } from '../../scim/scimmy.js';
import { USER_OPERATIONS } from '../../scim/user-operations.js';
import type { HttpResponse } from '../send-response.js';

/** Runs an operation on a request that passed all checks. */
export type RunScimOperation = (operation: ScimOperation) => Promise<HttpResponse>;

/** The resource type as the router sees it: its methods run the operation on the request. */
const resourceClass = (name: 'User' | 'Group', operations: ResourceOperations) =>
  class extends LibraryResource {
    static readonly endpoint = `/${name}s`;
    static readonly schema = librarySchema(name);
    readonly #hasId: boolean;

    /** The router passes the id in the path, else the query. */
    constructor(id?: unknown) {
      super();
      this.#hasId = typeof id === 'string';
    }

    read(run: RunScimOperation): Promise<HttpResponse> {
      return run(this.#hasId ? operations.read : operations.list);
    }

    write(_body: unknown, run: RunScimOperation): Promise<HttpResponse> {
      return run(this.#hasId ? operations.replace : operations.create);
    }

    patch(_body: unknown, run: RunScimOperation): Promise<HttpResponse> {
      return run(operations.patch);
    }

    dispose(run: RunScimOperation): Promise<HttpResponse> {
      return run(operations.delete);
    }
  };

const RESOURCES = {
  User: resourceClass('User', USER_OPERATIONS),
  Group: resourceClass('Group', GROUP_OPERATIONS),
};

/** What express keeps of a layer; `slash` if it applies to every path. */
interface Layer {
  readonly slash: boolean;
}

/**
 * Keeps the routers of users and groups. The other layers repeat what ran before, with flaws (bodies,
 * queries, errors), and cost 65 µs per request (decision 0049).
 */
const keepResourceRouters = ({ stack }: SCIMMYRouters): void => {
  const kept = stack.filter((layer) => !(layer as unknown as Layer).slash);
  if (kept.length !== Object.keys(RESOURCES).length)
    throw new Error('scimmy-routers does not have one layer for each resource type.');
  stack.splice(0, stack.length, ...kept);
};

/**
 * Routes a request for users or groups, which passed all checks, through scimmy-routers to its
 * resource class. `send` sends the response in place of express, which cannot stream it.
 */
export type RouteResource = (
  request: Request,
  response: Response,
  next: NextFunction,
  exchange: { readonly run: RunScimOperation; readonly send: (result: HttpResponse) => void },
) => void;

export const mountScimmy = (): RouteResource => {
  for (const [name, resource] of Object.entries(RESOURCES)) declareResource(resource, name);
  const runs = new WeakMap<Request, RunScimOperation>();
  const router = new SCIMMYRouters({
    type: 'bearer',
    handler: () => '',
    context: (request) => runs.get(request),
  });
  keepResourceRouters(router);
  return (request, response, next, { run, send }) => {
    runs.set(request, run);
    response.send = (result: HttpResponse) => {
      send(result);
      return response;
    };
    router(request, response, next);
  };
};
