import type { Request } from 'express';
import type { IfMatch } from '../domain/kernel/refusals.js';
import { readPrecondition } from './conditional.js';
import { contextOf } from './request-context.js';
import { type Query as GivenQuery, readQuery } from './routing/read-query.js';

/** How an operation of any interface reads its request. Each function throws RefusalError. */
export interface RequestReader<Params, Query, Body> {
  /** What the caller must be allowed to do. */
  readonly checkAccess: (request: Request) => void;
  readonly readParams: (request: Request) => Params;
  readonly readQuery: (
    given: GivenQuery,
    request: Request,
  ) => { readonly query: Query; readonly isDryRun: boolean };
  readonly readBody: (request: Request) => Body | Promise<Body>;
}

/** A request that its caller may make, and that is valid. */
export interface ReadRequest<Params, Query, Body> {
  readonly requestId: string;
  /** Of the path. */
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly isDryRun: boolean;
  /** From If-Match or If-None-Match; absent: no precondition. */
  readonly ifMatch?: IfMatch;
}

/**
 * Reads a request. The order is part of the contract: access, path, query, body. So a client without
 * the scope learns nothing about what else is wrong, and no library gets input that was not checked
 * (scimmy facts, 1).
 */
export const readRequest = async <Params, Query, Body>(
  request: Request,
  reader: RequestReader<Params, Query, Body>,
): Promise<ReadRequest<Params, Query, Body>> => {
  reader.checkAccess(request);
  const params = reader.readParams(request);
  const { query, isDryRun } = reader.readQuery(readQuery(request.url), request);
  const body = await reader.readBody(request);
  const ifMatch = readPrecondition(request.headers);
  const { requestId } = contextOf(request);
  return { requestId, params, query, body, isDryRun, ...(ifMatch !== undefined && { ifMatch }) };
};
