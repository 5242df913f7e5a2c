import { LRUCache } from 'lru-cache';
import { type Group, rosterOf } from '../domain/group/group.js';
import type { Hints } from '../domain/kernel/decider.js';
import type { GroupId, RosterId, TenantId } from '../domain/kernel/ids.js';

/** Groups in memory, over all tenants: about 3 MB. */
const MAX_GROUPS = 20_000;

/**
 * The rosters of the groups that were loaded last. An identity provider changes the members of one
 * group in many requests: all but the first find the room and the memberships in the same query as
 * the group (decision 0047).
 */
export interface RosterHints {
  readonly of: (tenantId: TenantId) => Hints;
  readonly note: (groups: readonly Group[]) => void;
}

export const createRosterHints = (): RosterHints => {
  const rosters = new LRUCache<string, RosterId>({
    maxSize: MAX_GROUPS,
    sizeCalculation: () => 1,
  });
  const keyOf = (tenantId: TenantId, groupId: GroupId): string => `${tenantId} ${groupId}`;
  return {
    of: (tenantId) => ({ rosterOf: (groupId) => rosters.get(keyOf(tenantId, groupId)) }),
    note: (groups) => {
      for (const group of groups) rosters.set(keyOf(group.tenantId, group.id), rosterOf(group));
    },
  };
};
