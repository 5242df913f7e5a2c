import { withinTime } from '../process/timers.js';
import type { DoctorContext } from './context.js';
import {
  reasonOf,
  type Check,
  type CheckResult,
  CheckSkipped,
  fail,
  skip,
} from './check-result.js';
import { CHECKS } from './checks.js';
import { type CheckedExtension, extensionChecks } from './extension-checks.js';
import { maskSecrets, secretsOf } from './mask-secrets.js';
import { type ContextOptions, openContext } from './open-context.js';

/** The result of a check, with its name. */
export interface Finding extends CheckResult {
  readonly check: string;
}

/** Of each check; the slowest ones wait for connections. */
const CHECK_TIMEOUT_MS = 12_000;

/**
 * Runs all checks concurrently; findings are in the order of the checks. Never rejects.
 *
 * @internal
 */
export const runChecks = (
  checks: Readonly<Record<string, Check>>,
  context: DoctorContext,
  limitMs = CHECK_TIMEOUT_MS,
): Promise<readonly Finding[]> =>
  Promise.all(
    Object.entries(checks).map(async ([name, check]) => ({
      check: name,
      ...(await withinTime(limitMs, async () => check(context)).catch(failureOf)),
    })),
  );

const failureOf = (error: unknown): CheckResult =>
  error instanceof CheckSkipped
    ? skip(error.message)
    : fail(
        `The check failed: ${reasonOf(error)}.`,
        'Run it again. If it fails again, the message above is the cause.',
      );

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
