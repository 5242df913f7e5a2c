import { withinTime } from '../process/timers.js';
import type { DoctorContext } from './context.js';
import { reasonOf } from './reason-of.js';
import { type Check, type CheckResult, CheckSkipped, fail, skip } from './check-result.js';

/** The result of a check, with its name. */
export interface Finding extends CheckResult {
  readonly check: string;
}

/** Of each check; the slowest ones wait for connections. */
const TIMEOUT_MS = 12_000;

/** Runs all checks concurrently; findings are in the order of the checks. Never rejects. */
export const runChecks = (
  checks: Readonly<Record<string, Check>>,
  context: DoctorContext,
  limitMs = TIMEOUT_MS,
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
