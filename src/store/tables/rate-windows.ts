import { defineCollection, EXPIRES } from './collection.js';

/** How many requests of a key's window have been granted to instances, used or not. */
export interface RateWindowDocument {
  /** `{key}:{window}` */
  readonly _id: string;
  readonly granted: number;
  readonly expireAt: Date;
}

export const rateWindows = defineCollection<RateWindowDocument>({
  name: 'rate_windows',
  fields: { _id: String, granted: Number, expireAt: Date },
  indexes: [EXPIRES],
  purge: 'never',
});
