import { z } from 'zod';
import { ConfigSchema } from './schema.js';

/**
 * The settings as JSON Schema (2020-12), for editors: with it an editor completes keys in
 * rollgate.yaml and explains them. A plugin's section is described by the plugin's own schema.
 */
export const configJsonSchema = (
  plugins: Readonly<Record<string, z.ZodType>> = {},
): Readonly<Record<string, unknown>> => {
  const sections = Object.entries(plugins).map(([name, schema]) => [name, schema.optional()]);
  const schema = ConfigSchema.extend({
    plugins: z
      .strictObject(Object.fromEntries(sections) as Record<string, z.ZodOptional>)
      .optional()
      .describe('A section for each plugin, by its name.'),
  });
  return {
    title: 'Rollgate configuration',
    ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  };
};
