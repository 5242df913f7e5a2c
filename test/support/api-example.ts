import { readFileSync } from 'node:fs';
import type { z } from 'zod';

const { components } = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
) as {
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly examples?: readonly unknown[] }>>;
  };
};

/** The example of a named schema in the OpenAPI document. */
export const apiExample = <Schema extends z.ZodType>(schema: Schema): z.output<Schema> => {
  const [example] = components.schemas[schema.meta()?.id ?? '']?.examples ?? [];
  return schema.parse(example);
};
