import type {
  CommandLogReader,
  LogPosition,
  FormerMembership,
  SimilarNames,
} from '../../ports/command-log.js';
import type { RoomId, TenantId, UserId } from '../../domain/kernel/ids.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import type { Collections } from '../tables/collections.js';
import { nameKey } from '../../domain/kernel/names.js';
import { groupCodec } from '../tables/groups.js';
import { roomCodec } from '../tables/rooms.js';
import { beginningsOf, findSimilar, similarTo } from './similar-names.js';

/** Pages of the log that are searched; each scans at most a few thousand entries of the user. */
const MAX_PAGES = 4;
const PAGE = 50;

/** The times that a date can have. */
const WHOLE_LOG = {
  after: { at: new Date(0), id: '' },
  until: new Date(8_640_000_000_000_000),
};

interface Parts {
  readonly collections: Pick<Collections, 'events'>;
  readonly log: CommandLogReader;
}

interface Pair {
  readonly tenantId: TenantId;
  readonly user: { readonly id: UserId; readonly createdAt: Date };
  readonly room: { readonly id: RoomId; readonly createdAt: Date };
}

/** When and by what a user left a room that they are not in, from the provisioning log. */
export const findFormerMembership = async (parts: Parts, pair: Pair): Promise<FormerMembership> => {
  const { log } = parts;
  const { tenantId, user, room } = pair;
  let after: LogPosition | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { entries, next } = await log.page(tenantId, {
      touching: [user.id, room.id],
      limit: PAGE,
      ...(after && { after }),
    });
    for (const entry of entries) {
      const change = await changeIn(parts, pair, entry);
      if (change === 'removed') return { is: 'removed', at: entry.at, by: entry };
      // A removal after it must have been there.
      if (change === 'added') return { is: 'unknown', searchedSince: entry.at };
    }
    if (!next) return sinceBothExist(log, pair);
    after = next;
  }
  return { is: 'unknown', searchedSince: after?.at ?? null };
};

/** Nothing in the log: it proves that nothing happened only if it has the creation of both. */
const sinceBothExist = async (
  log: CommandLogReader,
  { tenantId, user, room }: Pair,
): Promise<FormerMembership> => {
  const { id, createdAt } = user.createdAt > room.createdAt ? user : room;
  const until = new Date(createdAt.getTime() + 1);
  const created = await log.page(tenantId, { touching: [id], since: createdAt, until, limit: 1 });
  if (created.entries.length > 0) return { is: 'never_added' };
  const [oldest] = await log.positions(tenantId, { ...WHOLE_LOG, limit: 1 });
  return { is: 'unknown', searchedSince: oldest?.at ?? null };
};

type MembershipChange = 'added' | 'removed' | undefined;

/** What the command did to the membership; undefined: nothing, or it is no longer known. */
const changeIn = async (
  { collections }: Parts,
  { tenantId, user, room }: Pair,
  { outcome, subject, changes, changeCount, events }: CommandLogEntry,
): Promise<MembershipChange> => {
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

const SINGLE_BATCH = { batchSize: 1_000 };

/** Refused attempts, and what they may have meant; for `explain`. */
export const readAttempts = (
  { rooms, groups }: Pick<Collections, 'rooms' | 'groups'>,
  log: Pick<CommandLogReader, 'tried'>,
) => {
  /** Without attempts that another one made good, and all but the last of the same. */
  const stillRefused = async (
    tenantId: TenantId,
    entries: readonly CommandLogEntry[],
  ): Promise<readonly CommandLogEntry[]> => {
    const names = entries.map(({ subject }) => nameKey(subject?.name ?? ''));
    const created = await groups
      .find({ tenant: tenantId, 'folded.displayName': { $in: names } }, SINGLE_BATCH)
      .toArray();
    const exists = new Set(created.map(({ folded }) => folded.displayName));
    const seen = new Set<string>();
    return entries.filter(({ type, subject, refusal }) => {
      const name = nameKey(subject?.name ?? '');
      const key = `${type} ${name} ${refusal?.code ?? ''}`;
      const isNew = !seen.has(key) && !(type === 'group.create' && exists.has(name));
      seen.add(key);
      return isNew;
    });
  };

  const similar = async (tenantId: TenantId, name: string): Promise<SimilarNames> => {
    const near = { tenant: tenantId, name };
    const [foundRooms, foundGroups, tried] = await Promise.all([
      findSimilar(rooms, { ...near, field: 'folded.name' }, (room) => room.name),
      findSimilar(groups, { ...near, field: 'folded.displayName' }, (group) => group.displayName),
      Promise.all(beginningsOf(name).map((beginning) => log.tried(tenantId, beginning))),
    ]);
    const mapped = await groups
      .find({ tenant: tenantId, roster: { $in: foundRooms.map(({ _id }) => _id) } }, SINGLE_BATCH)
      .toArray();
    const pushed = tried.flat().filter(({ type }) => type === 'group.create');
    const unique = [...new Map(pushed.map((entry) => [entry.id, entry])).values()];
    const named = similarTo(name, unique, ({ subject }) => subject?.name ?? '');
    return {
      rooms: foundRooms.map((room) => {
        const group = mapped.find(({ roster }) => roster === room._id);
        return {
          room: roomCodec.fromDocument(room),
          group: group ? groupCodec.fromDocument(group) : null,
        };
      }),
      groups: foundGroups.filter(({ room }) => room === null).map(groupCodec.fromDocument),
      refused: await stillRefused(tenantId, named),
    };
  };

  return { stillRefused, similar };
};
