import { type Refusal, refuse } from '../domain/refusals.js';

/** What callers are told of faults that are none of theirs; the cause is for the log. */

export const unavailable = (): Refusal =>
  refuse('UNAVAILABLE', 'The database does not answer. Try again shortly.', { retryAfter: 2 });

export const broken = (): Refusal =>
  refuse('INTERNAL', 'Something went wrong here. Nothing was changed.');
