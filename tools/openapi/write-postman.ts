import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * `npm run postman [file]`: a Postman collection (v2.1) of all operations, in a folder per tag, with
 * the variables `baseUrl`, `apiKey` and `adminToken`. Own code, because openapi-to-postmanv2 brings
 * more packages than the gateway has.
 */
const DOCUMENT = new URL('../../openapi.json', import.meta.url);
const DEFAULT_FILE = 'dist/rollgate.postman_collection.json';
const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
}

interface Reference {
  readonly $ref: string;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: object }>>;
  };
  readonly security?: readonly object[];
}

interface Document {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<string, Operation>>>>>;
}

/** A parameter of the address, or a header. */
export interface PostmanValue {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
  readonly description?: string;
}

export interface PostmanItem {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly description: string;
    readonly auth: object;
    readonly header: readonly PostmanValue[];
    readonly url: {
      readonly raw: string;
      readonly host: readonly string[];
      readonly path: readonly string[];
      readonly query: readonly PostmanValue[];
      readonly variable: readonly PostmanValue[];
    };
    readonly body?: { readonly mode: 'raw'; readonly raw: string; readonly options: object };
  };
}

export interface PostmanCollection {
  readonly info: { readonly name: string; readonly version: string; readonly schema: string };
  readonly variable: readonly PostmanValue[];
  readonly item: readonly { readonly name: string; readonly item: readonly PostmanItem[] }[];
}

export const createPostmanCollection = (document: Document): PostmanCollection => {
  const folders = new Map<string, PostmanItem[]>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const method of METHODS) {
      const operation = methods[method];
      if (!operation) continue;
      const [tag = 'Other'] = operation.tags;
      const items = folders.get(tag) ?? [];
      folders.set(tag, [...items, itemOf({ document, path, method, operation })]);
    }
  const { title, version } = document.info;
  return {
    info: { name: title, version, schema: SCHEMA },
    variable: [
      { key: 'baseUrl', value: 'http://127.0.0.1:8080' },
      { key: 'apiKey', value: '' },
      { key: 'adminToken', value: '' },
      { key: 'tenant', value: 'acme' },
    ],
    item: [...folders].map(([name, item]) => ({ name, item })),
  };
};

interface Described {
  readonly document: Document;
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

const itemOf = ({ document, path, method, operation }: Described): PostmanItem => {
  const parameters = (operation.parameters ?? []).map((each) =>
    '$ref' in each ? (resolveReference(document, each) as Parameter) : each,
  );
  const within = (place: string) => parameters.filter((each) => each.in === place);
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const segments = path.slice(1).replace(/\{(\w+)\}/g, ':$1');
  return {
    name: operation.summary,
    request: {
      method: method.toUpperCase(),
      description: operation.description ?? operation.summary,
      auth: authOf(path, operation),
      header: [
        ...(type === undefined ? [] : [{ key: 'Content-Type', value: type }]),
        ...within('header').map(optional),
      ],
      url: {
        raw: `{{baseUrl}}/${segments}`,
        host: ['{{baseUrl}}'],
        path: segments.split('/'),
        query: within('query').map(optional),
        variable: within('path').map(({ name, description = '' }) => ({
          key: name,
          value: name === 'tenantSlug' || name === 'slug' ? '{{tenant}}' : '',
          description,
        })),
      },
      ...(content && {
        body: {
          mode: 'raw',
          raw: JSON.stringify(exampleOf(document, content.schema), null, 2),
          options: { raw: { language: 'json' } },
        },
      }),
    },
  };
};

const authOf = (path: string, { security }: Operation): object => {
  if (security?.length === 0) return { type: 'noauth' };
  const value = path.startsWith('/admin/') ? '{{adminToken}}' : '{{apiKey}}';
  return { type: 'bearer', bearer: [{ key: 'token', value, type: 'string' }] };
};

const optional = ({ name, description = '', required = false, example }: Parameter) => ({
  key: name,
  value: typeof example === 'string' ? example : '',
  description,
  disabled: !required,
});

const resolveReference = (document: Document, { $ref }: Reference): unknown =>
  $ref
    .split('/')
    .slice(1)
    .reduce<unknown>((part, key) => (part as Readonly<Record<string, unknown>>)[key], document);

interface Schema {
  readonly $ref?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The schema's own example, or its required properties. */
const exampleOf = (document: Document, schema: Schema): unknown => {
  if (schema.$ref !== undefined)
    return exampleOf(document, resolveReference(document, { $ref: schema.$ref }) as Schema);
  if (schema.examples) return schema.examples[0];
  return Object.fromEntries((schema.required ?? []).map((name) => [name, '']));
};

export const readOpenApi = (): Document => JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Document;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const file = resolve(process.argv[2] ?? DEFAULT_FILE);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(createPostmanCollection(readOpenApi()), null, 2)}\n`);
  console.log(file);
}
