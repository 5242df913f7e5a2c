import { z } from 'zod';
import { type ExtensionSection, NO_SETTINGS, type SectionGroup } from './list-settings.js';
import { ConfigSchema } from './schema.js';
import { isPlainObject, type PlainObject } from './setting-path.js';

/** What every section of a plugin may hold. */
const SHARED = {
  use: {
    type: 'string',
    description:
      'A path, from the folder of this file, or the name of a package. Absent: the built-in plugin ' +
      'of this name.',
  },
  enabled: {
    type: 'boolean',
    default: true,
    description: 'Whether the plugin is enabled.',
  },
} as const;

/** What every section of a connector may hold, whatever the connector. */
const SHARED_BY_CONNECTORS = {
  use: {
    type: 'string',
    description:
      'A built-in connector, a path from the folder of this file, or the name of a package. Absent: ' +
      'the built-in connector of this name.',
  },
  enabled: {
    type: 'boolean',
    default: true,
    description: 'Whether the connector is enabled.',
  },
} as const;

const sectionOf = ({
  group = 'plugins',
  settings = NO_SETTINGS,
}: ExtensionSection): PlainObject => {
  // Variables may set what is required.
  const { $schema: _dialect, required: _required, ...schema } = jsonSchemaOf(settings);
  const own = isPlainObject(schema.properties) ? schema.properties : {};
  const shared = group === 'plugins' ? SHARED : SHARED_BY_CONNECTORS;
  return { ...schema, properties: { ...shared, ...own } };
};

const jsonSchemaOf = (schema: z.ZodType): PlainObject =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

/**
 * The settings as JSON Schema (2020-12), which editors use to complete and explain keys in
 * rollgate.yaml. An extension's section is described by its own schema.
 */
export const configJsonSchema = (
  extensions: readonly ExtensionSection[] = [],
): Readonly<Record<string, unknown>> => {
  const schema = jsonSchemaOf(ConfigSchema);
  const properties = isPlainObject(schema.properties) ? schema.properties : {};
  const sectionsOf = (group: SectionGroup): PlainObject =>
    Object.fromEntries(
      extensions
        .filter((one) => (one.group ?? 'plugins') === group)
        .map((one) => [one.name, sectionOf(one)]),
    );
  const plugins = {
    type: 'object',
    description: 'One section per plugin, by name.',
    properties: sectionsOf('plugins'),
    additionalProperties: { type: 'object', properties: SHARED, required: ['use'] },
  };
  const connectors = {
    type: 'object',
    description: 'One section per source of users, by a name of your choice.',
    properties: sectionsOf('connectors'),
    additionalProperties: {
      type: 'object',
      properties: SHARED_BY_CONNECTORS,
      required: ['tenant'],
    },
  };
  return {
    title: 'Rollgate configuration',
    ...schema,
    properties: { ...properties, plugins, connectors },
  };
};
