import type { GroupConditions, GroupView, GroupViewReader } from '../../api/group-views.js';
import { fold } from '../../domain/fold.js';
import { rosterOf } from '../../domain/group.js';
import type { RoomId, TenantId } from '../../domain/ids.js';
import { guardRead } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import type { GroupDocument } from '../tables/groups.js';
import { fromGroupDocument } from '../tables/groups.js';
import { readCounter } from './tenant-counter.js';
import { pageOfMembers } from './room-members.js';
import { rolesOf } from './view-rooms.js';

/** Reads of SCIM groups with their roles, within one tenant. */
export const mongoGroupViewReader = (collections: Collections): GroupViewReader => {
  const { groups } = collections;

  const view = async (
    tenantId: TenantId,
    found: readonly GroupDocument[],
  ): Promise<readonly GroupView[]> => {
    const roles = await rolesOf(collections, tenantId, found);
    return found.map((document) => ({
      group: fromGroupDocument(document),
      role: roles.get(document.folded.displayName) ?? null,
    }));
  };

  const count = async (
    tenantId: TenantId,
    { displayName, externalId }: GroupConditions,
  ): Promise<number> => {
    if (displayName === undefined && externalId === undefined) {
      return readCounter(collections, tenantId, 'groupCount');
    }
    return groups.countDocuments(conditionsOf(tenantId, { displayName, externalId }));
  };

  return {
    find: (tenantId, id) =>
      guardRead(async () => {
        const found = await groups.findOne({ _id: id, tenant: tenantId });
        return found ? (await view(tenantId, [found]))[0] : undefined;
      }),
    page: (tenantId, { offset, limit, ...conditions }) =>
      guardRead(async () => {
        const [total, found] = await Promise.all([
          count(tenantId, conditions),
          groups
            .find(conditionsOf(tenantId, conditions), { batchSize: 1_000 })
            .sort({ createdAt: 1, _id: 1 })
            .skip(offset)
            .limit(limit)
            .toArray(),
        ]);
        return { groups: await view(tenantId, found), total };
      }),
    memberPage: (tenantId, id, page) =>
      guardRead(async () => {
        const found = await groups.findOne({ _id: id, tenant: tenantId });
        if (!found) return undefined;
        const group = fromGroupDocument(found);
        // Rosters of rooms and of role-only groups are read in the same way.
        const roster = rosterOf(group) as RoomId;
        const members = await pageOfMembers(collections, tenantId, roster, page);
        return { members, total: group.memberCount };
      }),
  };
};

const conditionsOf = (
  tenantId: TenantId,
  { displayName, externalId }: { readonly [Field in keyof GroupConditions]: string | undefined },
) => ({
  tenant: tenantId,
  ...(displayName === undefined ? {} : { 'folded.displayName': fold(displayName) }),
  ...(externalId === undefined ? {} : { externalId }),
});
