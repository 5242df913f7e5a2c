import { ask, type Crew, shareOut } from './ask.js';
import type { Connection } from './connection.js';
import { EMPTY_SCENE, type Scene } from './ground.js';
import { changeMembers } from './group-works.js';
import { checkGroup, makeGroups, makeUsers } from './provision.js';
import type { KnownGroup, KnownUser } from './target.js';

/** Where a scene is made. */
export interface Site extends Crew {
  readonly users: readonly KnownUser[];
}

/** A scene, and how many events its making was. */
export interface Made {
  readonly scene: Scene;
  readonly events: number;
}

const USERS_A_GROUP = 100;
const JOINERS = 64;
/** Fewer than make a job of it, which would go on after the answer (decisions.md 3). */
const MEMBERS_AT_ONCE = 500;

/** A group for every hundred users, each user in one. */
const departments = async ({ users, ...crew }: Site): Promise<Made> => {
  const plans = Array.from({ length: Math.ceil(users.length / USERS_A_GROUP) }, (_, index) => ({
    displayName: `Department ${index + 1}`,
    memberIds: users.slice(index * USERS_A_GROUP, (index + 1) * USERS_A_GROUP).map(({ id }) => id),
  }));
  const groups = await makeGroups(crew, plans, MEMBERS_AT_ONCE);
  return { scene: { ...EMPTY_SCENE, groups }, events: groups.length + users.length };
};

/** One group of so many members, and users who are not in it; who is lacking is made. */
const team =
  (size: number) =>
  async ({ users, ...crew }: Site): Promise<Made> => {
    const lacking = Math.max(0, size + JOINERS - users.length);
    const more = await makeUsers(crew, { prefix: `team${size}`, count: lacking });
    const everyone = [...users, ...more];
    const memberIds = everyone.slice(0, size).map(({ id }) => id);
    const plan = { displayName: `Team of ${size}`, memberIds };
    const groups = await makeGroups(crew, [plan], MEMBERS_AT_ONCE);
    const joiners = everyone.slice(size, size + JOINERS);
    return { scene: { groups, joiners }, events: lacking + 1 + size };
  };

/** What is made for the workloads that need more than users. */
export const SCENES = {
  departments,
  teamOf10: team(10),
  teamOf10k: team(10_000),
} as const satisfies Record<string, (site: Site) => Promise<Made>>;

export type SceneName = keyof typeof SCENES;

/**
 * Holds the groups against what they have to be after the work: nobody more, nobody less. Where
 * users have joined and left, one does so again and is looked for, as 204 says nothing of whether
 * it was done. The number of events that this made.
 */
export const checkScene = async (crew: Crew, { groups, joiners }: Scene): Promise<number> => {
  await shareOut(crew, groups, checkGroup);
  const [group] = groups;
  const [joiner] = joiners;
  if (!group || !joiner) return 0;
  await shareOut({ ...crew, clients: 1 }, [group], (connection) =>
    joinAndLeave(connection, group, joiner),
  );
  return 2;
};

const joinAndLeave = async (
  connection: Connection,
  group: KnownGroup,
  { id }: KnownUser,
): Promise<void> => {
  await ask(connection, changeMembers('add', group.id, [id]));
  await checkGroup(connection, { ...group, memberIds: [...group.memberIds, id] });
  await ask(connection, changeMembers('remove', group.id, [id]));
  await checkGroup(connection, group);
};
