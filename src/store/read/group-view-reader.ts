import type { GroupView, GroupViewReader } from '../../api/group-views.js';
import { fold } from '../../domain/kernel/names.js';
import { rosterOf } from '../../domain/group/group.js';
import type { RoomId, TenantId } from '../../domain/kernel/ids.js';
import { guardRead } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import type { GroupDocument } from '../tables/groups.js';
import { fromGroupDocument } from '../tables/groups.js';
import { readOldestFirst } from './find-page.js';
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

  return {
    find: (tenantId, id) =>
      guardRead(async () => {
        const found = await groups.findOne({ _id: id, tenant: tenantId });
        return found ? (await view(tenantId, [found]))[0] : undefined;
      }),
    page: (tenantId, { displayName, externalId, ...page }) =>
      guardRead(async () => {
        const isAll = displayName === undefined && externalId === undefined;
        const { found, total } = await readOldestFirst(
          groups,
          {
            tenant: tenantId,
            ...(displayName === undefined ? {} : { 'folded.displayName': fold(displayName) }),
            ...(externalId === undefined ? {} : { externalId }),
          },
          page,
          isAll ? () => readCounter(collections, tenantId, 'groupCount') : undefined,
        );
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
