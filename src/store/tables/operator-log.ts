import type { OperatorLogEntry } from '../../ports/operator-log.js';
import { createCodec } from './codec.js';
import { defineCollection, type DocumentOf, EXPIRES } from './collection.js';
import { nullable, typed } from './fields.js';

export const operatorLog = defineCollection({
  name: 'operator_log',
  fields: {
    _id: String,
    at: Date,
    actor: typed<OperatorLogEntry['actor']>(Object),
    action: String,
    text: String,
    about: nullable(String),
    subject: nullable(String),
    tenant: nullable(String),
    refusal: nullable(String),
    /** The actor and the subject: the filter by operator finds entries of both. */
    operators: typed<readonly string[]>(Object),
    expireAt: Date,
  },
  indexes: [{ key: { at: -1, _id: -1 } }, { key: { operators: 1, at: -1, _id: -1 } }, EXPIRES],
});

/** `keepMs`: how long an entry is kept, in milliseconds. */
export const operatorLogCodec = createCodec<
  OperatorLogEntry,
  DocumentOf<typeof operatorLog>,
  [keepMs: number]
>({
  names: { id: '_id' },
  derived: {
    operators: ({ actor, subject }) =>
      [...new Set([actor.id, subject])].filter((one) => one !== null),
    expireAt: ({ at }, keepMs) => new Date(at.getTime() + keepMs),
  },
});
