import { z } from 'zod';

/** `displayName` for `display_name`. */
type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** What `toWire` makes a value of this type from: names in camelCase, times as dates. */
type Unwired<Wire> = Wire extends string
  ? Wire | Date
  : Wire extends readonly (infer Item)[]
    ? readonly Unwired<Item>[]
    : Wire extends object
      ? { readonly [Name in keyof Wire as CamelCase<Name & string>]: Unwired<Wire[Name]> }
      : Wire;

/** What `fromWire` makes of a value of this type. */
type FromWire<Wire> = {
  readonly [
    Name in keyof Wire as undefined extends Wire[Name] ? never : CamelCase<Name & string>
  ]: Wire[Name];
} & {
  readonly [
    Name in keyof Wire as undefined extends Wire[Name] ? CamelCase<Name & string> : never
  ]?: Exclude<Wire[Name], undefined>;
};

const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());

type Write = (value: unknown) => unknown;

const writeObject = ({ shape }: z.ZodObject): Write => {
  const fields = Object.entries(shape as z.ZodRawShape).map(
    ([name, field]) => [name, camelCase(name), writerOf(field)] as const,
  );
  return (value) => {
    const source = value as Readonly<Record<string, unknown>>;
    const wire: Record<string, unknown> = {};
    for (const [name, sourceName, write] of fields) {
      const own = source[sourceName];
      if (own !== undefined) wire[name] = write(own);
    }
    return wire;
  };
};

/** Values without fields, and objects that may have any field. Others could let an entity leak. */
const WRITTEN_AS_IS: ReadonlySet<string> = new Set([
  'string',
  'number',
  'boolean',
  'enum',
  'literal',
  'record',
  'unknown',
  'object',
]);

const isOpen = ({ def }: z.ZodObject): boolean => def.catchall instanceof z.ZodUnknown;

const writeAsIs: Write = (value) => (value instanceof Date ? value.toISOString() : value);

const writerOf = (schema: z.core.$ZodType): Write => {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    const write = writerOf(schema.unwrap());
    return (value) => (value === null ? null : write(value));
  }
  if (schema instanceof z.ZodArray) {
    const write = writerOf(schema.element);
    return (value) => (value as readonly unknown[]).map(write);
  }
  if (schema instanceof z.ZodObject && !isOpen(schema)) return writeObject(schema);
  const { type } = schema._zod.def;
  if (!WRITTEN_AS_IS.has(type))
    throw new TypeError(`A response cannot be written by a schema of type ${type}.`);
  return writeAsIs;
};

const writers = new WeakMap<z.ZodObject, Write>();

/**
 * A value as its schema describes it in a response. It has the fields of the schema and no other, so
 * that a new property of an entity is hidden until its schema names it.
 */
export const toWire = <Schema extends z.ZodObject>(
  schema: Schema,
  value: Unwired<z.output<Schema>>,
): z.output<Schema> => {
  let write = writers.get(schema);
  if (!write) {
    write = writeObject(schema);
    writers.set(schema, write);
  }
  return write(value) as z.output<Schema>;
};

const sourceNames = new Map<string, string>();

/** The name in the code of a field of a request; these are few, as schemas refuse unknown ones. */
const sourceNameOf = (name: string): string => {
  const known = sourceNames.get(name);
  if (known !== undefined) return known;
  const sourceName = camelCase(name);
  sourceNames.set(name, sourceName);
  return sourceName;
};

/** The given fields of a body or a query that a schema has parsed, by their names in the code. */
export const fromWire = <Wire extends object>(wire: Wire): FromWire<Wire> => {
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(wire))
    if (value !== undefined) given[sourceNameOf(name)] = value;
  return given as FromWire<Wire>;
};
