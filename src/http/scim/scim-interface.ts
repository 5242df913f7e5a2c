import express, { type Request, type RequestHandler } from 'express';
import { isJsonObject } from '../../domain/json.js';
import { raise } from '../../domain/refusals.js';
import {
  resourceTypeList,
  resourceTypeOf,
  schemaList,
  schemaOf,
  type ScimFeatures,
  serviceProviderConfig,
} from '../../scim/discovery.js';
import { runBulk } from '../../scim/bulk/run-bulk.js';
import { readListQuery } from '../../scim/list-query.js';
import { readSearchRequest } from '../../scim/search-request.js';
import { GROUP } from '../../scim/group-schema.js';
import { searchAll } from '../../scim/search-all.js';
import { searchGroups } from '../../scim/search-groups.js';
import { searchUsers } from '../../scim/search-users.js';
import { type JsonPart, StreamedJson } from '../../scim/streamed-json.js';
import { USER } from '../../scim/user-schema.js';
import { answerScimRefusal, sendScim, speakScim } from './answer-scim.js';
import type { EndpointName } from './endpoints.js';
import { dispatchResources } from './dispatch-resources.js';
import { openedOf, openRequest, type ScimParts } from './open-request.js';

/** Answers an endpoint of our own with 200 and this body. */
type Answer = (request: Request) => JsonPart | Promise<JsonPart>;

const notHere = (): never => raise('NOT_FOUND', 'No schema or resource type has this name.');

const notImplemented = (message: string): Answer => {
  return () => raise('NOT_IMPLEMENTED', message);
};

/** The last step of a path in plain text; empty where its percent-encoding is broken. */
const lastStep = ({ path }: Request): string => {
  try {
    return decodeURIComponent(path.replace(/\/$/, '').split('/').at(-1) ?? '');
  } catch {
    return '';
  }
};

const baseOf = (request: Request): string => openedOf(request).scim.base;

/**
 * Discovery cannot be filtered (RFC 7644, 4): who asks for it must not believe that the answer was.
 */
const discovery =
  (answer: Answer): Answer =>
  (request) =>
    openedOf(request).scim.parameters.has('filter')
      ? raise('INVALID_FILTER', 'Schemas, resource types and the configuration cannot be filtered.')
      : answer(request);

/** Searches over all types: by GET, or by POST to keep long or personal data out of the URL (RFC 7644, 3.4.3). */
const searches: Partial<Record<EndpointName, Answer>> = {
  searchUsers: (request) =>
    searchUsers(openedOf(request).scim, readListQuery(USER, readSearchRequest(request.body))),
  searchGroups: (request) =>
    searchGroups(openedOf(request).scim, readListQuery(GROUP, readSearchRequest(request.body))),
  root: (request) => {
    const { scim } = openedOf(request);
    return searchAll(scim, scim.parameters);
  },
  searchAll: (request) => searchAll(openedOf(request).scim, readSearchRequest(request.body)),
};

/** What the library's router does not answer: it would do so wrongly, or not at all. */
const ownAnswers = (features: ScimFeatures): Partial<Record<EndpointName, Answer>> => ({
  ...searches,
  serviceProviderConfig: discovery((request) => serviceProviderConfig(baseOf(request), features)),
  schemas: discovery((request) => schemaList(baseOf(request))),
  schema: discovery((request) => schemaOf(baseOf(request), lastStep(request)) ?? notHere()),
  resourceTypes: discovery((request) => resourceTypeList(baseOf(request))),
  resourceType: discovery(
    (request) => resourceTypeOf(baseOf(request), lastStep(request)) ?? notHere(),
  ),
  me: notImplemented('/Me is not supported: an API key does not belong to a user. Use /Users.'),
  bulk: (request) => runBulk(openedOf(request).scim, request.body, features.bulk.maxOperations),
});

/** A schema, a resource type and the configuration say where they are; lists do not. */
const locationOf = (body: JsonPart): string | undefined => {
  const meta = body instanceof StreamedJson ? undefined : body['meta'];
  const location = isJsonObject(meta) ? meta['location'] : undefined;
  return typeof location === 'string' ? location : undefined;
};

const answerOwn = (features: ScimFeatures): RequestHandler => {
  const answers = ownAnswers(features);
  return async (request, response, next) => {
    const answer = answers[openedOf(request).endpoint.name];
    if (!answer) {
      next();
      return;
    }
    const body = await answer(request);
    const location = locationOf(body);
    if (location !== undefined) response.setHeader('Location', location);
    sendScim(response, 200, body);
  };
};

/**
 * The SCIM 2.0 interface of a tenant (RFC 7643, 7644), for a mount with `:tenantSlug` in its path;
 * it may be mounted more than once. `admission` is what every request of a tenant passes first.
 * It answers its own refusals, all in the form of SCIM.
 */
export const scimInterface =
  (parts: ScimParts & { readonly features: ScimFeatures }) =>
  (admission: readonly RequestHandler[]): RequestHandler => {
    const router = express.Router({ mergeParams: true });
    router.use(...admission);
    router.use(openRequest(parts));
    router.use(speakScim);
    router.use(answerOwn(parts.features));
    for (const { endpoint, dispatch } of dispatchResources((request) => openedOf(request).scim)) {
      router.use(endpoint, dispatch);
    }
    router.use(answerScimRefusal);
    return router;
  };
