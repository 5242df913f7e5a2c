import { z } from 'zod';
import { NO_SETTINGS, type PluginSection } from './list-settings.js';
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

const sectionOf = ({ settings = NO_SETTINGS }: PluginSection): PlainObject => {
  // Variables may set what is required.
  const { $schema: _dialect, required: _required, ...schema } = jsonSchemaOf(settings);
  const own = isPlainObject(schema.properties) ? schema.properties : {};
  return { ...schema, properties: { ...SHARED, ...own } };
};

const jsonSchemaOf = (schema: z.ZodType): PlainObject =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

/**
 * The settings as JSON Schema (2020-12), which editors use to complete and explain keys in
 * rollgate.yaml. A plugin's section is described by the plugin's own schema.
 */
export const configJsonSchema = (
  plugins: readonly PluginSection[] = [],
): Readonly<Record<string, unknown>> => {
  const schema = jsonSchemaOf(ConfigSchema);
  const properties = isPlainObject(schema.properties) ? schema.properties : {};
  const sections = {
    type: 'object',
    description: 'One section per plugin, by name.',
    properties: Object.fromEntries(plugins.map((plugin) => [plugin.name, sectionOf(plugin)])),
    additionalProperties: { type: 'object', properties: SHARED, required: ['use'] },
  };
  return {
    title: 'Rollgate configuration',
    ...schema,
    properties: { ...properties, plugins: sections },
  };
};
