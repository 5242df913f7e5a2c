import { z } from 'zod';
import { parseDuration } from '../../../config/duration.js';
import { Secret, type SecretSource } from '../../../config/secret.js';

/**
 * A duration in a plugin's settings: `250ms`, `30s`, `10m`, `6h`, `90d` in the file,
 * milliseconds in the program. The bounds have the same format.
 */
export const durationField = (shortest: string, longest: string) => {
  const error = `expected a duration from ${shortest} to ${longest}, such as 30s, 10m or 6h`;
  const [least = 0, most = 0] = [parseDuration(shortest), parseDuration(longest)];
  return z.string({ error }).transform((text, context) => {
    const milliseconds = parseDuration(text);
    if (milliseconds !== undefined && milliseconds >= least && milliseconds <= most)
      return milliseconds;
    context.issues.push({ code: 'custom', message: error, input: text });
    return z.NEVER;
  });
};

const text = z.string().min(1);

/**
 * A secret in the settings of an extension: `{env: NAME}`, `{file: path}` or the value itself; in the
 * environment its variable, or the variable with `_FILE` and the path of a file. It is never shown;
 * `reveal()` reads it. Required unless `.optional()` follows.
 */
export const secretField = () =>
  z
    .union([text, z.strictObject({ env: text }), z.strictObject({ file: text })], {
      error: 'expected {env: NAME}, {file: path} or the value itself',
    })
    .transform((source: SecretSource) => new Secret(source))
    // Of JSON Schema (Validation, 9.4): it is set, and never shown.
    .meta({ writeOnly: true });
