import { CHECKS } from './checks.js';
import { maskSecrets, secretsOf } from './mask-secrets.js';
import { type ContextOptions, openContext } from './open-context.js';
import { type Finding, runChecks } from './run-checks.js';

export type { Finding } from './run-checks.js';
export type { Status } from './verdict.js';

/**
 * Looks at everything that a gateway with these settings stands on, whether one runs or not, and
 * says what to do where something is wrong. It only looks. Never rejects.
 */
export const diagnose = async (options: ContextOptions): Promise<readonly Finding[]> => {
  const context = openContext(options);
  try {
    return maskSecrets(await runChecks(CHECKS, context), secretsOf(context));
  } finally {
    await context.close();
  }
};
