import { LRUCache } from 'lru-cache';
import type { GroupOfUser } from '../../ports/users.js';
import type { GroupId, TenantId } from '../../domain/kernel/ids.js';
import type { Collections } from '../tables/collections.js';

/**
 * How long a name may be used in milliseconds: changes by other instances show within a second, like
 * changes of a tenant's settings. Changes by this instance show at once (`forget`).
 */
const MAX_AGE_MS = 1_000;
/** Names in memory, over all tenants. */
const MAX_NAMES = 20_000;
/** Names that are read again together when they have expired. */
const MAX_REFRESHED = 1_000;

type GroupsByRoster = Map<string, GroupOfUser | null>;

const NONE: ReadonlyMap<string, GroupOfUser | null> = new Map();

/** The names that were read for a tenant since it was last forgotten or has expired. */
interface TenantNames {
  readonly readAt: number;
  /** Null for the roster of a room without a group. */
  readonly byRoster: GroupsByRoster;
  /** Resolves when the names that had expired are read again: one query for all requests. */
  readonly refreshed: Promise<void>;
}

/** The groups of a user in these rosters, by display name. */
export const groupsIn = (
  rosters: readonly string[],
  byRoster: ReadonlyMap<string, GroupOfUser | null>,
): readonly GroupOfUser[] => rosters.flatMap((roster) => byRoster.get(roster) ?? []).sort(byName);

const byName = (one: GroupOfUser, other: GroupOfUser): number =>
  one.displayName < other.displayName ? -1 : 1;

/** The groups of rosters, cached: nearly every response about a user needs them. */
export interface GroupNames {
  readonly of: (
    tenantId: TenantId,
    rosters: readonly string[],
  ) => Promise<ReadonlyMap<string, GroupOfUser | null>>;
  /** Call it after every change of a tenant's groups by this instance, before its response. */
  readonly forget: (tenantId: TenantId) => void;
}

export const createGroupNames = (
  { groups }: Pick<Collections, 'groups'>,
  now: () => number = () => performance.now(),
): GroupNames => {
  const tenants = new LRUCache<TenantId, TenantNames>({
    maxSize: MAX_NAMES,
    sizeCalculation: ({ byRoster }) => byRoster.size + 1,
  });

  const read = async (tenantId: TenantId, rosters: readonly string[]): Promise<GroupsByRoster> => {
    const found = await groups
      .find(
        { tenant: tenantId, roster: { $in: [...rosters] } },
        { projection: { roster: 1, displayName: 1 } },
      )
      .toArray();
    const byRoster: GroupsByRoster = new Map(rosters.map((roster) => [roster, null]));
    for (const { _id, roster, displayName } of found)
      byRoster.set(roster, { id: _id as GroupId, displayName });
    return byRoster;
  };

  /** Adds names, unless they were forgotten while they were read: they may be outdated then. */
  const add = (tenantId: TenantId, names: TenantNames, found: GroupsByRoster): void => {
    if (tenants.peek(tenantId) !== names) return;
    for (const [roster, group] of found) names.byRoster.set(roster, group);
    // The cache measures an entry only when it is stored.
    tenants.delete(tenantId);
    tenants.set(tenantId, names);
  };

  const open = (tenantId: TenantId): TenantNames => {
    const cached = tenants.get(tenantId);
    if (cached && now() - cached.readAt < MAX_AGE_MS) return cached;
    const expired = [...(cached?.byRoster.keys() ?? [])];
    const readAt = now();
    const refresh = async (): Promise<void> => {
      if (expired.length === 0 || expired.length > MAX_REFRESHED) return;
      const found = await read(tenantId, expired);
      add(tenantId, names, found);
    };
    // A request whose names are still missing then reads them itself, and reports the error.
    const refreshed = refresh().catch(() => undefined);
    const names: TenantNames = { readAt, byRoster: new Map(), refreshed };
    tenants.set(tenantId, names);
    return names;
  };

  return {
    of: async (tenantId, rosters) => {
      if (rosters.length === 0) return NONE;
      const names = open(tenantId);
      await names.refreshed;
      const missing = rosters.filter((roster) => !names.byRoster.has(roster));
      if (missing.length === 0) return names.byRoster;
      const found = await read(tenantId, missing);
      add(tenantId, names, found);
      for (const roster of rosters)
        if (!found.has(roster)) found.set(roster, names.byRoster.get(roster) ?? null);
      return found;
    },
    forget: (tenantId) => void tenants.delete(tenantId),
  };
};
