import { z } from 'zod';
import { Secret, type SecretSource } from '../../../config/secret.js';

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
