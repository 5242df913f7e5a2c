import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly [keyword: string]: unknown;
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          { readonly parameters?: readonly { readonly name?: string; readonly schema: Schema }[] }
        >
      >
    >
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

const document = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
) as Document;
const { schemas, parameters } = document.components;

const queryOf = (path: string, name: string): Schema | undefined =>
  document.paths[path]?.['get']?.parameters?.find((each) => each.name === name)?.schema;

/** Found by schemathesis: requests that fitted the document and were refused. */
describe('the document states what the gateway refuses', () => {
  it('of an Idempotency-Key: 1 to 255 printable characters', () => {
    const { pattern, ...lengths } = parameters['idempotencyKey']!.schema;
    expect(lengths).toMatchObject({ minLength: 1, maxLength: 255 });
    const form = new RegExp(String(pattern));
    for (const valid of ['!', '~', 'a-1']) expect(form.test(valid)).toBe(true);
    for (const invalid of ['', 'a b', 'ä', '\n']) expect(form.test(invalid)).toBe(false);
  });

  it.each([
    ['an empty filter', queryOf('/v1/{tenantSlug}/scim/v2/Users', 'filter'), { minLength: 1 }],
    ['an empty filter', schemas['ScimSearchRequest']!.properties!['filter'], { minLength: 1 }],
    [
      'a Bulk without operations',
      schemas['ScimBulkRequest']!.properties!['Operations'],
      { minItems: 1 },
    ],
    ['failOnErrors of 0', schemas['ScimBulkRequest']!.properties!['failOnErrors'], { minimum: 1 }],
    ['a blank userName', schemas['ScimUserInput']!.properties!['userName'], { pattern: '\\S' }],
    [
      'a member without a value',
      schemas['ScimGroupInput']!.properties!['members']!.items,
      { required: ['value'] },
    ],
    [
      'a far page of deliveries',
      queryOf('/v1/{tenantSlug}/webhooks/{id}/deliveries', 'offset'),
      { maximum: 10_000 },
    ],
  ])('%s', (_what, schema, limit) => {
    expect(schema).toMatchObject(limit);
  });

  it('of operations of a PATCH, in any case', () => {
    const { op } = schemas['ScimPatchRequest']!.properties!['Operations']!.items!.properties!;
    const form = new RegExp(String(op!['pattern']));
    for (const valid of ['add', 'Replace', 'REMOVE']) expect(form.test(valid)).toBe(true);
    for (const invalid of ['', 'move', 'addx']) expect(form.test(invalid)).toBe(false);
  });
});
