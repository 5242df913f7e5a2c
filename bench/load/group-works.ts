import type { Exchange } from './connection.js';
import { givesGroup, givesGroupList, givesNothing } from './group-faults.js';
import { anyOf, type Ground, type Work } from './ground.js';
import { memberPatch } from './scim-group.js';

/** How Entra reads groups: members may be many, and it knows them itself. */
const WITHOUT_MEMBERS = 'excludedAttributes=members';

export const changeMembers = (
  op: 'add' | 'remove',
  groupId: string,
  userIds: readonly string[],
): Exchange => ({
  method: 'PATCH',
  path: `/Groups/${groupId}`,
  body: JSON.stringify(memberPatch(op, userIds)),
  fault: givesNothing,
});

export const readGroup = ({ groups }: Ground): Work => {
  return () => {
    const { id, displayName } = anyOf(groups);
    const fault = givesGroup({ id, displayName });
    return [{ method: 'GET', path: `/Groups/${id}?${WITHOUT_MEMBERS}`, fault }];
  };
};

export const findGroup = ({ groups }: Ground): Work => {
  return () => {
    const { id, displayName } = anyOf(groups);
    const filter = encodeURIComponent(`displayName eq "${displayName}"`);
    const fault = givesGroupList([{ id, displayName }]);
    return [{ method: 'GET', path: `/Groups?filter=${filter}&${WITHOUT_MEMBERS}`, fault }];
  };
};

/** One user joins the group and leaves it again, each client with users of its own. */
export const join = ({ groups: [group], joiners, clients }: Ground): Work => {
  const share = Math.floor(joiners.length / clients);
  const turns = new Map<number, number>();
  return (client) => {
    const turn = turns.get(client) ?? 0;
    turns.set(client, turn + 1);
    const joiner = joiners[client + clients * (turn % share)];
    if (!group || !joiner) throw new Error('There is no group, or nobody to join it.');
    return [
      changeMembers('add', group.id, [joiner.id]),
      changeMembers('remove', group.id, [joiner.id]),
    ];
  };
};
