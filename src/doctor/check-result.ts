import type { DoctorContext } from './context.js';
import type { Secret } from '../../config/secret.js';

/** SKIP: the check could not run, or there is nothing to check. */
export type Status = 'OK' | 'WARN' | 'FAIL' | 'SKIP';

export interface CheckResult {
  readonly status: Status;
  /** One line without secrets, so that it can be shared. */
  readonly message: string;
  /** What to do; set for every WARN and FAIL. */
  readonly remedy?: string;
  /** Does not affect the exit code. */
  readonly isAdvice?: true;
  /** Measured values, for scripts. */
  readonly details?: Details;
}

export type Details = Readonly<Record<string, unknown>>;

/**
 * Checks one thing; changes, starts and locks nothing. A thrown CheckSkipped is reported as SKIP, any
 * other error as FAIL.
 */
export type Check = (context: DoctorContext) => CheckResult | Promise<CheckResult>;

/** Something the check needs is missing; another check reports it, or it is not an error. */
export class CheckSkipped extends Error {
  override readonly name = 'CheckSkipped';
}

const result = (
  status: Status,
  message: string,
  remedy?: string,
  details?: Details,
): CheckResult => ({
  status,
  message,
  ...(remedy !== undefined && { remedy }),
  ...(details && { details }),
});

export const ok = (message: string, details?: Details): CheckResult =>
  result('OK', message, undefined, details);

export const warn = (message: string, remedy: string, details?: Details): CheckResult =>
  result('WARN', message, remedy, details);

export const fail = (message: string, remedy: string, details?: Details): CheckResult =>
  result('FAIL', message, remedy, details);

export const skip = (message: string, remedy?: string): CheckResult =>
  result('SKIP', message, remedy);

/** The secret; throws a CheckSkipped if it is missing, which the check "configuration" reports. */
export const reveal = (secret: Secret, name: string): string => {
  try {
    return secret.reveal();
  } catch {
    throw new CheckSkipped(`${name} is missing; see configuration.`);
  }
};
