import type { DoctorContext } from './context.js';

/** How a check ended. SKIP: it could not be made, or there is nothing to check here. */
export type Status = 'OK' | 'WARN' | 'FAIL' | 'SKIP';

export interface Verdict {
  readonly status: Status;
  /** One line, fit to be pasted into an issue: no secrets. */
  readonly message: string;
  /** What to do: with every WARN and FAIL, and with a SKIP where something can be done. */
  readonly remedy?: string;
  /** Worth a look and no fault of this machine: it does not make the exit code. */
  readonly isAdvice?: true;
  /** What it was judged by, for programs. */
  readonly details?: Details;
}

export type Details = Readonly<Record<string, unknown>>;

/**
 * Looks at one thing. It changes nothing, starts nothing and locks nothing. What it throws is told:
 * a NotCheckable as SKIP, anything else as FAIL.
 */
export type Check = (context: DoctorContext) => Verdict | Promise<Verdict>;

/** What a check needs is not there, which is told somewhere else or is no fault. */
export class NotCheckable extends Error {
  override readonly name = 'NotCheckable';
}

const judged = (status: Status, message: string, remedy?: string, details?: Details): Verdict => ({
  status,
  message,
  ...(remedy !== undefined && { remedy }),
  ...(details && { details }),
});

export const ok = (message: string, details?: Details): Verdict =>
  judged('OK', message, undefined, details);

export const warn = (message: string, remedy: string, details?: Details): Verdict =>
  judged('WARN', message, remedy, details);

export const fail = (message: string, remedy: string, details?: Details): Verdict =>
  judged('FAIL', message, remedy, details);

export const skip = (message: string, remedy?: string): Verdict => judged('SKIP', message, remedy);
