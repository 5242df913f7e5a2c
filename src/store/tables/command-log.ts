import type { CommandType } from '../../domain/commands.js';
import type { CommandId, TenantId } from '../../domain/kernel/ids.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import type {
  CommandLogEntry,
  LoggedRefusal,
  LoggedChange,
  LoggedResource,
} from '../../pipeline/commit-store.js';
import { defineCollection, EXPIRES, MIXED, uniqueWhereSet } from './collection.js';

/** A line of the provisioning log. */
export interface CommandLogDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly at: Date;
  readonly actor: string;
  readonly source: string;
  readonly type: CommandType;
  readonly outcome: string;
  readonly refusal: LoggedRefusal | null;
  readonly events: readonly [number, number] | null;
  readonly durationMs: number;
  readonly requestId: string;
  readonly answer?: JsonValue;
  readonly expireAt: Date;
  readonly actorName: string | null;
  readonly subject: LoggedResource | null;
  readonly affected: readonly LoggedResource[];
  readonly affectedCount: number;
  readonly changes: readonly LoggedChange[];
  readonly changeCount: number;
  readonly skipped?: NonNullable<CommandLogEntry['skipped']>;
  readonly deliveries?: number;
  /** Index terms of the line (pipeline/log/log-keys.ts). */
  readonly keys: readonly string[];
  /** Only in lines without a commit: their number (log-unapplied.ts). */
  readonly unappliedSeq?: number;
}

export const commandLog = defineCollection<CommandLogDocument>({
  name: 'command_log',
  fields: {
    _id: String,
    tenant: String,
    at: Date,
    actor: String,
    source: String,
    type: String,
    outcome: String,
    refusal: MIXED,
    events: [Number],
    durationMs: Number,
    requestId: String,
    answer: MIXED,
    expireAt: Date,
    actorName: String,
    subject: MIXED,
    affected: MIXED,
    affectedCount: Number,
    changes: MIXED,
    changeCount: Number,
    skipped: MIXED,
    deliveries: Number,
    keys: [String],
    unappliedSeq: Number,
  },
  indexes: [
    { key: { tenant: 1, at: -1, _id: -1 } },
    // Written by every commit: one index for all terms.
    { key: { tenant: 1, keys: 1, at: -1, _id: -1 } },
    { key: { tenant: 1, unappliedSeq: 1 }, ...uniqueWhereSet('unappliedSeq') },
    EXPIRES,
  ],
  purge: 'by tenant',
});

/** `keepMs`: how long the line is kept, in milliseconds. */
export const toCommandLogDocument = (
  { id, tenantId, ...entry }: CommandLogEntry,
  keepMs: number,
): CommandLogDocument => ({
  _id: id,
  tenant: tenantId,
  ...entry,
  expireAt: new Date(entry.at.getTime() + keepMs),
});

export const fromCommandLogDocument = ({
  _id,
  tenant,
  expireAt: _expireAt,
  source,
  outcome,
  deliveries = 0,
  ...entry
}: CommandLogDocument): CommandLogEntry => ({
  ...entry,
  id: _id as CommandId,
  tenantId: tenant as TenantId,
  source: source as CommandLogEntry['source'],
  outcome: outcome as CommandLogEntry['outcome'],
  deliveries,
});

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
