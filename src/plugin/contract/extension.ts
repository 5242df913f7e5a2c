import { z } from 'zod';
import type { OutboundPolicy } from './http-sender.js';
import type { Metrics } from '../../ports/telemetry.js';
import { parseDuration } from '../../../config/duration.js';
import { Secret, type SecretSource } from '../../../config/secret.js';

/** The version of this contract. It grows when an extension of an earlier version would break. */
export const API_VERSION = 1;

/** What every extension states about itself. */
export interface Manifest<Settings = unknown> {
  /** The version of the contract that it is written for. */
  readonly apiVersion: typeof API_VERSION;
  /** Lower-case words joined by hyphens. Its scopes begin with it. */
  readonly name: string;
  /** Its own version, for operators. */
  readonly version?: string;
  readonly title: string;
  /** One sentence for operators. */
  readonly description: string;
  /**
   * The settings of its section of the configuration: a strict object. Their environment variables
   * follow from the section's key: `plugins.audit.maxBytes` is `ROLLGATE_AUDIT_MAX_BYTES`. A setting
   * without default is required. `use` and `enabled` belong to Rollgate. Absent: no settings.
   */
  readonly settings?: z.ZodType<Settings>;
  /** It may be configured more than once, under different keys. */
  readonly multiple?: true;
  /**
   * Reads the files that its settings name and reports what is wrong with them, before a start and
   * for `rollgate config check`. Relative paths start from `cwd`.
   */
  readonly checkFiles?: (settings: Settings, cwd: string) => readonly SettingFault[];
  /** What `host.http` may reach beyond the public internet. Absent: nothing. */
  readonly outbound?: (settings: Settings) => OutboundPolicy;
}

/** What is wrong with a setting. */
export interface SettingFault {
  /** Starts in the section of the plugin. */
  readonly path: readonly (string | number)[];
  /** What is wrong and what to do; follows the name of the setting. */
  readonly message: string;
}

/** Metrics for operators; names are prefixed with `rollgate_` and the name of the instance. */
export type PluginMetrics = Pick<Metrics, 'gauge' | 'counter'>;

/** The gateway's log; every line names the plugin. */
export interface PluginLog {
  readonly debug: (fields: object, message: string) => void;
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
}

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
