import { performance } from 'node:perf_hooks';
import type { CheckedRequest } from './connection.js';
import { checkGroup, createGroups, createUsers, type GroupPlan } from './provision.js';
import { expectUsers } from './response-checks.js';
import { distribute, type LoadClients, sendChecked } from './send-checked.js';
import type { KnownGroup, KnownUser } from './target.js';

/** The first sync of an organisation by an identity provider. */
export interface SyncPlan {
  readonly users: number;
  readonly usersInGroup: number;
}

export interface SyncResult {
  /** Until the last response. */
  readonly seconds: number;
  readonly requests: number;
  readonly events: number;
  readonly groups: readonly KnownGroup[];
}

/** Identity providers add members in several requests. */
const MEMBERS_PER_PATCH = 20;

const plansFor = (users: readonly KnownUser[], { usersInGroup }: SyncPlan): readonly GroupPlan[] =>
  Array.from({ length: Math.floor(users.length / usersInGroup) }, (_, index) => ({
    displayName: `Team ${index + 1}`,
    memberIds: users.slice(index * usersInGroup, (index + 1) * usersInGroup).map(({ id }) => id),
  }));

/** Creates all users, then all groups, and adds the members. Throws WrongResponseError. */
export const runFirstSync = async (clients: LoadClients, plan: SyncPlan): Promise<SyncResult> => {
  const began = performance.now();
  const users = await createUsers(clients, { prefix: 'sync', count: plan.users });
  const plans = plansFor(users, plan);
  const groups = await createGroups(clients, plans, MEMBERS_PER_PATCH);
  const seconds = (performance.now() - began) / 1_000;
  const members = groups.length * plan.usersInGroup;
  const patches = groups.length * Math.ceil(plan.usersInGroup / MEMBERS_PER_PATCH);
  return {
    seconds,
    requests: users.length + groups.length + patches,
    events: users.length + groups.length + members,
    groups,
  };
};

/** Checks the number of users and the members of each group. Throws WrongResponseError. */
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
