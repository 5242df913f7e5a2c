import type { Connection } from './connection.js';
import { changeMembers } from './group-operations.js';
import { type Fixture, NO_FIXTURE } from './operation.js';
import { checkGroup, createGroups, createUsers } from './provision.js';
import { distribute, type LoadClients, sendChecked } from './send-checked.js';
import type { KnownGroup, KnownUser } from './target.js';

export interface FixtureInput extends LoadClients {
  readonly users: readonly KnownUser[];
}

/** A fixture, and the number of events that its creation caused. */
export interface CreatedFixture {
  readonly fixture: Fixture;
  readonly events: number;
}

const USERS_PER_GROUP = 100;
const JOINERS = 64;
/** A larger change would become a job. */
const MEMBERS_PER_PATCH = 500;

/** A group for every hundred users; each user is in one. */
const departments = async ({ users, ...clients }: FixtureInput): Promise<CreatedFixture> => {
  const plans = Array.from({ length: Math.ceil(users.length / USERS_PER_GROUP) }, (_, index) => ({
    displayName: `Department ${index + 1}`,
    memberIds: users
      .slice(index * USERS_PER_GROUP, (index + 1) * USERS_PER_GROUP)
      .map(({ id }) => id),
  }));
  const groups = await createGroups(clients, plans, MEMBERS_PER_PATCH);
  return { fixture: { ...NO_FIXTURE, groups }, events: groups.length + users.length };
};

/** One group of this size, and users outside it. Creates users if there are too few. */
const team =
  (size: number) =>
  async ({ users, ...clients }: FixtureInput): Promise<CreatedFixture> => {
    const missing = Math.max(0, size + JOINERS - users.length);
    const more = await createUsers(clients, { prefix: `team${size}`, count: missing });
    const everyone = [...users, ...more];
    const memberIds = everyone.slice(0, size).map(({ id }) => id);
    const plan = { displayName: `Team of ${size}`, memberIds };
    const groups = await createGroups(clients, [plan], MEMBERS_PER_PATCH);
    const joiners = everyone.slice(size, size + JOINERS);
    return { fixture: { groups, joiners }, events: missing + 1 + size };
  };

export const FIXTURES = {
  departments,
  teamOf10: team(10),
  teamOf10k: team(10_000),
} as const satisfies Record<string, (input: FixtureInput) => Promise<CreatedFixture>>;

export type FixtureName = keyof typeof FIXTURES;

/**
 * Checks the members of the groups after the workload. If users have joined and left, one does so
 * again and is checked each time, since a 204 does not prove it. Returns the number of events that
 * this caused.
 */
export const checkFixture = async (
  clients: LoadClients,
  { groups, joiners }: Fixture,
): Promise<number> => {
  await distribute(clients, groups, checkGroup);
  const [group] = groups;
  const [joiner] = joiners;
  if (!group || !joiner) return 0;
  await distribute({ ...clients, clients: 1 }, [group], (connection) =>
    checkJoinAndLeave(connection, group, joiner),
  );
  return 2;
};

const checkJoinAndLeave = async (
  connection: Connection,
  group: KnownGroup,
  { id }: KnownUser,
): Promise<void> => {
  await sendChecked(connection, changeMembers('add', group.id, [id]));
  await checkGroup(connection, { ...group, memberIds: [...group.memberIds, id] });
  await sendChecked(connection, changeMembers('remove', group.id, [id]));
  await checkGroup(connection, group);
};
