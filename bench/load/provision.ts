import { givesNewUser } from './answer-faults.js';
import { ask, type Crew, shareOut } from './ask.js';
import type { Connection, Exchange } from './connection.js';
import { givesGroup, givesNewGroup } from './group-faults.js';
import { changeMembers } from './group-works.js';
import { scimGroup } from './scim-group.js';
import { scimUser } from './scim-user.js';
import type { KnownGroup, KnownUser } from './target.js';

export interface NewUsers {
  readonly prefix: string;
  readonly count: number;
}

/** A group to be made. */
export interface GroupPlan {
  readonly displayName: string;
  readonly memberIds: readonly string[];
}

export const postUser = (user: ReturnType<typeof scimUser>): Exchange => ({
  method: 'POST',
  path: '/Users',
  body: JSON.stringify(user),
  fault: givesNewUser(user.userName),
});

const idIn = (text: string): string => (JSON.parse(text) as { readonly id: string }).id;

/** Makes users by POST. Throws WrongAnswer, as all here. */
export const makeUsers = (crew: Crew, { prefix, count }: NewUsers): Promise<readonly KnownUser[]> =>
  shareOut(crew, [...Array(count).keys()], async (connection, index) => {
    const user = scimUser(prefix, index + 1);
    const { text } = await ask(connection, postUser(user));
    return { id: idIn(text), userName: user.userName };
  });

const postGroup = (displayName: string): Exchange => ({
  method: 'POST',
  path: '/Groups',
  body: JSON.stringify(scimGroup(displayName)),
  fault: givesNewGroup(displayName),
});

/** As Entra: each group is made empty, then filled by PATCHes of so many members. */
export const makeGroups = (
  crew: Crew,
  plans: readonly GroupPlan[],
  membersAtOnce: number,
): Promise<readonly KnownGroup[]> =>
  shareOut(crew, plans, async (connection, { displayName, memberIds }) => {
    const { text } = await ask(connection, postGroup(displayName));
    const id = idIn(text);
    for (const some of portionsOf(memberIds, membersAtOnce)) {
      await ask(connection, changeMembers('add', id, some));
    }
    return { id, displayName, memberIds };
  });

const portionsOf = <Item>(items: readonly Item[], length: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / length) }, (_, index) =>
    items.slice(index * length, (index + 1) * length),
  );

/** Reads the whole group, which must be as it is known. */
export const checkGroup = async (connection: Connection, group: KnownGroup): Promise<void> => {
  await ask(connection, { method: 'GET', path: `/Groups/${group.id}`, fault: givesGroup(group) });
};
