import { type JsonObject, z } from '../../src/plugin/api.js';

/** A row of the report: the columns are those of its author. */
export const WorkdayRecord = z.looseObject({}).transform((record) => record as JsonObject);
