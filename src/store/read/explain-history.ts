import type {
  CommandLogQuery,
  CommandLogReader,
  ExplainReader,
  FormerMembership,
  LogPosition,
} from '../../ports/command-log.js';
import type { RoomId, TenantId, UserId } from '../../domain/kernel/ids.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import { isDeactivation } from '../../pipeline/log/log-keys.js';
import type { Reads } from '../bind-reads.js';
import type { Collections } from '../tables/collections.js';
import type { Entities } from './entities.js';

/** Pages of the log that are searched; each scans at most a few thousand entries. */
const MAX_PAGES = 4;
const PAGE = 50;

/** The times that a date can have. */
const WHOLE_LOG = {
  after: { at: new Date(0), id: '' },
  until: new Date(8_640_000_000_000_000),
};

/** What every read for `explain` needs. */
export interface ExplainParts {
  readonly collections: Collections;
  readonly entities: Entities;
  readonly log: CommandLogReader;
}

export type ExplainReads = Reads<ExplainReader, ExplainParts>;

interface Pair {
  readonly tenantId: TenantId;
  readonly user: { readonly id: UserId; readonly createdAt: Date };
  readonly room: { readonly id: RoomId; readonly createdAt: Date };
}

type Query = Omit<CommandLogQuery, 'limit' | 'after'>;

/** The last of these entries. */
export const lastEntry = async (
  { log }: ExplainParts,
  tenantId: TenantId,
  query: Query,
): Promise<CommandLogEntry | null> => {
  const { entries } = await log.page(tenantId, { ...query, limit: 1 });
  return entries[0] ?? null;
};

/**
 * What is found in the last of these entries that has it; otherwise where the search ended, which is
 * undefined at the end of the log.
 */
const searchLog = async <Found>(
  { log }: ExplainParts,
  tenantId: TenantId,
  query: Query,
  find: (entry: CommandLogEntry) => Promise<Found | undefined> | Found | undefined,
): Promise<{ readonly found?: Found; readonly end?: LogPosition | undefined }> => {
  let end: LogPosition | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const range = { limit: PAGE, ...(end && { after: end }) };
    const { entries, next } = await log.page(tenantId, { ...query, ...range });
    for (const entry of entries) {
      const found = await find(entry);
      if (found !== undefined) return { found };
    }
    end = next;
    if (!end) break;
  }
  return { end };
};

/** The command that deactivated a user. */
export const findDeactivation = async (
  parts: ExplainParts,
  tenantId: TenantId,
  userId: UserId,
): Promise<CommandLogEntry | null> => {
  const { found } = await searchLog(parts, tenantId, { subject: userId }, (entry) =>
    isDeactivation(entry) ? entry : undefined,
  );
  return found ?? null;
};

/**
 * A job's step is a command of the gateway; the command that started the job has the same request
 * id.
 */
export const originOf = async (
  { log }: ExplainParts,
  tenantId: TenantId,
  entry: CommandLogEntry,
): Promise<CommandLogEntry> => {
  if (entry.type !== 'job.step') return entry;
  const { requestId, at: until } = entry;
  const { entries } = await log.page(tenantId, { requestId, until, limit: 50 });
  return entries.find(({ type }) => type !== 'job.step') ?? entry;
};

/** When and by what a user left a room that they are not in, from the provisioning log. */
export const findFormerMembership = async (
  parts: ExplainParts,
  pair: Pair,
): Promise<FormerMembership> => {
  const { tenantId, user, room } = pair;
  const leaving = async (entry: CommandLogEntry): Promise<FormerMembership | undefined> => {
    const change = await changeIn(parts, pair, entry);
    if (change === 'removed')
      return { is: 'removed', at: entry.at, by: await originOf(parts, tenantId, entry) };
    // A removal after it must have been there.
    return change && { is: 'unknown', searchedSince: entry.at };
  };
  const touching = [user.id, room.id];
  const { found, end } = await searchLog(parts, tenantId, { touching }, leaving);
  if (found) return found;
  return end ? { is: 'unknown', searchedSince: end.at } : sinceBothExist(parts, pair);
};

/** Nothing in the log: it proves that nothing happened only if it has the creation of both. */
const sinceBothExist = async (
  parts: ExplainParts,
  { tenantId, user, room }: Pair,
): Promise<FormerMembership> => {
  const { id, createdAt: since } = user.createdAt > room.createdAt ? user : room;
  const created = { touching: [id], since, until: new Date(since.getTime() + 1) };
  if (await lastEntry(parts, tenantId, created)) return { is: 'never_added' };
  const [oldest] = await parts.log.positions(tenantId, { ...WHOLE_LOG, limit: 1 });
  return { is: 'unknown', searchedSince: oldest?.at ?? null };
};

/** What the command did to the membership; undefined: nothing, or it is no longer known. */
const changeIn = async (
  { collections }: ExplainParts,
  { tenantId, user, room }: Pair,
  { outcome, subject, changes, changeCount, events }: CommandLogEntry,
): Promise<'added' | 'removed' | undefined> => {
  if (outcome !== 'applied') return undefined;
  const isOfSubject = subject?.id === room.id || subject?.kind === 'group';
  const path = `members[${user.id}].tx_permission`;
  const shown = changes.find(
    (change) =>
      change.path === `rooms[${room.id}].${path}` || (isOfSubject && change.path === path),
  );
  // The permission of a non-member is null.
  if (shown?.after === null) return 'removed';
  if (shown) return shown.before === null ? 'added' : undefined;
  if (changes.length === changeCount || !events) return undefined;
  // An entry shows its first changes only; its events are complete.
  const [first, last] = events;
  const found = await collections.events
    .find(
      {
        tenant: tenantId,
        seq: { $gte: first, $lte: last },
        name: { $in: ['room.member_added', 'room.member_removed'] },
        'res.id': `${room.id}:${user.id}`,
      },
      { hint: { tenant: 1, seq: 1 }, projection: { name: 1 } },
    )
    .sort({ seq: -1 })
    .limit(1)
    .next();
  if (!found) return undefined;
  return found.name === 'room.member_added' ? 'added' : 'removed';
};
