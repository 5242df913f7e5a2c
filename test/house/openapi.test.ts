import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeApi, writeApi } from '../../tools/openapi/write-openapi.js';
import { describeExtensions } from '../../tools/shared/describe-extensions.js';
import { NO_EXTENSIONS } from '../../src/routes/extensions.js';
import { nativeRoute } from '../../src/routes/route.js';
import { createOpenApi, type OpenApiDocument } from '../../src/http/openapi/document.js';
import { EVENT_NAMES } from '../../src/domain/events.js';
import type { Operation } from '../../src/http/openapi/operation.js';
import { ENDPOINTS } from '../../src/http/scim/endpoints.js';
import { USER_SCHEMA_DESCRIPTION } from '../../src/scim/schemas.js';
import { routesWith } from '../support/route-requests.js';

interface Entry {
  readonly title: string;
  readonly path: string;
  readonly operation: Operation;
}

let document: OpenApiDocument;
/** OAuth's own: unknown parameters are ignored, another body is `invalid_request` (RFC 6749, 3.2, 5.2). */
const isForm = ({ operationId }: Operation): boolean => operationId === 'createAccessToken';

/** Which they are is listed in `http/dry-run.test.ts`. */
const WITHOUT_COMMAND: ReadonlySet<string> = new Set([
  'createAccessToken',
  ...routesWith(await describeExtensions())
    .filter(({ command }) => !command)
    .map(({ operationId }) => operationId),
]);

let entries: readonly Entry[];

beforeAll(async () => {
  document = await describeApi();
  entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      title: `${method} ${path}`,
      path,
      operation,
    })),
  );
});

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const resolve = (ref: string): unknown =>
  ref
    .split('/')
    .slice(1)
    .reduce<unknown>((part, step) => (isObject(part) ? part[step] : undefined), document);

/** Calls `visit` with every object in a value. */
const walk = (value: unknown, visit: (value: Json) => void): void => {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  if (!isObject(value)) return;
  visit(value);
  for (const item of Object.values(value)) walk(item, visit);
};

/** Every object schema in a schema, following references. */
const objectSchemasOf = (schema: unknown, found: Set<Json> = new Set()): Set<Json> => {
  walk(schema, (part) => {
    if (typeof part['$ref'] === 'string') objectSchemasOf(resolve(part['$ref']), found);
    if (part['type'] === 'object') found.add(part);
  });
  return found;
};

describe('the OpenAPI document', () => {
  it('is up to date in the repository', async () => {
    const stored = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
    expect(stored === (await writeApi()), 'openapi.json is stale: run npm run openapi').toBe(true);
  });

  it('has operations with unique ids, summaries, tags and responses', () => {
    expect(entries.length).toBeGreaterThan(15);
    const ids = entries.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of entries) {
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
      expect(operation.summary).toMatch(/^[A-Z].{5,70}[^.]$/);
      expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0]);
      expect(Object.keys(operation.responses).some((status) => /^[23]/.test(status))).toBe(true);
    }
  });

  it('has names that generators can give to types, in one namespace', () => {
    const named = ['schemas', 'responses', 'parameters'].flatMap((kind) =>
      Object.keys(document.components[kind] as object),
    );
    const types = named.map((name) => name.toLowerCase());
    expect(named.filter((name) => !/^[A-Za-z][A-Za-z0-9]*$/.test(name))).toEqual([]);
    expect(types.filter((name, index) => types.indexOf(name) !== index)).toEqual([]);
    // Go: the constructor of User is NewUser.
    expect(types.filter((name) => types.includes(`new${name}`))).toEqual([]);
  });

  it('has a type of its own for a value that may be null, without a class around it', () => {
    const { properties } = document.components.schemas['Room'] as Json & { properties: Json };
    expect(properties['group_id']).toMatchObject({ type: ['string', 'null'], format: 'uuid' });
  });

  it('documents every status of refusals that apply', () => {
    for (const { title, path, operation } of entries) {
      const documented = Object.keys(operation.responses);
      const needs = ['400', '401', '429', '500', '503'];
      if (operation['x-required-scope'] !== undefined) needs.push('403');
      if (/\{(?!tenantSlug)/.test(path)) needs.push('404');
      if (operation.requestBody) needs.push('413', ...(isForm(operation) ? [] : ['415']));
      expect(documented, title).toEqual(expect.arrayContaining(needs));
    }
  });

  it('requires an API key in the tenant API, and an operator in the operators API', () => {
    const PUBLIC: readonly string[] = [
      ...['getSignIn', 'signIn', 'openSetupLink', 'startOpenIdSignIn', 'finishOpenIdSignIn'],
      ...['beginPasskeySignIn', 'getLogo', 'createAccessToken'],
    ];
    for (const { title, path, operation } of entries) {
      const isOfOperators = path.startsWith('/admin/v1');
      const schemes = isOfOperators ? [['adminToken'], ['session']] : [['apiKey']];
      const isPublic = PUBLIC.includes(operation.operationId);
      expect(
        operation.security.map((one) => Object.keys(one)),
        title,
      ).toEqual(isPublic ? [] : schemes);
    }
  });

  it('documents a dry run for every write, as a separate response', () => {
    for (const { title, operation } of entries) {
      const refs = (operation.parameters ?? []).map(({ $ref }) => $ref);
      const isSearch = /^searchScim/.test(operation.operationId);
      const supportsDryRun =
        !title.startsWith('get ') && !isSearch && !WITHOUT_COMMAND.has(operation.operationId);
      expect(refs.includes('#/components/parameters/dryRunFlag'), title).toBe(supportsDryRun);
      expect(refs.includes('#/components/parameters/prefer'), title).toBe(supportsDryRun);
      expect(operation['x-dry-run-response'], title).toEqual(
        supportsDryRun ? { $ref: '#/components/responses/DryRunPreview' } : undefined,
      );
      // A replay responds with a dry run, whatever its headers.
      if (operation.operationId !== 'replayCapturedRequest')
        expect(JSON.stringify(operation.responses), title).not.toContain('DryRun');
    }
  });

  it('describes every SCIM endpoint and method with its scope', () => {
    for (const { name, route, methods } of ENDPOINTS) {
      // An API key belongs to no user: whatever the method, /Me is 501.
      if (name === 'me') continue;
      const path = document.paths[`/v1/{tenantSlug}/scim/v2${route}`] ?? {};
      const served = [...methods].filter(([method]) => method !== 'HEAD');
      expect(Object.keys(path).sort(), route).toEqual(
        served.map(([method]) => method.toLowerCase()).sort(),
      );
      for (const [method, scope] of served) {
        expect(path[method.toLowerCase()]?.['x-required-scope'], `${method} ${route}`).toBe(
          scope === 'any key' ? undefined : scope,
        );
      }
    }
  });

  it('has the same SCIM attributes as /Schemas', () => {
    const { ScimUser, ScimUserInput, ScimGroup } = document.components.schemas;
    const namesIn = (schema: unknown): string[] =>
      isObject(schema) ? Object.keys(schema['properties'] as Json) : [];
    for (const { name, returned, mutability } of USER_SCHEMA_DESCRIPTION.attributes) {
      expect(namesIn(ScimUser).includes(name), name).toBe(returned !== 'never');
      expect(namesIn(ScimUserInput).includes(name), name).toBe(mutability !== 'readOnly');
    }
    expect(namesIn(ScimGroup)).toEqual(expect.arrayContaining(['id', 'displayName', 'members']));
  });

  it('has a named schema for every list', () => {
    for (const { title, operation } of entries) {
      const body = JSON.stringify(operation.responses['200'] ?? {});
      expect(body.includes('"total"'), title).toBe(false);
    }
  });

  it('types the data of every event', () => {
    const { Event } = document.components.schemas;
    const { mapping } = Event?.['discriminator'] as { mapping: Record<string, string> };
    expect(Object.keys(mapping).sort()).toEqual([...EVENT_NAMES].sort());
    for (const [name, ref] of Object.entries(mapping)) {
      const schema = resolve(ref) as { properties: { event: Json; data: Json } };
      expect(schema.properties.event['const'], name).toBe(name);
      expect(schema.properties.data['additionalProperties'], name).toBe(false);
    }
  });

  it('documents an ETag only for responses that have one', () => {
    const tagged = (operationId: string, status: string) => {
      const found = entries.find(({ operation }) => operation.operationId === operationId)!;
      return JSON.stringify(found.operation.responses[status]).includes('headers/ETag');
    };
    expect(tagged('getRoom', '200')).toBe(true);
    expect(tagged('createRoom', '201')).toBe(true);
    expect(tagged('replaceRoomMembers', '200')).toBe(false);
    expect(tagged('addRoomMember', '201')).toBe(false);
  });

  it('declares every parameter of its paths', () => {
    for (const { title, path, operation } of entries) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = (operation.parameters ?? [])
        .map((parameter) =>
          typeof parameter['$ref'] === 'string' ? (resolve(parameter['$ref']) as Json) : parameter,
        )
        .filter((parameter) => parameter['in'] === 'path')
        .map((parameter) => parameter['name']);
      expect(declared.sort(), title).toEqual(named.sort());
    }
  });

  it('allows no additional properties in native request bodies', () => {
    for (const { title, path, operation } of entries) {
      // SCIM ignores unknown attributes (RFC 7644, 3.3), also in an upload in its form.
      if (path.includes('/scim/v2') || path.endsWith('/bulkUpload')) continue;
      if (isForm(operation)) continue;
      for (const schema of objectSchemasOf(operation.requestBody ?? {}))
        if (isObject(schema['properties']))
          expect(schema['additionalProperties'], title).toBe(false);
    }
  });

  it('has examples that match their schemas', () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const { examples, properties, required = [] } = schema;
      if (!Array.isArray(examples)) continue;
      for (const example of examples as Json[]) {
        const names = Object.keys(example);
        expect(Object.keys(properties as Json), name).toEqual(expect.arrayContaining(names));
        expect(names, name).toEqual(expect.arrayContaining(required as string[]));
      }
    }
  });

  it("composes the example of a body of its fields' examples", () => {
    const { schemas } = document.components;
    expect(schemas['Room']?.['examples']).toEqual([
      {
        id: '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f',
        name: 'Dispatch',
        display_name: 'Dispatch',
        external_id: 'HR-1815',
        member_count: 12,
        created_at: '2026-01-31T12:00:00.000Z',
        role: 'member',
        group_id: '5d0c9b8a-7f6e-4d5c-8b4a-392817065f4e',
      },
    ]);
  });

  it('has no dangling reference', () => {
    let references = 0;
    walk(document, ({ $ref }) => {
      if (typeof $ref !== 'string') return;
      references += 1;
      expect(resolve($ref), $ref).toBeDefined();
    });
    expect(references).toBeGreaterThan(100);
  });

  it('describes query parameters with types, limits and defaults', () => {
    const list = entries.find(({ operation }) => operation.operationId === 'listUsers')!;
    expect(list.operation.parameters).toContainEqual({
      name: 'limit',
      in: 'query',
      required: false,
      description: 'Maximum number of results to return.',
      schema: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
    });
  });
});

describe('makeOpenApi', () => {
  const route = (operationId: string, body: z.ZodType) =>
    nativeRoute({
      method: 'POST',
      path: `/${operationId}`,
      scope: 'any key',
      operationId,
      tag: 'Test',
      summary: 'Test',
      body,
      responses: { 204: { description: 'Done.' } },
      handler: () => Promise.resolve({ status: 204 }),
    });

  it('refuses two different schemas with the same name', () => {
    const named = (shape: z.ZodRawShape) => z.strictObject(shape).meta({ id: 'TwiceNamed' });
    const routes = [route('one', named({ a: z.string() })), route('two', named({ b: z.int() }))];
    expect(() => createOpenApi({ version: '1', routes })).toThrow(
      'two different schemas are named TwiceNamed',
    );
  });

  it('describes the webhooks of plugins', () => {
    const body = z.strictObject({ event: z.literal('user.created') });
    const { webhooks } = createOpenApi({
      version: '1',
      routes: [],
      extensions: {
        ...NO_EXTENSIONS,
        posts: [
          {
            tag: { name: 'Posts', description: 'Requests to receivers.' },
            security: { name: 'signature', scheme: { type: 'apiKey', in: 'header', name: 'X' } },
            events: [{ name: 'user.created', summary: 'A user was provisioned', body }],
          },
        ],
      },
    });
    expect(webhooks).toMatchObject({
      'user.created': { post: { operationId: 'onUserCreated', requestBody: { required: true } } },
    });
  });
});
