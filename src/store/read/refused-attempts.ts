import type { CommandLogReader, SimilarNames } from '../../ports/command-log.js';
import { fold } from '../../domain/kernel/names.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import type { Collections } from '../tables/collections.js';
import { fromGroupDocument } from '../tables/groups.js';
import { fromRoomDocument } from '../tables/rooms.js';
import { beginningsOf, findSimilar, similarTo } from './similar-names.js';

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
    const names = entries.map(({ subject }) => fold(subject?.name ?? ''));
    const created = await groups
      .find({ tenant: tenantId, 'folded.displayName': { $in: names } }, SINGLE_BATCH)
      .toArray();
    const exists = new Set(created.map(({ folded }) => folded.displayName));
    const seen = new Set<string>();
    return entries.filter(({ type, subject, refusal }) => {
      const name = fold(subject?.name ?? '');
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
        return { room: fromRoomDocument(room), group: group ? fromGroupDocument(group) : null };
      }),
      groups: foundGroups.filter(({ room }) => room === null).map(fromGroupDocument),
      refused: await stillRefused(tenantId, named),
    };
  };

  return { stillRefused, similar };
};
