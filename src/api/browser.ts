import type { Refusal, RefusalError } from '../domain/kernel/refusals.js';

/** What routes that sign in and out know of the HTTP request. */
export interface Browser {
  readonly cookie: (name: string) => string | undefined;
  readonly userAgent: string | null;
  /** Counts a failed sign-in of its address, and returns its refusal or RATE_LIMITED. */
  readonly refuse: (refusal: Refusal) => RefusalError;
}
