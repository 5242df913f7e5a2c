import type { Request, Response } from 'express';
import SCIMMYRouters from 'scimmy-routers';
import { GROUP_OPERATIONS } from '../../scim/group-operations.js';
import { declareResource, LibraryResource, librarySchema } from '../../scim/scimmy.js';
import type { ResourceOperations, ScimOperation } from '../../scim/scim-operation.js';
import { USER_OPERATIONS } from '../../scim/user-operations.js';

/**
 * The adapter to scimmy-routers, which decides which operation a method and path mean. It gets
 * neither the client's request nor the response: it would parse bodies and filters in its own way,
 * keep addresses in statics of the process, and turn most errors into 404 or 500 (scimmy facts, S1 to
 * S10). Instead, each resource method below returns the operation, and the edge runs it.
 */
const resourceClass = (name: 'User' | 'Group', operations: ResourceOperations) =>
  class extends LibraryResource {
    static readonly endpoint = `/${name}s`;
    static readonly schema = librarySchema(name);
    /** The router sets it for the whole process (S5); URLs are built from the request instead. */
    static readonly basepath = (): undefined => undefined;
    readonly #hasId: boolean;

    /** The router passes the id in the path, else the query. */
    constructor(id?: unknown) {
      super();
      this.#hasId = typeof id === 'string';
    }

    read(): ScimOperation {
      return this.#hasId ? operations.read : operations.list;
    }

    write(): ScimOperation {
      return this.#hasId ? operations.replace : operations.create;
    }

    patch(): ScimOperation {
      return operations.patch;
    }

    dispose(): ScimOperation {
      return operations.delete;
    }
  };

const RESOURCES = {
  User: resourceClass('User', USER_OPERATIONS),
  Group: resourceClass('Group', GROUP_OPERATIONS),
};

/** Returns the operation of a method and an endpoint of users or groups: PUT `/Users/{id}`. */
export type Dispatch = (method: string, endpoint: string) => Promise<ScimOperation>;

export const createDispatch = (): Dispatch => {
  for (const [name, resource] of Object.entries(RESOURCES)) declareResource(resource, name);
  const router = new SCIMMYRouters({ type: 'bearer', handler: () => '' });
  const found = new Map<string, Promise<ScimOperation>>();

  const find: Dispatch = (method, url) =>
    new Promise((resolve, reject) => {
      const finish = (operation: unknown): void => {
        if (typeof operation === 'function') resolve(operation as ScimOperation);
        else reject(new Error(`scimmy-routers found no operation for ${method} ${url}.`));
      };
      // All that the router uses of a request and a response. `complete`: it has no body to parse.
      const request = { method, url, baseUrl: '', query: {}, complete: true };
      const response = { setHeader: () => response, status: () => response, send: finish };
      router(request as unknown as Request, response as unknown as Response, finish);
    });

  return (method, endpoint) => {
    const key = `${method} ${endpoint}`;
    const operation = found.get(key) ?? find(method, endpoint);
    found.set(key, operation);
    return operation;
  };
};
