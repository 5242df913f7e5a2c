import type { z } from 'zod';
import { DryRunView } from '../../api/present-preview.js';
import { type AnswerShape, type Route, takesIdempotencyKey } from '../../api/route.js';
import type { JsonObject } from '../../domain/json.js';
import { componentRef, headerRefs } from './component-ref.js';
import { refusalResponses } from './refusal-responses.js';
import type { SchemaCatalogue } from './schema-catalogue.js';

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly JsonObject[];
  readonly parameters?: readonly JsonObject[];
  readonly requestBody?: JsonObject;
  readonly responses: Readonly<Record<string, JsonObject>>;
}

const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

const needOf = ({ scope }: Route): string => {
  if (scope === 'operator') return 'Needs the admin token.';
  if (scope === 'any key') return 'Needs any valid key, whatever its scopes.';
  return `Needs a key with the scope \`${scope}\`.`;
};

// In OpenAPI 3.1 the list of a bearer scheme names what its holder must be allowed to do.
const securityOf = ({ scope }: Route): readonly JsonObject[] => {
  if (scope === 'operator') return [{ adminToken: [] }];
  return [{ apiKey: scope === 'any key' ? [] : [scope] }];
};

type Fields = Readonly<Record<string, z.ZodType>>;

const parametersOf = (
  fields: Fields,
  place: 'path' | 'query',
  catalogue: SchemaCatalogue,
): readonly JsonObject[] =>
  Object.entries(fields).map(([name, field]) => {
    const { description, ...schema } = catalogue.add(field, 'output');
    const required = place === 'path' || !field.safeParse(undefined).success;
    return { name, in: place, required, ...(description !== undefined && { description }), schema };
  });

const sharedParameters = (route: Route): readonly JsonObject[] => {
  const { api, answers, command } = route;
  return [
    ...(api === 'native' ? [componentRef('parameters', 'tenantSlug')] : []),
    ...(takesIdempotencyKey(route) ? [componentRef('parameters', 'idempotencyKey')] : []),
    ...(answers[304] ? [componentRef('parameters', 'ifNoneMatch')] : []),
    ...(isVersioned(route) ? [componentRef('parameters', 'ifMatch')] : []),
    ...(isVersioned(route) && !answers[304] ? [componentRef('parameters', 'unlessMatch')] : []),
    ...(command ? ['dryRun', 'prefer'].map((name) => componentRef('parameters', name)) : []),
  ];
};

const allParameters = (route: Route, catalogue: SchemaCatalogue): readonly JsonObject[] => [
  ...sharedParameters(route),
  ...parametersOf(route.params?.shape ?? {}, 'path', catalogue),
  ...parametersOf(route.query?.shape ?? {}, 'query', catalogue),
];

const isVersioned = ({ refusals = [] }: Route): boolean => refusals.includes('PRECONDITION_FAILED');

interface Told extends AnswerShape {
  /** Whether a dry run is answered so, too. */
  readonly isDryRun: boolean;
}

/** What is answered, by status; a dry run with 200, beside what else is. */
const toldBy = ({ answers, command }: Route): Readonly<Record<string, Told>> => {
  const told = Object.entries(answers).map(
    ([status, shape]) => [status, { ...shape, isDryRun: false }] as const,
  );
  if (!command) return Object.fromEntries(told);
  const dryRun = 'Or, of a dry run, what it would come to.';
  const { description = 'Of a dry run: what it would come to.', ...shape } = answers[200] ?? {};
  const merged = answers[200] ? `${description} ${dryRun}` : description;
  return {
    200: { ...shape, description: merged, isDryRun: true },
    ...Object.fromEntries(told.filter(([status]) => status !== '200')),
  };
};

const contentOf = ({ body, isDryRun }: Told, catalogue: SchemaCatalogue): JsonObject => {
  const schemas = [body, isDryRun ? DryRunView : undefined]
    .filter((schema) => schema !== undefined)
    .map((schema) => catalogue.add(schema, 'output'));
  const [only] = schemas;
  if (only === undefined) return {};
  const schema = schemas.length === 1 ? only : { anyOf: schemas };
  return { content: { 'application/json': { schema } } };
};

const answerOf = (route: Route, told: Told, catalogue: SchemaCatalogue): JsonObject => ({
  description: told.description,
  headers: headerRefs(
    'X-Request-Id',
    ...(route.api === 'native' ? RATE_HEADERS : []),
    ...((told.tagged ?? isVersioned(route)) && told.body ? ['ETag'] : []),
    ...(told.isDryRun ? ['Preference-Applied'] : []),
  ),
  ...contentOf(told, catalogue),
});

const requestBodyOf = (body: z.ZodType, catalogue: SchemaCatalogue): JsonObject => ({
  required: true,
  content: { 'application/json': { schema: catalogue.add(body, 'input') } },
});

/** One operation of the document, made of its route alone. */
export const operationOf = (route: Route, catalogue: SchemaCatalogue): Operation => {
  const { operationId, tag, summary, description, body } = route;
  const parameters = allParameters(route, catalogue);
  const given = Object.entries(toldBy(route)).map(
    ([status, shape]) => [status, answerOf(route, shape, catalogue)] as const,
  );
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, needOf(route)].filter(Boolean).join('\n\n'),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBodyOf(body, catalogue) }),
    responses: { ...Object.fromEntries(given), ...refusalResponses(route) },
  };
};
