import type { CommandId, TenantId } from '../domain/ids.js';
import type { CommandLogEntry } from '../pipeline/commit-store.js';
import type { LoggedThing } from '../pipeline/logged-command.js';
import type { CommandLogDocument } from './documents.js';

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
const legacySubject = ({ target, type }: CommandLogDocument): LoggedThing | null =>
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
    ...(document.answer !== undefined && { answer: document.answer }),
  };
};
