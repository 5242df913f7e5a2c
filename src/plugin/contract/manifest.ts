import type { z } from 'zod';
import type { OutboundPolicy } from './http-sender.js';

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
