import type { CheckedRequest, Connection } from './connection.js';
import { expectGroup, expectNewGroup } from './group-checks.js';
import { changeMembers } from './group-operations.js';
import { expectNewUser } from './response-checks.js';
import { scimGroup } from './scim-group.js';
import { scimUser } from './scim-user.js';
import { distribute, type LoadClients, sendChecked } from './send-checked.js';
import type { KnownGroup, KnownUser } from './target.js';

export interface UserPlan {
  readonly prefix: string;
  readonly count: number;
}

export interface GroupPlan {
  readonly displayName: string;
  readonly memberIds: readonly string[];
}

export const postUser = (user: ReturnType<typeof scimUser>): CheckedRequest => ({
  method: 'POST',
  path: '/Users',
  body: JSON.stringify(user),
  check: expectNewUser(user.userName),
});

const idIn = (text: string): string => (JSON.parse(text) as { readonly id: string }).id;

/** Creates users by POST. Throws WrongResponseError. */
export const createUsers = (
  clients: LoadClients,
  { prefix, count }: UserPlan,
): Promise<readonly KnownUser[]> =>
  distribute(clients, [...Array(count).keys()], async (connection, index) => {
    const user = scimUser(prefix, index + 1);
    const { text } = await sendChecked(connection, postUser(user));
    return { id: idIn(text), userName: user.userName };
  });

const postGroup = (displayName: string): CheckedRequest => ({
  method: 'POST',
  path: '/Groups',
  body: JSON.stringify(scimGroup(displayName)),
  check: expectNewGroup(displayName),
});

/** Like Entra, creates each group without members and adds them by PATCH. */
export const createGroups = (
  clients: LoadClients,
  plans: readonly GroupPlan[],
  membersPerPatch: number,
): Promise<readonly KnownGroup[]> =>
  distribute(clients, plans, async (connection, { displayName, memberIds }) => {
    const { text } = await sendChecked(connection, postGroup(displayName));
    const id = idIn(text);
    for (const chunk of chunksOf(memberIds, membersPerPatch)) {
      await sendChecked(connection, changeMembers('add', id, chunk));
    }
    return { id, displayName, memberIds };
  });

const chunksOf = <Item>(items: readonly Item[], length: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / length) }, (_, index) =>
    items.slice(index * length, (index + 1) * length),
  );

/** Reads the group and checks its members. */
export const checkGroup = async (connection: Connection, group: KnownGroup): Promise<void> => {
  await sendChecked(connection, {
    method: 'GET',
    path: `/Groups/${group.id}`,
    check: expectGroup(group),
  });
};
