import type { GroupId, UserId } from '../../../src/plugin/api.js';
import type { Gateway } from '../run/gateway.js';
import type { GroupNames } from './group-names.js';
import type { RecordFacts } from './plan-record.js';

/**
 * For each record, the groups that it leaves and whose membership is not the one that the connector has
 * made: an administrator has removed the user, and added them again.
 */
export const foreignGroups = async (
  records: readonly Pick<RecordFacts, 'user' | 'link' | 'former' | 'groups'>[],
  { gateway, groups }: { readonly gateway: Gateway; readonly groups: GroupNames },
): Promise<readonly (readonly GroupId[])[]> => {
  const left = records.map(({ user, link, former, groups: names }) => {
    const own = user ? ((former ?? link)?.groups ?? []) : [];
    if (own.length === 0) return [];
    const wanted = new Set(names.map(groups.lookUp));
    return own.filter(({ id, addedAt }) => addedAt !== undefined && !wanted.has(id));
  });
  const groupIds = left.flat().map(({ id }) => id);
  if (groupIds.length === 0) return [];
  const userIds = records.flatMap(({ user }, at) => (left[at]?.length && user ? user.id : []));
  const memberships = await gateway.memberships(groupIds, userIds);
  const addedAt = (groupId: GroupId, userId: UserId | undefined): string | undefined =>
    memberships
      .find((one) => one.groupId === groupId && one.userId === userId)
      ?.addedAt.toISOString();
  return left.map((own, at) =>
    own
      .filter((group) => group.addedAt !== addedAt(group.id, records[at]?.user?.id))
      .map(({ id }) => id),
  );
};
