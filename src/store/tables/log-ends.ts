import { defineCollection } from './collection.js';

/** How many entries of the provisioning log were written without a commit. One document per tenant. */
export interface LogEndDocument {
  /** The tenant. */
  readonly _id: string;
  readonly tenant: string;
  readonly unapplied: number;
}

export const logEnds = defineCollection<LogEndDocument>({
  name: 'log_ends',
  fields: { _id: String, tenant: String, unapplied: Number },
  indexes: [],
  purge: 'by tenant',
});
