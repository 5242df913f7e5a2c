import { givesList, givesNewUser, givesUser } from './answer-faults.js';
import type { Exchange } from './connection.js';
import { PATCH_SCHEMA, scimUser } from './scim-user.js';
import type { KnownUser } from './target.js';

/** What a run works on. */
export interface Ground {
  /** In the order of creation. */
  readonly users: readonly KnownUser[];
  readonly clients: number;
  /** Different in each run, for names that are new. */
  readonly run: string;
}

/**
 * Gives a client its next exchanges, done one after another; a run ends between turns, so that one
 * that undoes what it does leaves the directory as it was.
 */
export type Work = (client: number) => readonly Exchange[];

const PAGE = 100;
/** How far pages lie around the middle, so that no two clients ask for the same. */
const SWAY = 400;

const anyOf = (users: readonly KnownUser[]): KnownUser =>
  users[Math.floor(Math.random() * users.length)] ?? noUsers();

const noUsers = (): never => {
  throw new Error('The directory is empty.');
};

const post = (user: ReturnType<typeof scimUser>): Exchange => ({
  method: 'POST',
  path: '/Users',
  body: JSON.stringify(user),
  fault: givesNewUser(user.userName),
});

const create = ({ run }: Ground): Work => {
  let number = 0;
  return () => [post(scimUser(run, (number += 1)))];
};

const read = ({ users }: Ground): Work => {
  return () => {
    const { id, userName } = anyOf(users);
    const fault = givesUser(200, { id, userName });
    return [{ method: 'GET', path: `/Users/${id}`, fault }];
  };
};

const find = ({ users }: Ground): Work => {
  return () => {
    const user = anyOf(users);
    const filter = encodeURIComponent(`userName eq "${user.userName}"`);
    const fault = givesList({ total: 1, users: [user] });
    return [{ method: 'GET', path: `/Users?filter=${filter}`, fault }];
  };
};

const page = ({ users }: Ground): Work => {
  const middle = Math.floor(users.length / 2 - PAGE / 2);
  return () => {
    const startIndex = middle + Math.floor((Math.random() - 0.5) * SWAY);
    const expected = users.slice(startIndex - 1, startIndex - 1 + PAGE);
    const fault = givesList({ total: users.length, startIndex, users: expected });
    return [{ method: 'GET', path: `/Users?startIndex=${startIndex}&count=${PAGE}`, fault }];
  };
};

const setActive = (id: string, active: boolean): Exchange => ({
  method: 'PATCH',
  path: `/Users/${id}`,
  body: JSON.stringify({
    schemas: [PATCH_SCHEMA],
    Operations: [{ op: 'replace', path: 'active', value: active }],
  }),
  fault: givesUser(200, { id, active }),
});

/** Each client has its own users, spread over the directory. */
const toggle = ({ users, clients }: Ground): Work => {
  const share = Math.floor(users.length / clients);
  return (client) => {
    const place = client + clients * Math.floor(Math.random() * share);
    const { id } = users[place] ?? noUsers();
    return [setActive(id, false), setActive(id, true)];
  };
};

export const WORKS = { create, read, find, page, toggle } as const satisfies Record<
  string,
  (ground: Ground) => Work
>;

export type WorkName = keyof typeof WORKS;
