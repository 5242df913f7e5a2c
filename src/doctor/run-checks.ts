import { withinTime } from '../plugin/within-time.js';
import type { DoctorContext } from './context.js';
import { reasonOf } from './reason-of.js';
import { type Check, fail, NotCheckable, skip, type Verdict } from './verdict.js';

/** A verdict and the check that came to it. */
export interface Finding extends Verdict {
  readonly check: string;
}

/** For each check; the slowest of them wait for connections that are never made. */
const LIMIT_MS = 12_000;

/** All at the same time; the findings in the order of the checks. Never rejects. */
export const runChecks = (
  checks: Readonly<Record<string, Check>>,
  context: DoctorContext,
  limitMs = LIMIT_MS,
): Promise<readonly Finding[]> =>
  Promise.all(
    Object.entries(checks).map(async ([name, check]) => ({
      check: name,
      ...(await withinTime(limitMs, async () => check(context)).catch(verdictOn)),
    })),
  );

const verdictOn = (error: unknown): Verdict =>
  error instanceof NotCheckable
    ? skip(error.message)
    : fail(
        `This could not be checked: ${reasonOf(error)}.`,
        'Run it again; where it stays, the words above are the cause.',
      );
