import { groupNameKey } from '../../domain/group/group.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import { nameKey } from '../../domain/kernel/names.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import type { RouteParts } from './route-parts.js';

const WEEK_MS = 7 * 24 * 3_600_000;
const MAX_READ = 500;

const groupNameIn = ({ type, subject }: CommandLogEntry): string | null =>
  type === 'group.create' ? (subject?.name ?? null) : null;

/** Pushes of groups that were refused in the last 7 days, and what became of their names. */
export const readRefusedGroups = async (
  { commands, roleMappings }: Pick<RouteParts, 'commands' | 'roleMappings'>,
  id: TenantId,
  now: Date,
) => {
  const { entries } = await commands.page(id, {
    ...{ type: 'group.create', outcome: 'refused', limit: MAX_READ },
    since: new Date(now.getTime() - WEEK_MS),
  });
  const newest = new Map<string, CommandLogEntry>();
  for (const entry of entries) {
    const key = nameKey(groupNameIn(entry) ?? '');
    if (!newest.has(key)) newest.set(key, entry);
  }
  const { groups, rooms, mappings } =
    newest.size === 0
      ? { groups: [], rooms: [], mappings: [] }
      : await roleMappings.named(id, [...newest.keys()]);
  const accepted = new Set(groups.map(groupNameKey));
  // A mapping that is off says that the name is ignored (decision 0045).
  const known = [...rooms.map(({ name }) => name), ...mappings.map((one) => one.groupDisplayName)];
  const settled = new Set([...accepted, ...known.map(nameKey)]);
  const isWithoutRoom = ({ refusal }: CommandLogEntry) => refusal?.code === 'ROOM_NOT_FOUND';
  return {
    /** The last push of each group that has no room, and no role mapping. */
    open: [...newest].flatMap(([key, entry]) =>
      isWithoutRoom(entry) && !settled.has(key) ? [entry] : [],
    ),
    /** Whether a refused command needs no attention of its own. */
    isCovered: (entry: CommandLogEntry): boolean => {
      const name = groupNameIn(entry);
      return name !== null && (isWithoutRoom(entry) || accepted.has(nameKey(name)));
    },
  };
};
