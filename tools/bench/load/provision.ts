import type { CheckedRequest, Connection, KnownGroup, KnownUser } from './connection.js';
import { expectGroup, expectNewGroup, expectUsers } from './response-checks.js';
import { changeMembers, postUser, type Team } from './operations.js';
import { scimGroup, scimUser } from './scim-bodies.js';
import { distribute, type LoadClients, sendChecked } from './clients.js';
import { performance } from 'node:perf_hooks';

interface UserPlan {
  readonly prefix: string;
  readonly count: number;
}

interface GroupPlan {
  readonly displayName: string;
  readonly memberIds: readonly string[];
}

const idIn = (text: string): string => (JSON.parse(text) as { readonly id: string }).id;

/** Creates users by POST. */
const createUsers = (
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
const createGroups = (
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
const checkGroup = async (connection: Connection, group: KnownGroup): Promise<void> => {
  await sendChecked(connection, {
    method: 'GET',
    path: `/Groups/${group.id}`,
    check: expectGroup(group),
  });
};

/** A group, and the number of events that its creation caused. */
interface CreatedTeam {
  readonly team: Team;
  readonly events: number;
}

const JOINERS = 64;
/** A larger change would become a job. */
const MEMBERS_PER_PATCH = 500;

/** One group of this size, and users outside it. Creates users if there are too few. */
export const createTeam = async (
  clients: LoadClients,
  users: readonly KnownUser[],
  size: number,
): Promise<CreatedTeam> => {
  const missing = Math.max(0, size + JOINERS - users.length);
  const more = await createUsers(clients, { prefix: `team${size}`, count: missing });
  const everyone = [...users, ...more];
  const memberIds = everyone.slice(0, size).map(({ id }) => id);
  const plan = { displayName: `Team of ${size}`, memberIds };
  const [group] = await createGroups(clients, [plan], MEMBERS_PER_PATCH);
  const joiners = everyone.slice(size, size + JOINERS);
  return { team: { group, joiners }, events: missing + 1 + size };
};

/**
 * Checks the members of the group after the workload. One user joins and leaves again and is checked
 * each time, since a 204 does not prove it. Returns the number of events that this caused.
 */
export const checkTeam = async (
  clients: LoadClients,
  { group, joiners: [joiner] }: Team,
): Promise<number> => {
  if (!group || !joiner) return 0;
  await distribute(clients, [group], (connection) => checkJoinAndLeave(connection, group, joiner));
  return 2;
};

const checkJoinAndLeave = async (
  connection: Connection,
  group: KnownGroup,
  { id }: KnownUser,
): Promise<void> => {
  await checkGroup(connection, group);
  await sendChecked(connection, changeMembers('add', group.id, [id]));
  await checkGroup(connection, { ...group, memberIds: [...group.memberIds, id] });
  await sendChecked(connection, changeMembers('remove', group.id, [id]));
  await checkGroup(connection, group);
};

/** The first sync of an organisation by an identity provider. */
export interface SyncPlan {
  readonly users: number;
  readonly usersInGroup: number;
}

export interface SyncResult {
  /** Until the last response. */
  readonly seconds: number;
  readonly events: number;
  readonly groups: readonly KnownGroup[];
}

/** Identity providers add members in several requests. */
const MEMBERS_PER_SYNC_PATCH = 20;

const plansFor = (users: readonly KnownUser[], { usersInGroup }: SyncPlan): readonly GroupPlan[] =>
  Array.from({ length: Math.floor(users.length / usersInGroup) }, (_, index) => ({
    displayName: `Team ${index + 1}`,
    memberIds: users.slice(index * usersInGroup, (index + 1) * usersInGroup).map(({ id }) => id),
  }));

/** Creates all users, then all groups, and adds the members. */
export const runFirstSync = async (clients: LoadClients, plan: SyncPlan): Promise<SyncResult> => {
  const began = performance.now();
  const users = await createUsers(clients, { prefix: 'sync', count: plan.users });
  const plans = plansFor(users, plan);
  const groups = await createGroups(clients, plans, MEMBERS_PER_SYNC_PATCH);
  const seconds = (performance.now() - began) / 1_000;
  const members = groups.length * plan.usersInGroup;
  return { seconds, events: users.length + groups.length + members, groups };
};

/** Checks the number of users and the members of each group. */
export const checkSync = async (
  clients: LoadClients,
  users: number,
  groups: readonly KnownGroup[],
): Promise<void> => {
  const check = expectUsers({ total: users, users: [{}] });
  const count: CheckedRequest = { method: 'GET', path: '/Users?count=1', check };
  await distribute({ ...clients, clients: 1 }, [count], sendChecked);
  await distribute(clients, groups, checkGroup);
};
