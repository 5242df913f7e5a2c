import type { CheckedRequest, KnownGroup, KnownUser } from './connection.js';
import {
  expectNewUser,
  expectNoContent,
  expectNewUsers,
  expectUsers,
  expectUser,
} from './response-checks.js';
import { scimUser, memberPatch, bulkBodies, PATCH_SCHEMA } from './scim-bodies.js';

/** A group of a known size, created once for each server. */
export interface Team {
  readonly group: KnownGroup | undefined;
  /** Users outside the group, who join and leave it. */
  readonly joiners: readonly KnownUser[];
}

interface OperationInput extends Team {
  /** In the order of creation. */
  readonly users: readonly KnownUser[];
  readonly clients: number;
  /** Unique, for new names. */
  readonly run: string;
}

/**
 * The next requests of a client, sent one after the other. A run ends only between operations, so
 * an operation that undoes its change leaves the data as it was.
 */
export type Operation = (client: number) => readonly CheckedRequest[];

export const NO_TEAM: Team = { group: undefined, joiners: [] };

const pickRandom = <Item>(items: readonly Item[]): Item => {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item !== undefined) return item;
  throw new Error('Cannot pick from an empty list.');
};

export const postUser = (user: ReturnType<typeof scimUser>): CheckedRequest => ({
  method: 'POST',
  path: '/Users',
  body: JSON.stringify(user),
  check: expectNewUser(user.userName),
});

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

/** One user joins the group and leaves it; each client has its own users. */
const joinAndLeave = ({ group, joiners, clients }: OperationInput): Operation => {
  const share = Math.floor(joiners.length / clients);
  const counts = new Map<number, number>();
  return (client) => {
    const count = counts.get(client) ?? 0;
    counts.set(client, count + 1);
    const joiner = joiners[client + clients * (count % share)];
    if (!group || !joiner) throw new Error('There is no group, or no user to join it.');
    return [
      changeMembers('add', group.id, [joiner.id]),
      changeMembers('remove', group.id, [joiner.id]),
    ];
  };
};

/** Bulk requests with this many creates of new users. */
const bulk = (creates: number): ((input: OperationInput) => Operation) => {
  const bodyFor = bulkBodies(creates);
  const check = expectNewUsers(creates);
  return ({ run }) => {
    let number = 0;
    return () => [
      { method: 'POST', path: '/Bulk', body: bodyFor(`${run}b${(number += 1)}`), check },
    ];
  };
};

const PAGE = 100;
/** Pages start this far around the middle, so that clients rarely read the same one. */
const PAGE_SPREAD = 400;

const noUsers = (): never => {
  throw new Error('There are no users.');
};

const create = ({ run }: OperationInput): Operation => {
  let number = 0;
  return () => [postUser(scimUser(run, (number += 1)))];
};

const read = ({ users }: OperationInput): Operation => {
  return () => {
    const { id, userName } = pickRandom(users);
    const check = expectUser(200, { id, userName });
    return [{ method: 'GET', path: `/Users/${id}`, check }];
  };
};

const find = ({ users }: OperationInput): Operation => {
  return () => {
    const user = pickRandom(users);
    const filter = encodeURIComponent(`userName eq "${user.userName}"`);
    const check = expectUsers({ total: 1, users: [user] });
    return [{ method: 'GET', path: `/Users?filter=${filter}`, check }];
  };
};

const page = ({ users }: OperationInput): Operation => {
  const middle = Math.floor(users.length / 2 - PAGE / 2);
  return () => {
    const startIndex = middle + Math.floor((Math.random() - 0.5) * PAGE_SPREAD);
    const expected = users.slice(startIndex - 1, startIndex - 1 + PAGE);
    const check = expectUsers({ total: users.length, startIndex, users: expected });
    return [{ method: 'GET', path: `/Users?startIndex=${startIndex}&count=${PAGE}`, check }];
  };
};

const setActive = (id: string, active: boolean): CheckedRequest => ({
  method: 'PATCH',
  path: `/Users/${id}`,
  body: JSON.stringify({
    schemas: [PATCH_SCHEMA],
    Operations: [{ op: 'replace', path: 'active', value: active }],
  }),
  check: expectUser(200, { id, active }),
});

/** Each client has its own users, spread over all. */
const toggle = ({ users, clients }: OperationInput): Operation => {
  const share = Math.floor(users.length / clients);
  return (client) => {
    const index = client + clients * Math.floor(Math.random() * share);
    const { id } = users[index] ?? noUsers();
    return [setActive(id, false), setActive(id, true)];
  };
};

export const OPERATIONS = {
  create,
  read,
  find,
  page,
  toggle,
  joinAndLeave,
  bulk100: bulk(100),
  bulk1000: bulk(1_000),
} as const satisfies Record<string, (input: OperationInput) => Operation>;

export type OperationName = keyof typeof OPERATIONS;
