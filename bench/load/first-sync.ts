import { performance } from 'node:perf_hooks';
import { givesList } from './answer-faults.js';
import { ask, type Crew, shareOut } from './ask.js';
import type { Exchange } from './connection.js';
import { checkGroup, type GroupPlan, makeGroups, makeUsers } from './provision.js';
import type { KnownGroup, KnownUser } from './target.js';

/** An organisation that an identity provider brings over for the first time. */
export interface SyncPlan {
  readonly users: number;
  readonly usersInGroup: number;
}

export interface Synced {
  /** Until the last answer. */
  readonly seconds: number;
  readonly requests: number;
  readonly events: number;
  readonly groups: readonly KnownGroup[];
}

/** Identity providers send members in portions, not a group at once. */
const MEMBERS_AT_ONCE = 20;

const plansFor = (users: readonly KnownUser[], { usersInGroup }: SyncPlan): readonly GroupPlan[] =>
  Array.from({ length: Math.floor(users.length / usersInGroup) }, (_, index) => ({
    displayName: `Team ${index + 1}`,
    memberIds: users.slice(index * usersInGroup, (index + 1) * usersInGroup).map(({ id }) => id),
  }));

/** All users, then all groups, each made empty and filled. Throws WrongAnswer. */
export const syncFirst = async (crew: Crew, plan: SyncPlan): Promise<Synced> => {
  const began = performance.now();
  const users = await makeUsers(crew, { prefix: 'sync', count: plan.users });
  const plans = plansFor(users, plan);
  const groups = await makeGroups(crew, plans, MEMBERS_AT_ONCE);
  const seconds = (performance.now() - began) / 1_000;
  const members = groups.length * plan.usersInGroup;
  const patches = groups.length * Math.ceil(plan.usersInGroup / MEMBERS_AT_ONCE);
  return {
    seconds,
    requests: users.length + groups.length + patches,
    events: users.length + groups.length + members,
    groups,
  };
};

/** There must be so many users, and each group with exactly its members. Throws WrongAnswer. */
export const checkSync = async (
  crew: Crew,
  users: number,
  groups: readonly KnownGroup[],
): Promise<void> => {
  const fault = givesList({ total: users, users: [{}] });
  const count: Exchange = { method: 'GET', path: '/Users?count=1', fault };
  await shareOut({ ...crew, clients: 1 }, [count], ask);
  await shareOut(crew, groups, checkGroup);
};
