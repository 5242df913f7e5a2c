import type { Request } from 'express';
import type { Chunked } from '../../domain/kernel/chunked.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import { raise } from '../../domain/kernel/refusals.js';
import { refusePath, refuseSyntax } from '../../scim/refuse-input.js';
import { checkBody } from '../../scim/check-input.js';
import { SCIM_RULES } from '../json/parse-json.js';
import { BODY_LIMIT, LONG_BODY_LIMIT, readJsonBody } from '../middleware/read-json.js';
import { readQuery, refuseParameter } from '../routing/read-query.js';
import type { Endpoint } from './endpoints.js';

export type QueryParameters = ReadonlyMap<string, string>;

/** The query by lower-case name: Entra sends `startindex` (facts on identity providers, 11). */
export const readParameters = ({ url }: Pick<Request, 'url'>): QueryParameters => {
  const parameters = new Map<string, string>();
  for (const [given, value] of Object.entries(readQuery(url))) {
    const name = given.toLowerCase();
    if (parameters.has(name)) refuseParameter(name, 'appears more than once');
    parameters.set(name, value);
  }
  return parameters;
};

/** Refuses paths and names that a SCIM library would evaluate (scimmy facts, S1). */
export const screened = function* (body: JsonValue): Chunked<JsonValue> {
  const problem = yield* checkBody(body);
  if (problem?.where === 'path') refusePath(`A path in the body is not valid: ${problem.reason}.`);
  if (problem?.where === 'key') refuseSyntax(`A name in the body is not valid: ${problem.reason}.`);
  return body;
};

/** The JSON body; undefined if the method or the endpoint has none. */
export const readBody = async (
  request: Request,
  { takesBody, isLong }: Endpoint,
): Promise<JsonValue | undefined> => {
  if (!takesBody || !['POST', 'PUT', 'PATCH'].includes(request.method)) return undefined;
  return readJsonBody(request, {
    limit: isLong ? LONG_BODY_LIMIT : BODY_LIMIT,
    rules: SCIM_RULES,
    required: true,
    isScim: true,
    check: screened,
  });
};

/** The id or name at the end of the path, if the endpoint has one. */
export const readResourceId = (
  { path }: Pick<Request, 'path'>,
  { route }: Endpoint,
): { readonly resourceId?: string } => {
  if (!route.endsWith('}')) return {};
  try {
    return { resourceId: decodeURIComponent(path.replace(/\/$/, '').split('/').at(-1) ?? '') };
  } catch {
    // For discovery this is an unknown name (404); elsewhere the URL is invalid, as in the native
    // API.
    if (!route.endsWith('{id}')) return { resourceId: '' };
    return raise('INVALID_REQUEST', 'The URL is not well-formed: check its percent-encoding.');
  }
};
