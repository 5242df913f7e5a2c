import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { JsonObject } from '../../domain/json.js';

/** Turns zod schemas into JSON Schema and collects those that have a name of their own. */
export interface SchemaCatalogue {
  /**
   * The schema as it stands in the document: a `$ref` where it has a name. `input`: what a client
   * may send; `output`: what it gets, or what a query's text comes to.
   */
  readonly add: (schema: z.ZodType, io: 'input' | 'output') => JsonObject;
  /** The named ones, by name. */
  readonly named: () => Readonly<Record<string, JsonObject>>;
}

/** Formats whose name says more than the regular expression that zod adds. */
const NAMED_FORMATS: ReadonlySet<unknown> = new Set(['uuid', 'date-time', 'email']);
const SAFE = Number.MAX_SAFE_INTEGER;

interface MutableSchema {
  format?: unknown;
  pattern?: unknown;
  minimum?: unknown;
  maximum?: unknown;
  id?: unknown;
  const?: unknown;
  default?: unknown;
  description?: string;
}

/** Leaves out what is true of every number or format and only makes the document longer. */
const tidy = (schema: MutableSchema): void => {
  if (NAMED_FORMATS.has(schema.format)) delete schema.pattern;
  if (schema.minimum === -SAFE) delete schema.minimum;
  if (schema.maximum === SAFE) delete schema.maximum;
  // Generators turn a constant into an enumeration, and none of booleans compiles.
  if (typeof schema.const === 'boolean') delete schema.const;
  delete schema.id;
};

/**
 * Says the default of an optional field in its description. As a keyword it would make the field
 * required in clients that openapi-typescript generates.
 */
const describeDefault = (schema: MutableSchema): void => {
  if (schema.default === undefined) return;
  const told = `Default: \`${JSON.stringify(schema.default)}\`.`;
  schema.description = [schema.description, told].filter(Boolean).join(' ');
  delete schema.default;
};

const relink = (text: string): string => text.replaceAll('"#/$defs/', '"#/components/schemas/');

export const catalogueSchemas = (): SchemaCatalogue => {
  const named = new Map<string, JsonObject>();

  const name = (id: string, schema: JsonObject): void => {
    const known = named.get(id);
    if (known && !isDeepStrictEqual(known, schema)) {
      throw new Error(`two different schemas are named ${id}: give one of them another id`);
    }
    named.set(id, schema);
  };

  return {
    add: (schema, io) => {
      const made = z.toJSONSchema(schema, {
        io,
        override: ({ jsonSchema }) => {
          tidy(jsonSchema);
          if (io === 'input') describeDefault(jsonSchema);
        },
      });
      const linked = JSON.parse(relink(JSON.stringify(made))) as JsonObject;
      const { $schema: _dialect, $defs = {}, ...rest } = linked;
      for (const [id, definition] of Object.entries($defs as JsonObject)) {
        name(id, definition as JsonObject);
      }
      return rest;
    },
    named: () => Object.fromEntries([...named].sort(([one], [other]) => one.localeCompare(other))),
  };
};
