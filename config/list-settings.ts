import { z } from 'zod';
import { ConfigSchema } from './schema.js';
import { isPlainObject, keyOf, type PlainObject } from './setting-path.js';

/** Where the sections of extensions are. */
export type SectionGroup = 'plugins' | 'connectors';

/** A section of an extension. */
export interface ExtensionSection {
  /** Absent: `plugins`. */
  readonly group?: SectionGroup;
  /** The key of its section. */
  readonly name: string;
  /** What the section holds besides `use` and `enabled`. Absent: nothing. */
  readonly settings?: z.ZodType | undefined;
  /** Of a disabled extension nothing but its section's name is known. Absent: true. */
  readonly isEnabled?: boolean;
}

/** How a setting is written in an environment variable. */
export type ValueType = 'text' | 'number' | 'boolean' | 'list' | 'numbers' | 'json';

/** One setting: a leaf of the schema. */
export interface Setting {
  readonly path: readonly string[];
  /** `rateLimit.perMinute` */
  readonly key: string;
  readonly valueType: ValueType;
  /** Never shown; can also be read from the file named by the variable with the suffix `_FILE`. */
  readonly isSecret: boolean;
  /** Its value holds a secret somewhere. */
  readonly holdsSecret: boolean;
  /** It has no default and must be set. */
  readonly isRequired: boolean;
  /** May be `null`. */
  readonly isNullable: boolean;
  /** The variable's name in documents. */
  readonly variable: string;
  /** Other names of the variable. */
  readonly aliases: readonly string[];
  /** In the format of the file; undefined: none. */
  readonly default: unknown;
  readonly description: string;
}

/** Names of decisions.md 9 that are shorter than the derived ones. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  'rateLimit.perMinute': 'ROLLGATE_RATE_LIMIT',
};

const PREFIX = 'ROLLGATE_';

/** `ROLLGATE_SCIM_BULK_MAX_OPERATIONS`: the path in upper case, its words joined by underscores. */
export const variableOf = (path: readonly string[]): string =>
  PREFIX +
  path
    .map((step) => step.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll('-', '_'))
    .join('_')
    .toUpperCase();

/** Every setting of the core and of these extensions, in schema order. */
export const listSettings = (sections: readonly ExtensionSection[] = []): readonly Setting[] => {
  const core = leavesOf(jsonSchemaOf(ConfigSchema), []);
  const taken = new Set(core.flatMap(({ variable, aliases }) => [variable, ...aliases]));
  const ofSections = sections.flatMap((section) => {
    const { group = 'plugins', name, settings = NO_SETTINGS, isEnabled = true } = section;
    const under = [group, name];
    const own = [
      ...leavesOf(ENABLED[group], [...under, 'enabled']),
      ...(isEnabled ? leavesOf(jsonSchemaOf(settings), under) : []),
    ];
    return group === 'plugins' ? own.map((setting) => shorten(setting, taken)) : own;
  });
  return [...core, ...ofSections];
};

/** The schema of an extension without settings. */
export const NO_SETTINGS = z.strictObject({});

const enabledField = (what: string): PlainObject => ({
  type: 'boolean',
  default: true,
  description: `Whether the ${what} is enabled.`,
});

/** A key of every section, besides the extension's own settings. */
const ENABLED: Readonly<Record<SectionGroup, PlainObject>> = {
  plugins: enabledField('plugin'),
  connectors: enabledField('connector'),
};

/** The prefixes of a section's variables. */
export const variablePrefixesOf = ({
  group = 'plugins',
  name,
}: Pick<ExtensionSection, 'group' | 'name'>): readonly string[] =>
  [[group, name], ...(group === 'plugins' ? [[name]] : [])].map((path) => `${variableOf(path)}_`);

/** `ROLLGATE_WEBHOOKS_RETRY`: without `PLUGINS_`, unless a core setting has that name. */
const shorten = (setting: Setting, taken: ReadonlySet<string>): Setting => {
  const short = variableOf(setting.path.slice(1));
  return taken.has(short)
    ? setting
    : { ...setting, variable: short, aliases: [setting.variable, ...setting.aliases] };
};

/** A start lists the settings several times, and each translation costs milliseconds. */
const translated = new WeakMap<z.ZodType, PlainObject>();

/** What a configuration may contain. */
const jsonSchemaOf = (schema: z.ZodType): PlainObject => {
  const known = translated.get(schema);
  if (known) return known;
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  translated.set(schema, json);
  return json;
};

const leavesOf = (
  schema: unknown,
  path: readonly string[],
  isRequired = false,
): readonly Setting[] => {
  if (!isPlainObject(schema)) return [];
  const { properties, required } = schema;
  if (isPlainObject(properties))
    return Object.entries(properties).flatMap(([name, inner]) =>
      leavesOf(inner, [...path, name], Array.isArray(required) && required.includes(name)),
    );
  // Each extension's own schema describes its section.
  if (path.length === 1 && (path[0] === 'plugins' || path[0] === 'connectors')) return [];
  return [settingOf(schema, path, isRequired)];
};

const settingOf = (schema: PlainObject, path: readonly string[], isRequired: boolean): Setting => {
  const key = keyOf(path);
  const derived = variableOf(path);
  const short = SHORT_NAMES[key];
  return {
    path,
    key,
    valueType: valueTypeOf(schema),
    isSecret: isSecret(schema),
    holdsSecret: holdsSecret(schema),
    isRequired,
    isNullable: alternativesOf(schema).some(({ type }) => type === 'null'),
    variable: short ?? derived,
    aliases: short === undefined ? [] : [derived],
    default: schema.default,
    description: typeof schema.description === 'string' ? schema.description : '',
  };
};

const isSecret = ({ writeOnly, anyOf }: PlainObject): boolean =>
  writeOnly === true ||
  (Array.isArray(anyOf) &&
    anyOf.some((one: unknown) => isPlainObject(one) && one.writeOnly === true));

/** Secrets are `writeOnly` in JSON Schema. */
const holdsSecret = (schema: PlainObject): boolean =>
  JSON.stringify(schema).includes('"writeOnly":true');

/** The alternatives of a schema: `type: [string, null]`, `anyOf`. */
const alternativesOf = (schema: PlainObject): readonly PlainObject[] => {
  const { type, anyOf } = schema;
  if (Array.isArray(type)) return type.map((one: unknown) => ({ ...schema, type: one }));
  if (!Array.isArray(anyOf)) return [schema];
  return anyOf.flatMap((one: unknown) => (isPlainObject(one) ? alternativesOf(one) : []));
};

const valueTypeOf = (schema: PlainObject): ValueType => {
  const [first] = alternativesOf(schema).filter(({ type }) => type !== 'null');
  switch (first?.type) {
    case 'string':
      return 'text';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return listTypeOf(first.items);
    default:
      return first?.enum === undefined ? 'json' : 'text';
  }
};

const listTypeOf = (items: unknown): ValueType => {
  const form = isPlainObject(items) ? valueTypeOf(items) : 'json';
  if (form === 'text') return 'list';
  return form === 'number' ? 'numbers' : 'json';
};
