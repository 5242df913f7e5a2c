const { PROPERTY_RUNS, MODEL_SEED } = process.env;

/** The same in every run, so that a failure follows from a change; a long run looks for more. */
const FIXED = 39;

/** Of all properties; undefined: another one for each. */
export const PROPERTY_SEED =
  MODEL_SEED === undefined && PROPERTY_RUNS !== undefined ? undefined : Number(MODEL_SEED ?? FIXED);
