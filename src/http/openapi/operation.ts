import type { z } from 'zod';
import type { ResponseShape } from '../../routes/responses.js';
import { requiredRoleOf, type Route, supportsIdempotencyKey } from '../../routes/route.js';
import type { JsonObject } from '../../domain/kernel/json.js';
import { componentRef, headerRefs, type SchemaCatalogue } from './schema-catalogue.js';
import { refusalResponses } from './refusal-responses.js';
import type { PostedEvents } from '../../routes/extensions.js';

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly JsonObject[];
  readonly parameters?: readonly JsonObject[];
  readonly requestBody?: JsonObject;
  readonly responses: Readonly<Record<string, JsonObject>>;
  /** The required scope; absent if any key, or the admin token, is sufficient. */
  readonly 'x-required-scope'?: string;
  /** The least role of operators. */
  readonly 'x-required-role'?: string;
  /**
   * The response to a dry run. Not in `responses`, where it would widen the types of generated
   * clients.
   */
  readonly 'x-dry-run-response'?: JsonObject;
}

/**
 * `Prefer: dry-run` selects this response, which OpenAPI cannot express: a second 200 would turn
 * the type of every write in generated clients into a union.
 */
export const DRY_RUN_RESPONSE = {
  'x-dry-run-response': componentRef('responses', 'DryRunPreview'),
} as const;

export const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** The required credentials as a sentence. */
export const describeAccess = (scope: string): string => {
  if (scope === 'any key') return 'Requires a valid API key; no scope is needed.';
  return `Requires the scope \`${scope}\`.`;
};

const describeOperators = (route: Route): string => {
  if (route.scope === 'public') return 'Requires no credentials.';
  const stepUp = route.stepUp ? ', and in a session a sign-in within the last 15 minutes' : '';
  return `Requires the admin token, or the role \`${requiredRoleOf(route)}\`${stepUp}.`;
};

const describeRouteAccess = (route: Route): string =>
  route.api === 'operators' ? describeOperators(route) : describeAccess(route.scope);

const securityOf = ({ scope }: Route): readonly JsonObject[] => {
  if (scope === 'public') return [];
  return scope === 'operator' ? [{ adminToken: [] }, { session: [] }] : [{ apiKey: [] }];
};

/**
 * The required scope, for programs. OpenAPI 3.1 allows scopes with bearer authentication, but
 * linters and generators only support those of OAuth.
 */
export const requiredScope = (scope: string): Pick<Operation, 'x-required-scope'> =>
  ['operator', 'any key', 'public'].includes(scope) ? {} : { 'x-required-scope': scope };

type Fields = Readonly<Record<string, z.ZodType>>;

const parametersOf = (
  fields: Fields,
  location: 'path' | 'query',
  catalogue: SchemaCatalogue,
): readonly JsonObject[] =>
  Object.entries(fields).map(([name, field]) => {
    const { description, ...schema } = catalogue.add(field, 'output');
    const required = location === 'path' || !field.safeParse(undefined).success;
    // Arrays in a query are comma-separated.
    const list = schema['type'] === 'array' && { style: 'form', explode: false };
    return {
      name,
      in: location,
      required,
      ...(description !== undefined && { description }),
      ...list,
      schema,
    };
  });

const sharedParameters = (route: Route): readonly JsonObject[] => {
  const { api, responses, command } = route;
  return [
    ...(api === 'native' ? [componentRef('parameters', 'tenantSlug')] : []),
    ...(supportsIdempotencyKey(route) ? [componentRef('parameters', 'idempotencyKey')] : []),
    ...(responses[304] ? [componentRef('parameters', 'ifNoneMatch')] : []),
    ...(isVersioned(route) ? [componentRef('parameters', 'ifMatch')] : []),
    ...(isVersioned(route) && !responses[304] ? [componentRef('parameters', 'unlessMatch')] : []),
    ...(command ? ['dryRunFlag', 'prefer'].map((name) => componentRef('parameters', name)) : []),
  ];
};

const allParameters = (route: Route, catalogue: SchemaCatalogue): readonly JsonObject[] => [
  ...sharedParameters(route),
  ...parametersOf(route.params?.shape ?? {}, 'path', catalogue),
  ...parametersOf(route.query?.shape ?? {}, 'query', catalogue),
];

const isVersioned = ({ refusals = [] }: Route): boolean => refusals.includes('PRECONDITION_FAILED');

const contentOf = (
  { body, isStream, mediaTypes }: ResponseShape,
  catalogue: SchemaCatalogue,
): JsonObject => {
  if (mediaTypes) {
    const schema = { type: 'string' };
    return { content: Object.fromEntries(mediaTypes.map((type) => [type, { schema }])) };
  }
  const type = isStream ? 'text/event-stream' : 'application/json';
  return body ? { content: { [type]: { schema: catalogue.add(body, 'output') } } } : {};
};

const responseOf = (
  route: Route,
  [status, shape]: readonly [string, ResponseShape],
  catalogue: SchemaCatalogue,
): JsonObject => ({
  description: shape.description,
  headers: headerRefs(
    'X-Request-Id',
    ...(route.scope === 'public' ? [] : RATE_HEADERS),
    ...(shape.isLocated ? ['Location'] : []),
    ...(supportsIdempotencyKey(route) ? ['Idempotent-Replayed'] : []),
    ...((shape.tagged ?? isVersioned(route)) && shape.body ? ['ETag'] : []),
    ...(status === '201' ? ['Location'] : []),
  ),
  ...contentOf(shape, catalogue),
});

const requestBodyOf = (
  body: z.ZodType,
  { isCsv }: Route,
  catalogue: SchemaCatalogue,
): JsonObject => ({
  required: !body.safeParse(undefined).success,
  content: { [isCsv ? 'text/csv' : 'application/json']: { schema: catalogue.add(body, 'input') } },
});

/** The operation of a route. */
export const operationOf = (route: Route, catalogue: SchemaCatalogue): Operation => {
  const { operationId, tag, summary, description, body } = route;
  const parameters = allParameters(route, catalogue);
  const given = Object.entries(route.responses).map(
    ([status, shape]) => [status, responseOf(route, [status, shape], catalogue)] as const,
  );
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, describeRouteAccess(route)].filter(Boolean).join('\n\n'),
    security: securityOf(route),
    ...requiredScope(route.scope),
    ...(route.scope === 'operator' && { 'x-required-role': requiredRoleOf(route) }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBodyOf(body, route, catalogue) }),
    responses: { ...Object.fromEntries(given), ...refusalResponses(route) },
    ...(route.command && DRY_RUN_RESPONSE),
  };
};

/** The operation id of an event: `onUserCreated` for `user.created`. */
const operationIdOf = (name: string): string =>
  `on${name.replaceAll(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase())}`;

export type PostedOperation = Omit<Operation, 'description'>;

/** The requests that receivers get, by event: the document's `webhooks`. */
export const postedOperations = (
  { tag, security, events }: PostedEvents,
  catalogue: SchemaCatalogue,
): readonly (readonly [string, { readonly post: PostedOperation }])[] =>
  events.map(({ name, summary, body }) => [
    name,
    {
      post: {
        operationId: operationIdOf(name),
        summary,
        tags: [tag.name],
        security: [{ [security.name]: [] }],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: catalogue.add(body, 'output') } },
        },
        responses: {
          '2XX': { description: 'Received. Any other status, including a redirect, is retried.' },
        },
      },
    },
  ]);
