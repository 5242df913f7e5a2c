import { z } from 'zod';
import { ConfigSchema } from './schema.js';

/**
 * The settings as JSON Schema (2020-12), which editors use to complete and explain keys in
 * rollgate.yaml. A plugin's section is described by the plugin's own schema.
 */
export const configJsonSchema = (
  plugins: Readonly<Record<string, z.ZodType>> = {},
): Readonly<Record<string, unknown>> => {
  const sections = Object.entries(plugins).map(([name, schema]) => [name, schema.optional()]);
  const schema = ConfigSchema.extend({
    plugins: z
      .strictObject(Object.fromEntries(sections) as Record<string, z.ZodOptional>)
      .optional()
      .describe('One section per plugin, by name.'),
  });
  return {
    title: 'Rollgate configuration',
    ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  };
};
