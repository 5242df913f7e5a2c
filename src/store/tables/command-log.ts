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
  /** Absent from lines of earlier versions, as are the fields down to `keys`. */
  readonly actorName?: string | null;
  readonly subject?: LoggedResource | null;
  readonly affected?: readonly LoggedResource[];
  readonly affectedCount?: number;
  readonly changes?: readonly LoggedChange[];
  readonly changeCount?: number;
  readonly skipped?: CommandLogEntry['skipped'];
  readonly deliveries?: number;
  /** Index terms of the line (pipeline/log/log-keys.ts). */
  readonly keys?: readonly string[];
  /** Only in lines without a commit: their number (log-unapplied.ts). */
  readonly unappliedSeq?: number;
  /** Only in lines of earlier versions. */
  readonly target?: string | null;
  readonly changed?: readonly string[];
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
    target: String,
    changed: [String],
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

/** Subject of lines written by earlier versions: an id; the command's type implies its kind. */
const legacySubject = ({ target, type }: CommandLogDocument): LoggedResource | null =>
  target ? { kind: KINDS[type.split('.')[0] ?? ''] ?? 'job', id: target, name: null } : null;

const KINDS: Readonly<Record<string, string>> = {
  user: 'user',
  room: 'room',
  member: 'room',
  group: 'group',
  'role-mapping': 'role_mapping',
  'sms-list': 'sms_list',
  'sms-member': 'sms_list',
  'api-key': 'api_key',
  plugin: 'webhook',
};

export const fromCommandLogDocument = (document: CommandLogDocument): CommandLogEntry => {
  const { _id, tenant, at, actor, type, refusal, events, durationMs, requestId } = document;
  const changes = document.changes ?? (document.changed ?? []).map((path) => ({ path }));
  return {
    id: _id as CommandId,
    tenantId: tenant as TenantId,
    at,
    actor,
    actorName: document.actorName ?? null,
    source: document.source as CommandLogEntry['source'],
    type,
    subject: document.subject === undefined ? legacySubject(document) : document.subject,
    affected: document.affected ?? [],
    affectedCount: document.affectedCount ?? 0,
    changes,
    changeCount: document.changeCount ?? changes.length,
    keys: document.keys ?? [],
    outcome: document.outcome as CommandLogEntry['outcome'],
    refusal,
    events,
    deliveries: document.deliveries ?? 0,
    durationMs,
    requestId,
    ...(document.unappliedSeq !== undefined && { unappliedSeq: document.unappliedSeq }),
    ...(document.skipped && { skipped: document.skipped }),
    ...(document.answer !== undefined && { answer: document.answer }),
  };
};

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
