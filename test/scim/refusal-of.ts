import { type Refusal, RefusalError } from '../../src/domain/kernel/refusals.js';

/** The refusal that `work` throws; fails if it throws none. */
export const refusalOf = (work: () => unknown): Refusal => {
  try {
    work();
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
  throw new Error('Expected a refusal, but none was thrown.');
};
