import { type Refusal, RefusalError } from '../../src/domain/refusals.js';

/** The refusal that some work ends in; fails where it does not. */
export const refusalOf = (work: () => unknown): Refusal => {
  try {
    work();
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
  throw new Error('It was not refused.');
};
