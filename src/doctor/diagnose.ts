import { CHECKS } from './checks.js';
import { type CheckedExtension, extensionChecks } from './extension-checks.js';
import { maskSecrets, secretsOf } from './mask-secrets.js';
import { type ContextOptions, openContext } from './open-context.js';
import { type Finding, runChecks } from './run-checks.js';

export type { Finding } from './run-checks.js';
export type { Status } from './check-result.js';

export interface DiagnoseOptions extends ContextOptions {
  /** Enabled extensions with checks of their own. */
  readonly extensions?: readonly CheckedExtension[];
  /** Secrets of their settings, which must not be shown. */
  readonly secrets?: readonly string[];
}

/**
 * Checks everything a gateway with these settings depends on, running or not. Changes nothing;
 * never rejects.
 */
export const diagnose = async ({
  extensions = [],
  secrets = [],
  ...options
}: DiagnoseOptions): Promise<readonly Finding[]> => {
  const context = openContext(options);
  const checks = { ...CHECKS, ...extensionChecks(extensions) };
  try {
    return maskSecrets(await runChecks(checks, context), [...secretsOf(context), ...secrets]);
  } finally {
    await context.close();
  }
};
