import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly hasAllPropertyRuns?: boolean;
  }
}

/** The share of the runs of a property in `npm test`. */
const SHARE = 0.1;
const AT_LEAST = 10;

/**
 * How often to run a property: `count` times in the system project, a tenth of it in `npm test`.
 * The environment variable PROPERTY_RUNS sets another number, for all properties of a run.
 */
export const propertyRuns = (count: number): number => {
  const { PROPERTY_RUNS } = process.env;
  if (PROPERTY_RUNS !== undefined) return Number(PROPERTY_RUNS);
  return inject('hasAllPropertyRuns') ? count : Math.max(AT_LEAST, Math.round(count * SHARE));
};
