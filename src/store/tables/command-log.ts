import type { CommandType } from '../../domain/commands.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import { createCodec, OF_TENANT } from './codec.js';
import { defineTenantCollection, type DocumentOf, EXPIRES, uniqueWhereSet } from './collection.js';
import { nullable, optional, typed } from './fields.js';

/** The lines of the provisioning log. */
export const commandLog = defineTenantCollection({
  name: 'command_log',
  fields: {
    at: Date,
    actor: String,
    source: String,
    type: typed<CommandType>(String),
    outcome: String,
    refusal: typed<CommandLogEntry['refusal']>(Object),
    events: typed<CommandLogEntry['events']>([Number]),
    durationMs: Number,
    requestId: String,
    answer: optional(typed<JsonValue>(Object)),
    expireAt: Date,
    actorName: nullable(String),
    subject: typed<CommandLogEntry['subject']>(Object),
    affected: typed<CommandLogEntry['affected']>(Object),
    affectedCount: Number,
    changes: typed<CommandLogEntry['changes']>(Object),
    changeCount: Number,
    skipped: typed<CommandLogEntry['skipped']>(Object),
    deliveries: Number,
    /** Index terms of the line (pipeline/log/log-keys.ts). */
    keys: [String],
    /** Only in lines without a commit: their number (log-unapplied.ts). */
    unappliedSeq: optional(Number),
  },
  indexes: [
    { key: { tenant: 1, at: -1, _id: -1 } },
    // Written by every commit: one index for all terms.
    { key: { tenant: 1, keys: 1, at: -1, _id: -1 } },
    { key: { tenant: 1, unappliedSeq: 1 }, ...uniqueWhereSet('unappliedSeq') },
    EXPIRES,
  ],
});

export type CommandLogDocument = DocumentOf<typeof commandLog>;

/** `keepMs`: how long the line is kept, in milliseconds. */
export const { toDocument: toCommandLogDocument, fromDocument: fromCommandLogDocument } =
  createCodec<CommandLogEntry, CommandLogDocument, [keepMs: number]>({
    names: OF_TENANT,
    derived: { expireAt: ({ at }, keepMs) => new Date(at.getTime() + keepMs) },
  });

/** How many entries of the provisioning log were written without a commit; the tenant is the id. */
export const logEnds = defineTenantCollection({
  name: 'log_ends',
  fields: { unapplied: Number },
});
