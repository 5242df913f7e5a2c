import type { OperatorLogEntry } from '../../ports/operator-log.js';
import { defineCollection, EXPIRES, MIXED } from './collection.js';

export interface OperatorLogDocument extends Omit<OperatorLogEntry, 'id'> {
  readonly _id: string;
  /** The actor and the subject, by whom an entry is found. */
  readonly operators: readonly string[];
  readonly expireAt: Date;
}

export const operatorLog = defineCollection<OperatorLogDocument>({
  name: 'operator_log',
  fields: {
    _id: String,
    at: Date,
    actor: MIXED,
    action: String,
    text: String,
    about: String,
    subject: String,
    tenant: String,
    refusal: String,
    operators: MIXED,
    expireAt: Date,
  },
  indexes: [{ key: { at: -1, _id: -1 } }, { key: { operators: 1, at: -1, _id: -1 } }, EXPIRES],
  purge: 'never',
});
