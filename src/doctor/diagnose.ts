import { CHECKS } from './checks.js';
import { maskSecrets, secretsOf } from './mask-secrets.js';
import { type ContextOptions, openContext } from './open-context.js';
import { type Finding, runChecks } from './run-checks.js';

export type { Finding } from './run-checks.js';
export type { Status } from './check-result.js';

/**
 * Checks everything a gateway with these settings depends on, running or not. Changes nothing;
 * never rejects.
 */
export const diagnose = async (options: ContextOptions): Promise<readonly Finding[]> => {
  const context = openContext(options);
  try {
    return maskSecrets(await runChecks(CHECKS, context), secretsOf(context));
  } finally {
    await context.close();
  }
};
