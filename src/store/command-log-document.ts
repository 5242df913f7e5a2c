import type { CommandId, TenantId } from '../domain/ids.js';
import type { CommandLogEntry } from '../pipeline/commit-store.js';
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

export const fromCommandLogDocument = ({
  _id,
  tenant,
  expireAt: _expireAt,
  ...entry
}: CommandLogDocument): CommandLogEntry => ({
  id: _id as CommandId,
  tenantId: tenant as TenantId,
  ...entry,
  source: entry.source as CommandLogEntry['source'],
  outcome: entry.outcome as CommandLogEntry['outcome'],
});
