import type { CheckedRequest } from './connection.js';
import { expectGroup, expectGroups, expectNoContent } from './group-checks.js';
import { type Operation, type OperationInput, pickRandom } from './operation.js';
import { memberPatch } from './scim-group.js';

/** As Entra reads groups. */
const EXCLUDE_MEMBERS = 'excludedAttributes=members';

export const changeMembers = (
  op: 'add' | 'remove',
  groupId: string,
  userIds: readonly string[],
): CheckedRequest => ({
  method: 'PATCH',
  path: `/Groups/${groupId}`,
  body: JSON.stringify(memberPatch(op, userIds)),
  check: expectNoContent,
});

export const readGroup = ({ groups }: OperationInput): Operation => {
  return () => {
    const { id, displayName } = pickRandom(groups);
    const check = expectGroup({ id, displayName });
    return [{ method: 'GET', path: `/Groups/${id}?${EXCLUDE_MEMBERS}`, check }];
  };
};

export const findGroup = ({ groups }: OperationInput): Operation => {
  return () => {
    const { id, displayName } = pickRandom(groups);
    const filter = encodeURIComponent(`displayName eq "${displayName}"`);
    const check = expectGroups([{ id, displayName }]);
    return [{ method: 'GET', path: `/Groups?filter=${filter}&${EXCLUDE_MEMBERS}`, check }];
  };
};

/** One user joins the group and leaves it; each client has its own users. */
export const joinAndLeave = ({ groups: [group], joiners, clients }: OperationInput): Operation => {
  const share = Math.floor(joiners.length / clients);
  const counts = new Map<number, number>();
  return (client) => {
    const count = counts.get(client) ?? 0;
    counts.set(client, count + 1);
    const joiner = joiners[client + clients * (count % share)];
    if (!group || !joiner) throw new Error('The fixture has no group or no users to join it.');
    return [
      changeMembers('add', group.id, [joiner.id]),
      changeMembers('remove', group.id, [joiner.id]),
    ];
  };
};
